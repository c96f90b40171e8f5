//! Which memories have a vector of the adopted model, and who is embedding the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::contents::Contents;
use super::kept::Kept;
use super::vectors::Vectors;
use crate::model::{Embedding, Fingerprint, MemoryId, PassageHash, Timestamp};
use crate::store::{Claimed, EmbeddingState};

/// Until when somebody is embedding a memory, and how often that was in vain.
#[derive(Debug, Clone, Default)]
pub(super) struct Claim {
    pub until: Timestamp,
    pub refusals: u32,
    pub refused_because: Option<String>,
}

impl Contents {
    pub fn adopt(&mut self, fingerprint: &Fingerprint) -> bool {
        let changes = self.model.as_ref() != Some(fingerprint);
        if changes {
            self.model = Some(fingerprint.clone());
            self.change_all(|kept| kept.claim = Claim::default());
        }
        changes
    }

    pub fn claim(&mut self, now: Timestamp, until: Timestamp, limit: usize) -> Vec<Claimed> {
        let free = |kept: &&Kept| self.is_pending(kept) && kept.claim.until <= now;
        let mut pending: Vec<&Kept> = self.all().filter(free).collect();
        pending.sort_by_key(|kept| kept.number);
        let claimed: Vec<Claimed> = pending
            .into_iter()
            .take(limit)
            .map(|kept| Claimed { memory: kept.to_memory(), refusals: kept.claim.refusals })
            .collect();
        for Claimed { memory, .. } in &claimed {
            self.change(&memory.id, |kept| kept.claim.until = until);
        }
        claimed
    }

    /// Changes the claim of those memories that are still in it.
    pub fn change_claim(
        &mut self,
        ids: &[MemoryId],
        claim: Timestamp,
        change: impl Fn(&mut Claim),
    ) {
        for id in ids {
            self.change(id, |kept| {
                if kept.claim.until == claim {
                    change(&mut kept.claim);
                }
            });
        }
    }

    pub fn dimensions(&self, fingerprint: &Fingerprint) -> Option<usize> {
        let made = |kept: &Kept| matches!(&kept.memory.embedding, Embedding::Ready(by) if by == fingerprint);
        let here = self.vectors_of(fingerprint).find_map(Vectors::dimensions);
        let elsewhere = || self.dimensions_elsewhere.get(fingerprint).copied();
        here.or_else(|| elsewhere().filter(|_| self.all().any(made)))
    }

    pub fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Vec<Option<Vec<f32>>> {
        let known: HashMap<PassageHash, Vec<f32>> =
            self.vectors_of(fingerprint).flat_map(Vectors::each).collect();
        hashes.iter().map(|hash| known.get(hash).cloned()).collect()
    }

    pub fn embedding_state(&self) -> EmbeddingState {
        let pending = self.all().filter(|kept| self.is_pending(kept)).count() as u64;
        let mut refused: BTreeMap<String, u64> = BTreeMap::new();
        for kept in self.all().filter(|kept| self.is_pending(kept)) {
            if let Some(why) = &kept.claim.refused_because {
                *refused.entry(why.clone()).or_default() += 1;
            }
        }
        let mut refused: Vec<(String, u64)> = refused.into_iter().collect();
        refused.sort_by_key(|(_, count)| Reverse(*count));
        EmbeddingState {
            model: self.model.clone(),
            embedded: self.all().count() as u64 - pending,
            pending,
            refused,
            retiring: Vec::new(),
        }
    }

    fn vectors_of(&self, fingerprint: &Fingerprint) -> impl Iterator<Item = &Vectors> {
        let made = move |kept: &&Kept| matches!(&kept.memory.embedding, Embedding::Ready(by) if by == fingerprint);
        self.all().filter(made).map(|kept| &kept.vectors)
    }

    /// Returns whether a memory has no vector of the adopted model; before one is, any will do.
    pub fn is_pending(&self, kept: &Kept) -> bool {
        match &kept.memory.embedding {
            Embedding::Pending => true,
            Embedding::Ready(by) => self.embeds_with_another(by),
        }
    }

    /// Returns whether another model than this one is adopted.
    pub fn embeds_with_another(&self, fingerprint: &Fingerprint) -> bool {
        self.model.as_ref().is_some_and(|model| model != fingerprint)
    }
}
