use std::collections::BTreeMap;

use super::{Engine, check_open};
use crate::error::{Error, Result};
use crate::model::{
    AuditEntry, Caller, ChangeRecord, Kind, Layer, Memory, MemoryId, Right, Scope, State, Timestamp,
};
use crate::store::{Entries, ScopeSummary};

/// A memory with everything it was before.
#[derive(Debug, Clone)]
pub struct VersionedHistory {
    /// The earlier versions, the oldest first.
    pub earlier: Vec<Memory>,
    /// The memory as it is now.
    pub current: Memory,
}

/// What is kept for a caller.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Every scope that holds something.
    pub scopes: Vec<ScopeSummary>,
    /// How many active memories of each kind.
    pub kinds: BTreeMap<Kind, u64>,
    /// How many active memories on each layer.
    pub layers: BTreeMap<Layer, u64>,
    /// How many memories in all, whatever their state.
    pub total: u64,
    /// How many have no vector yet.
    pub pending_embeddings: u64,
    /// How many bytes of text.
    pub content_bytes: u64,
    /// When the last one was learnt.
    pub latest_at: Option<Timestamp>,
}

impl Engine {
    /// Returns a memory with its earlier versions.
    pub async fn history(&self, caller: &Caller, id: &MemoryId) -> Result<VersionedHistory> {
        let history = async {
            let current = self.load(caller, id, self.now()).await?;
            let earlier = self.store.history(caller.access(), id).await?;
            Ok(VersionedHistory { earlier, current })
        };
        history.await.map_err(|error: Error| error.during("history"))
    }

    /// Counts what is kept, in all scopes that the caller opens or in some of them.
    pub async fn stats(&self, caller: &Caller, within: Option<&[Scope]>) -> Result<Stats> {
        caller.require(Right::Read).map_err(|error| error.during("stats"))?;
        let mut stats = Stats::default();
        let wanted = |scope: &Scope| within.is_none_or(|scopes| scopes.contains(scope));
        for summary in self.store.scopes(caller.access(), self.now()).await? {
            if wanted(&summary.scope) {
                stats.add(summary);
            }
        }
        Ok(stats)
    }

    /// Returns every scope that the caller opens and in which something is kept, ended or not.
    pub async fn scopes(&self, caller: &Caller) -> Result<Vec<Scope>> {
        caller.require(Right::Read).map_err(|error| error.during("stats"))?;
        // At the beginning of time nothing has ended.
        let summaries = self.store.scopes(caller.access(), Timestamp::MIN).await?;
        Ok(summaries.into_iter().map(|summary| summary.scope).collect())
    }

    /// Returns what changed after a place in the sequence of changes, the oldest first.
    pub async fn changes(
        &self,
        caller: &Caller,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ChangeRecord>> {
        caller.require(Right::Read).map_err(|error| error.during("changes"))?;
        self.store.changes(caller.access(), after, limit).await
    }

    /// Returns audit entries, the oldest first, as far as they are the caller's.
    ///
    /// Somebody who keeps the store and may administer it sees all of them; others see what they did
    /// themselves.
    pub async fn audit(
        &self,
        caller: &Caller,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        caller.require(Right::Read).map_err(|error| error.during("audit"))?;
        let sees_all = caller.keeps_the_store() && caller.rights().contains(Right::Admin);
        let actor = (!sees_all).then(|| caller.actor());
        self.store.audit(actor, which, limit).await
    }

    /// Checks that no audit entry was changed, moved or left out, and returns how many there are.
    pub async fn verify_audit(&self, caller: &Caller) -> Result<u64> {
        let verify = async {
            caller.require(Right::Admin)?;
            self.store.verify_audit().await
        };
        verify.await.map_err(|error| error.during("verify"))
    }
}

/// Refuses scopes that the caller may not read.
pub(super) fn check_readable(caller: &Caller, scopes: &[Scope]) -> Result<()> {
    caller.require(Right::Read).map_err(|error| error.during("entity"))?;
    scopes.iter().try_for_each(|scope| check_open(caller, scope))
}

impl Stats {
    fn add(&mut self, summary: ScopeSummary) {
        for &(kind, state, count) in &summary.counts {
            self.total += count;
            if state == State::Active {
                *self.kinds.entry(kind).or_default() += count;
                *self.layers.entry(summary.layer()).or_default() += count;
            }
        }
        self.pending_embeddings += summary.pending_embeddings;
        self.content_bytes += summary.content_bytes;
        self.latest_at = self.latest_at.max(summary.latest_at);
        self.scopes.push(summary);
    }
}
