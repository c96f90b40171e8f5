//! An engine on a real store, with a clock that tests move.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::Remembered;
use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Memory, Scope, Source, Timestamp,
};
use cofio::retrieval::Answer;
use cofio::store::SqliteStore;
use cofio::{Config, Engine, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use tempfile::TempDir;

/// When every test begins.
pub const START: &str = "2026-03-01T12:00:00Z";

/// Returns that moment.
pub fn start() -> Timestamp {
    START.parse().unwrap()
}

/// An engine whose store goes when it goes.
pub struct Fixture {
    pub engine: Engine,
    pub store: Arc<SqliteStore>,
    microseconds: Arc<AtomicI64>,
    folder: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        Self::with(Config::default())
    }

    pub fn with(config: Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("cofio.db")).unwrap());
        let start: Timestamp = START.parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        let clock = {
            let microseconds = microseconds.clone();
            // Every look at the clock finds a later moment, as in life.
            move || {
                Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap()
            }
        };
        let engine = Engine::shared(store.clone(), clock, config);
        Self { engine, store, microseconds, folder }
    }

    pub fn wait(&self, duration: SignedDuration) {
        let microseconds = i64::try_from(duration.as_micros()).unwrap();
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("cofio.db")
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub fn remember(&self, draft: Draft) -> Result<Remembered> {
        block_on(self.engine.remember(&keeper(), draft))
    }

    /// Keeps a fact of a user, and returns it.
    pub fn fact(&self, user: &str, text: &str) -> Memory {
        self.remember(fact(user, text)).unwrap().memory
    }

    /// Returns what a user finds, best first.
    pub fn found(&self, user: &str, question: &str) -> Vec<String> {
        let answer = self.search(user, question);
        answer.hits.iter().map(|hit| hit.memory.content.as_str().to_owned()).collect()
    }

    pub fn search(&self, user: &str, question: &str) -> Answer {
        let query = Query::new(Selection::new(identifiers(&[(Layer::User, user)])), question);
        block_on(self.engine.search(&local(user), &query)).unwrap()
    }
}

pub fn named(name: &str) -> Identifier {
    Identifier::new(name).unwrap()
}

pub fn local(user: &str) -> Caller {
    Caller::local(named(user))
}

pub fn keeper() -> Caller {
    Caller::keeper(named("keeper"))
}

pub fn identifiers(names: &[(Layer, &str)]) -> Identifiers {
    names.iter().fold(Identifiers::default(), |all, (layer, name)| all.with(*layer, named(name)))
}

pub fn scope(layer: Layer, names: &[(Layer, &str)]) -> Scope {
    Scope::new(layer, &identifiers(names)).unwrap()
}

pub fn fact(user: &str, text: &str) -> Draft {
    let source = Source::through(Channel::ExplicitSave);
    Draft::new(Scope::user(named(user)), Kind::Fact, text, source)
}

pub fn episode(user: &str, text: &str) -> Draft {
    Draft { kind: Kind::Episode, ..fact(user, text) }
}
