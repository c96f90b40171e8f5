//! Which memories have a vector of the adopted model, and who is embedding the others.

use std::collections::HashMap;

use super::contents::Contents;
use super::kept::Kept;
use crate::model::{Embedding, Fingerprint, Memory, MemoryId, PassageHash, PassageVector, Timestamp};
use crate::store::EmbeddingState;

/// What is being embedded.
#[derive(Default)]
pub(super) struct EmbeddingQueue {
    model: Option<Fingerprint>,
    claimed_until: HashMap<MemoryId, Timestamp>,
}

impl EmbeddingQueue {
    pub fn release(&mut self, ids: &[MemoryId]) {
        for id in ids {
            self.claimed_until.remove(id);
        }
    }
}

impl Contents {
    pub fn adopt(&mut self, fingerprint: &Fingerprint) -> bool {
        let changes = self.embedding.model.as_ref() != Some(fingerprint);
        if changes {
            self.embedding =
                EmbeddingQueue { model: Some(fingerprint.clone()), ..EmbeddingQueue::default() };
        }
        changes
    }

    pub fn claim(&mut self, now: Timestamp, until: Timestamp, limit: usize) -> Vec<Memory> {
        let claimed = &self.embedding.claimed_until;
        let free = |kept: &&Kept| claimed.get(&kept.memory.id).is_none_or(|until| *until <= now);
        let mut pending: Vec<&Kept> =
            self.all().filter(|kept| self.is_pending(kept)).filter(free).collect();
        pending.sort_by_key(|kept| kept.number);
        let memories: Vec<Memory> = pending.into_iter().take(limit).map(Kept::to_memory).collect();
        let claims = memories.iter().map(|memory| (memory.id.clone(), until));
        self.embedding.claimed_until.extend(claims);
        memories
    }

    pub fn dimensions(&self, fingerprint: &Fingerprint) -> Option<usize> {
        self.vectors_of(fingerprint).next().map(|known| known.vector.len())
    }

    pub fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Vec<Option<Vec<f32>>> {
        let known: HashMap<PassageHash, &Vec<f32>> =
            self.vectors_of(fingerprint).map(|known| (known.hash, &known.vector)).collect();
        hashes.iter().map(|hash| known.get(hash).copied().cloned()).collect()
    }

    pub fn embedding_state(&self) -> EmbeddingState {
        let pending = self.all().filter(|kept| self.is_pending(kept)).count() as u64;
        EmbeddingState {
            model: self.embedding.model.clone(),
            embedded: self.all().count() as u64 - pending,
            pending,
            retiring: Vec::new(),
        }
    }

    fn vectors_of(&self, fingerprint: &Fingerprint) -> impl Iterator<Item = &PassageVector> {
        let made = move |kept: &&Kept| {
            matches!(&kept.memory.embedding, Embedding::Ready(by) if by == fingerprint)
        };
        self.all().filter(made).flat_map(|kept| &kept.vectors)
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
        self.embedding.model.as_ref().is_some_and(|model| model != fingerprint)
    }
}
