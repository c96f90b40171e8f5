//! An engine on any store, that works of itself while a test moves its clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::Assignment;
use cofio::model::{Draft, Job, Memory, MemoryId, Scope, State, Task, Timestamp};
use cofio::store::{MemoryStore, SqliteStore, Store};
use cofio::{Config, Engine};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{START, episode, keeper, named};

/// An engine on some store, with a clock that tests move.
pub struct Life {
    pub engine: Engine,
    microseconds: Arc<AtomicI64>,
}

impl Life {
    pub fn on(store: Arc<dyn Store>, config: Config) -> Self {
        let start: Timestamp = START.parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        let clock = {
            let microseconds = microseconds.clone();
            move || {
                Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap()
            }
        };
        Self { engine: Engine::shared(store, clock, config), microseconds }
    }

    pub fn new() -> Self {
        Self::on(Arc::new(MemoryStore::new()), Config::default())
    }

    /// Lets the same happen on every store.
    pub fn everywhere(config: &Config, happen: impl Fn(&Self)) {
        happen(&Self::on(Arc::new(MemoryStore::new()), config.clone()));
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
        happen(&Self::on(Arc::new(store), config.clone()));
    }

    pub fn wait(&self, days: i64) {
        let microseconds = SignedDuration::from_hours(24 * days).as_micros();
        self.microseconds.fetch_add(i64::try_from(microseconds).unwrap(), Ordering::Relaxed);
    }

    pub fn keep(&self, draft: Draft) -> Memory {
        block_on(self.engine.remember(&keeper(), draft)).unwrap().memory
    }

    /// Keeps what Alice says in a conversation.
    pub fn say(&self, scope: Scope, text: &str) -> Memory {
        let mut said = Draft { scope, ..episode("alice", text) };
        said.source.session = Some(named("s1"));
        self.keep(said)
    }

    /// Does a task, to whatever it takes away somebody agreed.
    pub fn run(&self, task: Task) -> Job {
        let assignment = Assignment { agreed: true, ..Assignment::of(task) };
        block_on(self.engine.settle()).unwrap();
        block_on(self.engine.maintain(&keeper(), &assignment, &|_, _| {})).unwrap()
    }

    /// Returns a memory; nobody reads it by that.
    pub fn look_at(&self, id: &MemoryId) -> Memory {
        block_on(self.engine.history(&keeper(), id)).unwrap().current
    }

    pub fn state(&self, id: &MemoryId) -> State {
        self.look_at(id).state
    }
}
