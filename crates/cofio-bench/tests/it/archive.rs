//! A store as its readers see it, to be compared with what its writers acknowledged.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use cofio::config::Limits;
use cofio::engine::ListRequest;
use cofio::model::{Caller, Identifier, Identifiers, Layer, MemoryId};
use cofio::store::{SqliteStore, Store as _};
use cofio::{Config, Engine, Result, Selection};
use pollster::block_on;

use crate::writer::{Acknowledged, USER};

/// An open store, read for the writers' user.
pub struct Archive {
    store: Arc<SqliteStore>,
    engine: Engine,
    caller: Caller,
}

impl Archive {
    /// Opens a file, recovering it if a writer was killed.
    pub fn open(path: &Path) -> Result<Self> {
        let store = Arc::new(SqliteStore::open(path)?);
        let limits = Limits { page: 1_000, ..Limits::default() };
        let config = Config { limits, ..Config::default() };
        let engine = Engine::shared(store.clone(), jiff::Timestamp::now, config);
        Ok(Self { store, engine, caller: Caller::local(Identifier::new(USER)?) })
    }

    /// Counts what was acknowledged and is not there, or not as it was.
    pub fn lost(&self, acknowledged: &[Acknowledged]) -> Result<usize> {
        let ids: Vec<_> = acknowledged.iter().map(|one| one.id.clone()).collect();
        let found = block_on(self.store.get(self.caller.access(), &ids))?;
        let found: HashMap<_, _> =
            found.into_iter().map(|memory| (memory.id, memory.content)).collect();
        let kept = |one: &&Acknowledged| {
            found.get(&one.id).is_some_and(|content| content.as_str() == one.content)
        };
        Ok(acknowledged.len() - acknowledged.iter().filter(kept).count())
    }

    /// Returns every memory, page by page.
    pub fn everything(&self) -> Result<Vec<Acknowledged>> {
        let user = Identifiers::default().with(Layer::User, Identifier::new(USER)?);
        let limit = self.engine.config().limits.page;
        let mut request = ListRequest { limit, ..ListRequest::new(Selection::new(user)) };
        let mut everything = Vec::new();
        loop {
            let listed = block_on(self.engine.list(&self.caller, &request))?;
            everything.extend(listed.memories.into_iter().map(|memory| Acknowledged {
                id: memory.id,
                content: memory.content.as_str().to_owned(),
            }));
            request.cursor = listed.next_cursor;
            if request.cursor.is_none() {
                return Ok(everything);
            }
        }
    }

    /// Returns how many memories the statistics count.
    pub fn count(&self) -> Result<u64> {
        Ok(block_on(self.engine.stats(&self.caller, None))?.total)
    }

    /// Returns the sequence of changes.
    pub fn changes(&self) -> Result<Vec<(u64, MemoryId)>> {
        let changes = block_on(self.engine.changes(&self.caller, 0, usize::MAX))?;
        Ok(changes.into_iter().map(|change| (change.sequence, change.id)).collect())
    }

    /// Fails unless the audit chain holds; returns its length.
    pub fn verify_audit(&self) -> Result<u64> {
        block_on(self.engine.verify_audit(&self.caller))
    }

    /// Returns what is wrong with the file itself.
    pub fn damage(&self) -> Result<Vec<String>> {
        Ok(block_on(self.store.check())?.problems)
    }
}
