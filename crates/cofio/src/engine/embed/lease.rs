//! Memories that were handed out, and until when nobody else is handed them.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::SignedDuration;

use super::Engine;
use crate::error::Result;
use crate::model::{MemoryId, Timestamp};
use crate::store::Claimed;

/// How long memories are left to whoever took them.
///
/// An embedder that asks a server gives up a portion after two minutes.
const LENGTH: SignedDuration = SignedDuration::from_secs(150);

/// How much of a lease may be used up before it is renewed.
const RENEWED_AFTER: SignedDuration = SignedDuration::from_secs(10);

/// What somebody has claimed and not finished.
pub(super) struct Lease<'a> {
    engine: &'a Engine,
    held: Mutex<Held>,
}

struct Held {
    /// The moment by which the store knows the claim.
    until: Timestamp,
    /// What is neither embedded nor refused.
    left: HashSet<MemoryId>,
}

impl<'a> Lease<'a> {
    /// Takes some memories that wait.
    pub(super) async fn take(engine: &'a Engine, limit: usize) -> Result<(Self, Vec<Claimed>)> {
        let now = engine.now();
        let until = super::later(now, LENGTH);
        let claimed = engine.store.claim(now, until, limit).await?;
        let left = claimed.iter().map(|claimed| claimed.memory.id.clone()).collect();
        Ok((Self { engine, held: Mutex::new(Held { until, left }) }, claimed))
    }

    /// Keeps others away for a whole lease from now on, unless most of it is left.
    pub(super) async fn renew(&self) -> Result<()> {
        // Time goes by while a lease is renewed, too.
        while let Some((ids, until, renewed)) = self.used_up() {
            self.engine.store.extend(&ids, until, renewed).await?;
        }
        Ok(())
    }

    /// Returns what to renew, from when until when, if too little of the lease is left.
    fn used_up(&self) -> Option<(Vec<MemoryId>, Timestamp, Timestamp)> {
        let renewed = super::later(self.engine.now(), LENGTH);
        let mut held = self.held();
        let until = held.until;
        if renewed.duration_since(until) <= RENEWED_AFTER {
            return None;
        }
        held.until = renewed;
        Some((held.ids(), until, renewed))
    }

    /// Gives back what is left.
    pub(super) async fn give_back(&self) -> Result<()> {
        let (ids, until) = {
            let held = self.held();
            (held.ids(), held.until)
        };
        if ids.is_empty() {
            return Ok(());
        }
        self.engine.store.release(&ids, until).await
    }

    /// Holds a memory no longer.
    pub(super) fn finish(&self, id: &MemoryId) {
        self.held().left.remove(id);
    }

    /// Returns the moment by which the store knows the claim.
    pub(super) fn until(&self) -> Timestamp {
        self.held().until
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn ids(&self) -> Vec<MemoryId> {
        self.left.iter().cloned().collect()
    }
}
