use std::collections::HashSet;

use super::{Engine, Forgotten};
use crate::error::Result;
use crate::model::{Caller, MemoryId, Right, Scope};
use crate::retrieval::Selection;

/// Which memories are to be forgotten.
#[derive(Debug, Clone)]
pub enum Forgetting {
    /// Those with these ids.
    Ids(Vec<MemoryId>),
    /// Everything that a selection means.
    Matching(Box<Selection>),
    /// Everything that came from a page, file, call, conversation or tool, in all scopes that the
    /// caller opens.
    Source(String),
}

impl Engine {
    /// Returns what would be forgotten, with what was concluded from it, and forgets nothing: there
    /// is no receipt.
    pub async fn would_forget(
        &self,
        caller: &Caller,
        forgetting: &Forgetting,
    ) -> Result<Forgotten> {
        self.rehearse(caller, forgetting).await.map_err(|error| error.during("delete"))
    }

    async fn rehearse(&self, caller: &Caller, forgetting: &Forgetting) -> Result<Forgotten> {
        caller.require(Right::Delete)?;
        let memories = match forgetting {
            Forgetting::Ids(ids) => {
                super::check_batch(ids.len(), self.config.limits.batch)?;
                self.store.get_outlines(caller.access(), ids).await?
            }
            Forgetting::Matching(selection) => self.matching_outlines(caller, selection).await?,
            Forgetting::Source(origin) => self.from_source(caller, origin).await?,
        };
        let mut whose: Vec<(MemoryId, Scope)> =
            memories.into_iter().map(|memory| (memory.id, memory.scope)).collect();
        let concluded = self.derived(caller, &whose).await?;
        let derived = concluded.len();
        whose.extend(concluded);
        let ids: Vec<MemoryId> = whose.into_iter().map(|(id, _)| id).collect();
        let missing = match forgetting {
            Forgetting::Ids(asked) => {
                let there: HashSet<&MemoryId> = ids.iter().collect();
                asked.iter().filter(|id| !there.contains(id)).cloned().collect()
            }
            _ => Vec::new(),
        };
        Ok(Forgotten { ids, missing, derived, receipt: None })
    }
}
