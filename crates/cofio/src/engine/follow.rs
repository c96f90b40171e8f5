use std::collections::HashMap;

use super::Engine;
use crate::error::{ErrorKind, Result};
use crate::model::{Caller, ChangeRecord, Memory, MemoryId, Right};

/// A change, and what the memory is by now.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The change.
    pub record: ChangeRecord,
    /// The memory, unless it is gone, has ended, or a shelf has lost its text.
    pub memory: Option<Memory>,
}

impl Engine {
    /// Returns changes in the same order, each with the memory as it is now.
    ///
    /// Whoever follows looks at everything, so it is no use of any one memory and is not recorded.
    pub async fn follow(
        &self,
        caller: &Caller,
        records: Vec<ChangeRecord>,
    ) -> Result<Vec<Changed>> {
        caller.require(Right::Read).map_err(|error| error.during("follow"))?;
        let mut ids: Vec<MemoryId> = records.iter().map(|record| record.id.clone()).collect();
        ids.sort_unstable();
        ids.dedup();
        let now = self.now();
        let memories = self.readable(caller, &ids).await?;
        let memories = memories.into_iter().filter(|memory| !memory.expired(now));
        let memories: HashMap<MemoryId, Memory> =
            memories.map(|memory| (memory.id.clone(), memory)).collect();
        let changed = |record: ChangeRecord| {
            let memory = memories.get(&record.id).cloned();
            Changed { record, memory }
        };
        Ok(records.into_iter().map(changed).collect())
    }

    /// Returns memories without those that shelves have lost, as these keep nobody from the others.
    async fn readable(&self, caller: &Caller, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let found = self.store.get(caller.access(), ids).await;
        if !is_damaged(&found) {
            return found;
        }
        let mut readable = Vec::with_capacity(ids.len());
        for id in ids {
            let found = self.store.get(caller.access(), std::slice::from_ref(id)).await;
            if !is_damaged(&found) {
                readable.extend(found?);
            }
        }
        Ok(readable)
    }

    /// Returns the last place in the sequence of changes, whosever they are; 0 before the first.
    pub async fn last_change(&self) -> Result<u64> {
        self.store.last_change().await
    }

    /// Waits until the store is told that the sequence of changes went beyond a place.
    ///
    /// It may never be: whoever waits also looks for themselves now and then.
    pub async fn stirred(&self, after: u64) {
        self.store.stirred(after).await;
    }
}

fn is_damaged(found: &Result<Vec<Memory>>) -> bool {
    found.as_ref().is_err_and(|error| error.kind() == ErrorKind::Damaged)
}
