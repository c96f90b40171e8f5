//! An engine on a real store, and people who use it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::ListRequest;
use cofio::model::{
    Caller, Channel, Criteria, Identifier, Identifiers, Layer, Memory, Scope, Source, State,
    Timestamp,
};
use cofio::store::{Durability, SqliteOptions, SqliteStore};
use cofio::{Engine, Query, Selection};
use cofio_server::dialects::Writer;
use jiff::SignedDuration;
use pollster::block_on;
use tempfile::TempDir;

/// An engine whose store goes when it goes.
pub struct Fixture {
    pub engine: Engine,
    microseconds: Arc<AtomicI64>,
    folder: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        Self::at("2026-03-01T12:00:00Z")
    }

    /// Makes an engine whose clock begins at a moment.
    pub fn at(moment: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // It is thrown away, so nothing has to wait for the disk.
        let options = SqliteOptions { durability: Durability::ProcessOnly, ..Default::default() };
        let store = SqliteStore::open_with(&folder.path().join("cofio.db"), options).unwrap();
        let start: Timestamp = moment.parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        let clock = {
            let microseconds = Arc::clone(&microseconds);
            // Every look at the clock finds a later moment, as in life.
            move || {
                Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap()
            }
        };
        Self { engine: Engine::new(store, clock), microseconds, folder }
    }

    /// Returns where the store is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("cofio.db")
    }

    pub fn wait(&self, duration: SignedDuration) {
        let microseconds = i64::try_from(duration.as_micros()).unwrap();
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// Returns a user whose every word is their own.
    pub fn writer(&self, user: &str) -> Writer {
        self.writer_through(user, Channel::ExplicitSave)
    }

    pub fn writer_through(&self, user: &str, channel: Channel) -> Writer {
        Writer {
            engine: self.engine.clone(),
            caller: Caller::local(named(user)),
            scope: Scope::user(named(user)),
            source: Source::through(channel),
        }
    }

    /// Returns a user who writes what everybody in a project reads.
    pub fn sharing(&self, user: &str, channel: Channel) -> Writer {
        let project = Identifiers::default().with(Layer::Project, named("cofio"));
        let scope = Scope::new(Layer::Project, &project).unwrap();
        Writer { scope, ..self.writer_through(user, channel) }
    }

    /// Returns everything that is kept for a user, whatever became of it.
    pub fn kept(&self, user: &str) -> Vec<Memory> {
        self.kept_on(user, Layer::User)
    }

    /// Returns everything that is kept on a layer for a user, their helper or their project.
    pub fn kept_on(&self, user: &str, layer: Layer) -> Vec<Memory> {
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let identifiers = identifiers(user)
            .with(Layer::Agent, named("helper"))
            .with(Layer::Project, named("cofio"));
        let selection = Selection::with(identifiers, criteria);
        let request = ListRequest::new(Selection { layers: Some(vec![layer]), ..selection });
        block_on(self.engine.list(&Caller::local(named(user)), &request)).unwrap().memories
    }

    /// Returns what a user finds, best first.
    pub fn found(&self, user: &str, question: &str) -> Vec<String> {
        let query = Query::new(Selection::new(identifiers(user)), question);
        let answer = block_on(self.engine.search(&Caller::local(named(user)), &query)).unwrap();
        answer.hits.iter().map(|hit| hit.memory.content.as_str().to_owned()).collect()
    }
}

pub fn named(name: &str) -> Identifier {
    Identifier::new(name).unwrap()
}

fn identifiers(user: &str) -> Identifiers {
    Identifiers::default().with(Layer::User, named(user))
}

/// Returns where something is that `cargo xtask test` puts below `target/`.
pub fn provided(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target").join(name);
    assert!(path.exists(), "{} is missing: `cargo xtask test` puts it there", path.display());
    path
}
