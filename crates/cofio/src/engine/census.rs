use std::collections::BTreeMap;

use super::Engine;
use crate::error::Result;
use crate::model::{Caller, Kind, Layer, Right};

/// How much a store holds, whoever it belongs to: counts, and nothing of anybody's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// How many memories there are on each layer, of each kind, whatever their state.
    pub entries: BTreeMap<(Layer, Kind), u64>,
    /// How many have no vector yet.
    pub pending_embeddings: u64,
}

impl Engine {
    /// Counts everything that the store holds, for whoever may administer it.
    pub async fn census(&self, caller: &Caller) -> Result<Census> {
        caller.require(Right::Admin)?;
        let keeper = Caller::keeper(caller.actor().clone());
        let mut census = Census::default();
        for summary in self.store.scopes(keeper.access(), self.now()).await? {
            for &(kind, _, count) in &summary.counts {
                *census.entries.entry((summary.layer(), kind)).or_default() += count;
            }
            census.pending_embeddings += summary.pending_embeddings;
        }
        Ok(census)
    }
}
