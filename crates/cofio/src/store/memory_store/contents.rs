//! What the lock guards, and the indexes that follow from the memories.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::inside::Inside;
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
    /// The memories of each scope, by its text, which no two scopes share.
    scopes: BTreeMap<Arc<str>, Inside>,
    /// In which scope each memory is, and its number there.
    memories: HashMap<MemoryId, (Arc<str>, u64)>,
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
    /// Scopes that something may stand on shelves for, whether or not they hold anything.
    pub(super) announced: HashSet<Scope>,
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
        let (scope, number) = self.memories.get(id)?;
        self.scopes.get(scope)?.get(*number)
    }

    /// Returns every memory, whosever it is.
    pub fn all(&self) -> impl Iterator<Item = &Kept> {
        self.scopes.values().flat_map(Inside::all)
    }

    /// Returns a number that no memory has had.
    pub fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Lets numbers begin somewhere else.
    pub fn number_from(&mut self, first: u64) {
        self.last_number = first;
    }

    /// Returns a memory that `access` opens.
    pub fn open(&self, access: &Access, id: &MemoryId) -> Option<&Kept> {
        self.find(id).map(|kept| &**kept).filter(|kept| access.opens(&kept.memory.scope))
    }

    /// Returns the memory of a scope that has an identity.
    pub fn identified(&self, scope: &Scope, identity: [u8; 32]) -> Option<&MemoryId> {
        self.by_identity.get(&(scope.to_string(), identity))
    }

    /// Returns what is in each of the scopes, each once.
    pub fn each(&self, scopes: &[Scope]) -> Vec<&Inside> {
        let keys: BTreeSet<ScopeKey> = scopes.iter().map(ToString::to_string).collect();
        keys.iter().filter_map(|key| self.scopes.get(key.as_str())).collect()
    }

    /// Returns the memories of the scopes, each once.
    pub fn inside(&self, scopes: &[Scope]) -> Vec<&Kept> {
        self.each(scopes).into_iter().flat_map(Inside::all).collect()
    }

    /// Returns the memories of each scope that `access` opens.
    pub fn scopes(&self, access: &Access) -> impl Iterator<Item = Vec<&Kept>> {
        let open = |inside: &Vec<&Kept>| inside.iter().all(|kept| access.opens(&kept.memory.scope));
        self.scopes.values().map(|inside| inside.all().collect()).filter(open)
    }

    /// Puts a memory, or nothing, in the place of what is there, and returns what was there.
    pub fn replace(&mut self, id: &MemoryId, next: Option<Arc<Kept>>) -> Option<Arc<Kept>> {
        let before = self.take(id);
        if let Some(next) = next {
            self.put(next);
        }
        before
    }

    /// Changes what no index follows from, if a memory is there.
    pub fn change(&mut self, id: &MemoryId, change: impl FnOnce(&mut Kept)) {
        let place = self.memories.get(id);
        let inside = place.and_then(|(scope, number)| Some((self.scopes.get_mut(scope)?, number)));
        if let Some(kept) = inside.and_then(|(inside, number)| inside.get_mut(*number)) {
            change(Arc::make_mut(kept));
        }
    }

    /// Changes what no index follows from, of every memory.
    pub fn change_all(&mut self, change: impl Fn(&mut Kept)) {
        for kept in self.scopes.values_mut().flat_map(Inside::members_mut) {
            change(Arc::make_mut(kept));
        }
    }

    /// Counts a reading and records it.
    pub fn observe(&mut self, reading: Reading) {
        self.count(&reading);
        self.journal.enter(&reading.actor, reading.at, reading.audit, None);
    }

    /// Counts a reading.
    pub fn count(&mut self, reading: &Reading) {
        let ids: BTreeSet<&MemoryId> = reading.ids.iter().collect();
        for id in ids {
            self.change(id, |kept| {
                let accesses = &mut kept.memory.accesses;
                accesses.count += 1;
                accesses.last_at = accesses.last_at.max(Some(reading.at));
            });
        }
    }

    fn put(&mut self, kept: Arc<Kept>) {
        let (scope, id) = (kept.memory.scope.to_string(), kept.memory.id.clone());
        if let Some(identity) = kept.identity {
            self.by_identity.insert((scope.clone(), identity), id.clone());
        }
        let scope: Arc<str> = scope.into();
        self.memories.insert(id, (scope.clone(), kept.number));
        self.scopes.entry(scope).or_default().insert(kept);
    }

    fn take(&mut self, id: &MemoryId) -> Option<Arc<Kept>> {
        let (scope, number) = self.memories.remove(id)?;
        let inside = self.scopes.get_mut(&scope)?;
        let kept = inside.remove(number)?;
        if inside.is_empty() {
            self.scopes.remove(&scope);
        }
        if let Some(identity) = kept.identity {
            let key = (scope.to_string(), identity);
            if self.by_identity.get(&key) == Some(&kept.memory.id) {
                self.by_identity.remove(&key);
            }
        }
        Some(kept)
    }
}
