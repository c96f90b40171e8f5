//! What the lock guards, and the indexes that follow from the memories.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::jobs::Ledger;
use super::journal::Journal;
use super::kept::Kept;
use crate::model::{
    Access, Fingerprint, Identifier, Key, KeyHash, KeyId, MemoryId, Outcome, Reading, Scope,
    Timestamp, Unshelved, ValueHash,
};
use crate::store::{Rejection, Tombstone};

/// Everything a store holds.
#[derive(Default)]
pub(super) struct Contents {
    memories: HashMap<MemoryId, Arc<Kept>>,
    /// The ids of each scope, by its text, which no two scopes share.
    by_scope: BTreeMap<ScopeKey, BTreeSet<MemoryId>>,
    by_identity: HashMap<(ScopeKey, [u8; 32]), MemoryId>,
    pub(super) tombstones: BTreeMap<MemoryId, Tombstone>,
    /// What was rejected in each scope, by its text.
    pub(super) rejections: BTreeMap<(ScopeKey, ValueHash), Rejection>,
    /// What was asked under a caller's key, and what came of it.
    ///
    /// Of the key, only what [`crate::store::kit::key_digest`] makes of it is kept.
    pub(super) requests: BTreeMap<(Identifier, String), Request>,
    /// Every key, with what its token is known by.
    pub(super) keys: BTreeMap<KeyId, (Key, KeyHash)>,
    /// Texts that no memory has any more and that shelves may still have.
    pub(super) unshelved: Vec<Unshelved>,
    pub(super) journal: Journal,
    pub(super) ledger: Ledger,
    /// The model that memories are embedded with.
    pub(super) model: Option<Fingerprint>,
    /// How many dimensions vectors have that stand on shelves.
    pub(super) dimensions_elsewhere: HashMap<Fingerprint, usize>,
    /// What this is an unfinished copy of.
    pub(super) unfinished: Option<String>,
    pub(super) last_number: u64,
}

pub(super) type ScopeKey = String;

/// What was asked under a caller's key, and what came of it.
pub(super) struct Request {
    pub(super) digest: [u8; 32],
    pub(super) outcomes: Vec<Outcome>,
    pub(super) at: Timestamp,
}

impl Contents {
    /// Returns a memory, whoever asks.
    pub fn find(&self, id: &MemoryId) -> Option<&Arc<Kept>> {
        self.memories.get(id)
    }

    /// Returns every memory, whosever it is.
    pub fn all(&self) -> impl Iterator<Item = &Kept> {
        self.memories.values().map(|kept| &**kept)
    }

    /// Returns a number that no memory has had.
    pub fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Returns a memory that `access` opens.
    pub fn open(&self, access: &Access, id: &MemoryId) -> Option<&Kept> {
        self.memories.get(id).map(|kept| &**kept).filter(|kept| access.opens(&kept.memory.scope))
    }

    /// Returns the memory of a scope that has an identity.
    pub fn identified(&self, scope: &Scope, identity: [u8; 32]) -> Option<&MemoryId> {
        self.by_identity.get(&(scope.to_string(), identity))
    }

    /// Returns the memories of the scopes, each once.
    pub fn inside(&self, scopes: &[Scope]) -> Vec<&Kept> {
        let keys: BTreeSet<ScopeKey> = scopes.iter().map(ToString::to_string).collect();
        let ids = keys.iter().filter_map(|key| self.by_scope.get(key)).flatten();
        ids.map(|id| self.indexed(id)).collect()
    }

    /// Returns the memories of each scope that `access` opens.
    pub fn scopes(&self, access: &Access) -> impl Iterator<Item = Vec<&Kept>> {
        let memories = |ids: &BTreeSet<MemoryId>| ids.iter().map(|id| self.indexed(id)).collect();
        let open = |inside: &Vec<&Kept>| inside.iter().all(|kept| access.opens(&kept.memory.scope));
        self.by_scope.values().map(memories).filter(open)
    }

    /// Puts a memory, or nothing, in the place of what is there, and returns what was there.
    pub fn replace(&mut self, id: &MemoryId, next: Option<Arc<Kept>>) -> Option<Arc<Kept>> {
        let before = self.memories.remove(id);
        if let Some(before) = &before {
            self.unindex(before);
        }
        if let Some(next) = next {
            self.index(&next);
            self.memories.insert(id.clone(), next);
        }
        before
    }

    /// Changes what no index follows from, if a memory is there.
    pub fn change(&mut self, id: &MemoryId, change: impl FnOnce(&mut Kept)) {
        if let Some(kept) = self.memories.get_mut(id) {
            change(Arc::make_mut(kept));
        }
    }

    /// Changes what no index follows from, of every memory.
    pub fn change_all(&mut self, change: impl Fn(&mut Kept)) {
        for kept in self.memories.values_mut() {
            change(Arc::make_mut(kept));
        }
    }

    /// Counts a reading and records it.
    pub fn observe(&mut self, reading: Reading) {
        let ids: BTreeSet<&MemoryId> = reading.ids.iter().collect();
        for id in ids {
            self.change(id, |kept| {
                let accesses = &mut kept.memory.accesses;
                accesses.count += 1;
                accesses.last_at = accesses.last_at.max(Some(reading.at));
            });
        }
        self.journal.enter(&reading.actor, reading.at, reading.audit, None);
    }

    fn indexed(&self, id: &MemoryId) -> &Kept {
        self.memories.get(id).expect("the index of scopes names only what is there")
    }

    fn index(&mut self, kept: &Kept) {
        let scope = kept.memory.scope.to_string();
        if let Some(identity) = kept.identity {
            self.by_identity.insert((scope.clone(), identity), kept.memory.id.clone());
        }
        self.by_scope.entry(scope).or_default().insert(kept.memory.id.clone());
    }

    fn unindex(&mut self, kept: &Kept) {
        let scope = kept.memory.scope.to_string();
        if let Some(ids) = self.by_scope.get_mut(&scope) {
            ids.remove(&kept.memory.id);
            if ids.is_empty() {
                self.by_scope.remove(&scope);
            }
        }
        if let Some(identity) = kept.identity {
            let key = (scope, identity);
            if self.by_identity.get(&key) == Some(&kept.memory.id) {
                self.by_identity.remove(&key);
            }
        }
    }
}
