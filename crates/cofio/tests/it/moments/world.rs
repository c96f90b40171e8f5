//! An engine on each kind of store, with a clock that is set by hand.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::{Corrected, Updated};
use cofio::model::{Channel, Correction, Criteria, Draft, Layer, Memory, Patch, Source, Timestamp};
use cofio::store::{MemoryStore, SqliteStore, Store};
use cofio::{Config, Engine, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use tempfile::TempDir;

use crate::fixture::{START, identifiers, keeper, local};

/// An engine whose store goes when it goes.
pub struct World {
    pub engine: Engine,
    now: Arc<AtomicI64>,
    store: &'static str,
    _folder: TempDir,
}

impl World {
    /// Returns a new world for every kind of store.
    pub fn each() -> [Self; 2] {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = SqliteStore::open(&one.path().join("cofio.db")).unwrap();
        let memory = MemoryStore::new();
        [Self::on(Arc::new(file), "SQLite", one), Self::on(Arc::new(memory), "memory", two)]
    }

    fn on(kept: Arc<dyn Store>, store: &'static str, folder: TempDir) -> Self {
        let start: Timestamp = START.parse().unwrap();
        let now = Arc::new(AtomicI64::new(start.as_microsecond()));
        let clock = {
            let now = now.clone();
            move || Timestamp::from_microsecond(now.load(Ordering::Relaxed)).unwrap()
        };
        let engine = Engine::shared(kept, clock, Config::default());
        Self { engine, now, store, _folder: folder }
    }

    pub fn go_to(&self, hours: i64) {
        self.now.store(at(hours).as_microsecond(), Ordering::Relaxed);
    }

    pub fn remember(&self, draft: Draft) -> Memory {
        block_on(self.engine.remember(&keeper(), draft)).unwrap().memory
    }

    pub fn correct(
        &self,
        memory: &Memory,
        text: &str,
        since: Option<Timestamp>,
    ) -> Result<Corrected> {
        let source = Source::through(Channel::ExplicitSave);
        let correction = Correction { since, ..Correction::new(text, source) };
        block_on(self.engine.correct(&local("alice"), &memory.id, correction))
    }

    pub fn rewrite(&self, memory: &Memory, text: &str) -> Result<Updated> {
        let patch = Patch { content: Some(text.to_owned()), ..Patch::default() };
        block_on(self.engine.update(&local("alice"), &memory.id, patch))
    }

    pub fn list(&self, criteria: &Criteria) -> Vec<Memory> {
        block_on(self.engine.list_all(&local("alice"), &selection(criteria))).unwrap()
    }

    /// Returns what is listed, in the order of the alphabet.
    pub fn listed(&self, criteria: &Criteria) -> Vec<String> {
        let mut texts: Vec<String> = self.list(criteria).iter().map(text).collect();
        texts.sort();
        texts
    }

    /// Returns what is found, in the order of the alphabet unless dates decide.
    pub fn found(&self, criteria: &Criteria, question: &str) -> Vec<String> {
        let asked = query(criteria, question);
        let answer = block_on(self.engine.search(&local("alice"), &asked)).unwrap();
        let mut texts: Vec<String> = answer.hits.iter().map(|hit| text(&hit.memory)).collect();
        if !question.contains("yesterday") {
            texts.sort();
        }
        texts
    }
}

/// Returns the moment so many hours after the beginning.
pub fn at(hours: i64) -> Timestamp {
    START.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(hours)
}

pub fn selection(criteria: &Criteria) -> Selection {
    Selection::with(identifiers(&[(Layer::User, "alice")]), criteria.clone())
}

pub fn query(criteria: &Criteria, question: &str) -> Query {
    Query { limit: 50, ..Query::new(selection(criteria), question) }
}

fn text(memory: &Memory) -> String {
    memory.content.as_str().to_owned()
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.store)
    }
}
