use std::collections::HashMap;

use jiff::SignedDuration;
use sha2::{Digest as _, Sha256};

use super::Engine;
use crate::embed::Embedder;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Level};
use crate::model::{
    Change, CleanText, Commit, Fingerprint, Identifier, Meaning, Memory, MemoryId, Outcome,
    PassageHash, PassageVector,
};
use crate::store::EmbeddingState;

/// How long memories are left to whoever took them to embed them.
const LEASE: SignedDuration = SignedDuration::from_secs(120);

/// How many vectors of another model are removed at a time.
const RETIRED_AT_ONCE: usize = 1_000;

/// How many questions are kept with what they mean.
const REMEMBERED_QUESTIONS: usize = 1_024;

/// What was embedded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// How many memories got their vectors.
    pub done: usize,
    /// How many still wait.
    pub pending: u64,
}

/// What questions mean, so that one that is asked again need not be embedded again.
#[derive(Debug, Default)]
pub(super) struct Questions(HashMap<String, Vec<f32>>);

impl Engine {
    /// Embeds some of the memories that have no vector of the model yet, the oldest first.
    ///
    /// Any number of processes may do so at once: each memory is handed to one of them.
    pub async fn embed_pending(&self, limit: usize) -> Result<Embedded> {
        self.embed_some(limit).await.map_err(|error| error.during("embed"))
    }

    /// Returns how far the embedding of everything is.
    pub async fn embedding_state(&self) -> Result<EmbeddingState> {
        self.store.embedding_state().await
    }

    /// Embeds what waits, and then whatever is remembered, until nobody polls it any more.
    ///
    /// An embedder that fails is asked again when something new is remembered.
    pub async fn keep_embedding(&self, batch: usize) {
        loop {
            while self.embed_pending(batch).await.is_ok_and(|embedded| embedded.done > 0) {}
            if self.news.1.recv().await.is_err() {
                return;
            }
        }
    }

    /// Tells whoever embeds that there is something new.
    pub(super) fn announce(&self) {
        // One announcement that nobody has heard yet is enough.
        let _ = self.news.0.try_send(());
    }

    pub(super) fn has_embedder(&self) -> bool {
        self.embedder.is_some()
    }

    /// Returns what a question means.
    pub(super) async fn embed_question(&self, text: &str) -> Result<Meaning> {
        let embedder = self.embedder()?;
        let fingerprint = embedder.fingerprint().clone();
        let clean = ingest::redact(text, &self.config.secret_replacement, Level::Probable).text;
        if let Some(vector) = self.questions().0.get(clean.as_str()) {
            return Ok(Meaning { fingerprint, vector: vector.clone() });
        }
        let vectors = embedder.embed(std::slice::from_ref(&clean)).await?;
        let vector = vectors.into_iter().next().ok_or_else(too_few)?;
        let mut questions = self.questions();
        if questions.0.len() >= REMEMBERED_QUESTIONS {
            questions.0.clear();
        }
        questions.0.insert(clean.as_str().to_owned(), vector.clone());
        Ok(Meaning { fingerprint, vector })
    }

    async fn embed_some(&self, limit: usize) -> Result<Embedded> {
        let embedder = self.embedder()?;
        self.store.adopt(embedder.fingerprint()).await?;
        let now = self.now();
        let claimed =
            self.store.claim(now, now.saturating_add(LEASE).unwrap_or(now), limit).await?;
        let done = match self.embed_claimed(embedder, &claimed).await {
            Ok(done) => done,
            Err(error) => {
                let ids: Vec<MemoryId> = claimed.iter().map(|memory| memory.id.clone()).collect();
                self.store.release(&ids).await?;
                return Err(error);
            }
        };
        let state = self.store.embedding_state().await?;
        if state.pending == 0 && !state.retiring.is_empty() {
            while self.store.retire(RETIRED_AT_ONCE).await? > 0 {}
        }
        Ok(Embedded { done, pending: state.pending })
    }

    async fn embed_claimed(&self, embedder: &dyn Embedder, claimed: &[Memory]) -> Result<usize> {
        if claimed.is_empty() {
            return Ok(0);
        }
        let vectors = self.vectors_of(embedder, claimed).await?;
        let changes = changes(claimed, vectors, embedder.fingerprint());
        let actor = Identifier::new("cofio")?;
        let commit =
            Commit { actor, at: self.now(), changes, audit: Vec::new(), idempotency: None };
        let outcomes = self.store.commit(commit).await?;
        Ok(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Embedded(_))).count())
    }

    /// Returns the vectors of the passages of each memory; the same text is embedded once.
    async fn vectors_of(
        &self,
        embedder: &dyn Embedder,
        memories: &[Memory],
    ) -> Result<Vec<Vec<PassageVector>>> {
        let passages: Vec<Vec<(PassageHash, CleanText)>> =
            memories.iter().map(|memory| hashed(memory.passages())).collect();
        let hashes: Vec<PassageHash> = passages.iter().flatten().map(|(hash, _)| *hash).collect();
        let known = self.store.known_vectors(embedder.fingerprint(), &hashes).await?;
        let mut vectors: HashMap<PassageHash, Vec<f32>> = HashMap::new();
        vectors
            .extend(hashes.into_iter().zip(known).filter_map(|(hash, known)| Some((hash, known?))));
        let mut texts: HashMap<PassageHash, &CleanText> = HashMap::new();
        let unknown = passages.iter().flatten().filter(|(hash, _)| !vectors.contains_key(hash));
        texts.extend(unknown.map(|(hash, text)| (*hash, text)));
        let (hashes, texts): (Vec<PassageHash>, Vec<CleanText>) =
            texts.into_iter().map(|(hash, text)| (hash, text.clone())).unzip();
        if !texts.is_empty() {
            let made = embedder.embed(&texts).await?;
            if made.len() != texts.len() {
                return Err(too_few());
            }
            vectors.extend(hashes.into_iter().zip(made));
        }
        let of = |(hash, _): &(PassageHash, CleanText)| {
            let vector = vectors.get(hash).cloned().ok_or_else(too_few)?;
            Ok(PassageVector { hash: *hash, vector })
        };
        passages.iter().map(|passages| passages.iter().map(of).collect()).collect()
    }

    fn embedder(&self) -> Result<&dyn Embedder> {
        self.embedder.as_deref().ok_or_else(|| {
            let message = "semantic search needs an embedder, and none is configured";
            Error::new(ErrorKind::Unsupported, message)
        })
    }

    fn questions(&self) -> std::sync::MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn hashed(passages: Vec<CleanText>) -> Vec<(PassageHash, CleanText)> {
    let hash = |text: &CleanText| {
        let digest = <[u8; 32]>::from(Sha256::digest(text.as_str()));
        let mut hash = PassageHash::default();
        hash.copy_from_slice(&digest[..16]);
        hash
    };
    passages.into_iter().map(|passage| (hash(&passage), passage)).collect()
}

fn changes(
    memories: &[Memory],
    vectors: Vec<Vec<PassageVector>>,
    fingerprint: &Fingerprint,
) -> Vec<Change> {
    let pairs = memories.iter().zip(vectors);
    pairs
        .map(|(memory, vectors)| Change::Embed {
            id: memory.id.clone(),
            version: memory.version,
            fingerprint: fingerprint.clone(),
            vectors,
        })
        .collect()
}

fn too_few() -> Error {
    Error::new(ErrorKind::EmbeddingFailed, "the embedder returned fewer vectors than texts")
}
