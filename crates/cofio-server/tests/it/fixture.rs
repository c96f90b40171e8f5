//! An engine on a real store, and people who use it.

use std::path::{Path, PathBuf};

use cofio::engine::ListRequest;
use cofio::model::{
    Caller, Channel, Criteria, Identifier, Identifiers, Layer, Memory, Scope, Source, State,
};
use cofio::store::{Durability, SqliteOptions, SqliteStore};
use cofio::{Engine, Query, Selection};
use cofio_server::dialects::Writer;
use pollster::block_on;
use tempfile::TempDir;

/// An engine whose store goes when it goes.
pub struct Fixture {
    pub engine: Engine,
    _folder: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // It is thrown away, so nothing has to wait for the disk.
        let options = SqliteOptions { durability: Durability::ProcessOnly, ..Default::default() };
        let store = SqliteStore::open_with(&folder.path().join("cofio.db"), options).unwrap();
        Self { engine: Engine::new(store, jiff::Timestamp::now), _folder: folder }
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

    /// Returns everything that is kept for a user, whatever became of it.
    pub fn kept(&self, user: &str) -> Vec<Memory> {
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let request = ListRequest::new(Selection::with(identifiers(user), criteria));
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
