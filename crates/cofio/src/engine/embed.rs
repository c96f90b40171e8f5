mod abreast;
mod batch;
mod lease;

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use jiff::SignedDuration;

use super::Engine;
use crate::embed::{self, Embedder};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Level};
use crate::model::{Embedding, Fingerprint, Meaning, Memory, Timestamp};
use crate::store::EmbeddingState;
use batch::Progress;

/// How many vectors of another model are removed at a time.
const RETIRED_AT_ONCE: usize = 1_000;

/// How many questions are kept with what they mean.
const REMEMBERED_QUESTIONS: usize = 1_024;

/// What was embedded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// How many memories got their vectors.
    pub done: usize,
    /// How many could not be embedded, and are left alone for a while.
    pub refused: usize,
    /// How many still have none, those included.
    pub pending: u64,
}

/// What questions mean, so that one that is asked again need not be embedded again.
#[derive(Debug, Default)]
pub(super) struct Questions {
    vectors: HashMap<String, Vec<f32>>,
    /// How many dimensions the vectors have that are kept of the model, once there are any.
    dimensions: Option<usize>,
}

impl Engine {
    /// Embeds some of the memories that have no vector of the model yet, the oldest first.
    ///
    /// Any number of processes may do so at once: each memory is handed to one of them. One that
    /// the embedder cannot embed keeps none of the others waiting.
    pub async fn embed_pending(&self, limit: usize) -> Result<Embedded> {
        self.embed_some(limit).await.map_err(|error| error.during("embed"))
    }

    /// Returns how far the embedding of everything is.
    pub async fn embedding_state(&self) -> Result<EmbeddingState> {
        self.store.embedding_state().await
    }

    /// Embeds what waits, and then whatever is remembered, until nobody polls it any more.
    ///
    /// It looks again when this engine remembers something and whenever a `pause` is over: others
    /// remember too, what was given up is tried again, and an embedder may have recovered.
    pub async fn keep_embedding<P: Future<Output = ()>>(
        &self,
        batch: usize,
        pause: impl Fn() -> P,
    ) {
        loop {
            while self.embed_pending(batch).await.is_ok_and(|one| one.done + one.refused > 0) {}
            let mut news = pin!(self.news.1.recv());
            let mut pause = pin!(pause());
            poll_fn(|context| match news.as_mut().poll(context) {
                Poll::Ready(_) => Poll::Ready(()),
                Poll::Pending => pause.as_mut().poll(context),
            })
            .await;
        }
    }

    /// Tells whoever embeds that there is something new.
    pub(super) fn announce(&self) {
        // One announcement that nobody has heard yet is enough.
        let _ = self.news.0.try_send(());
    }

    /// Returns whether memories are found by meaning too.
    pub fn has_embedder(&self) -> bool {
        self.embedder.is_some()
    }

    /// Returns whether a memory has vectors that a question can be compared with.
    pub(super) fn has_embedded(&self, memory: &Memory) -> bool {
        let fingerprint = self.embedder.as_ref().map(|embedder| embedder.fingerprint());
        matches!(&memory.embedding, Embedding::Ready(by) if Some(by) == fingerprint)
    }

    /// Returns what a question means if it was embedded before.
    pub(super) fn recall_question(&self, text: &str) -> Option<Meaning> {
        let fingerprint = self.embedder.as_ref()?.fingerprint().clone();
        let vector = self.questions().vectors.get(text)?.clone();
        Some(Meaning { fingerprint, vector })
    }

    /// Returns what a question means.
    pub(super) async fn embed_question(&self, text: &str) -> Result<Meaning> {
        let embedder = self.embedder()?;
        let fingerprint = embedder.fingerprint().clone();
        let clean = ingest::redact(text, &self.config.secret_replacement, Level::Probable).text;
        let vector = embedder.embed_question(&clean).await?;
        embed::check(&vector, self.kept_dimensions(&fingerprint).await?)?;
        let Questions { vectors, .. } = &mut *self.questions();
        if vectors.len() >= REMEMBERED_QUESTIONS {
            vectors.clear();
        }
        vectors.insert(text.to_owned(), vector.clone());
        Ok(Meaning { fingerprint, vector })
    }

    /// Returns how many dimensions the vectors have that are kept of the embedder's model.
    async fn kept_dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>> {
        let known = self.questions().dimensions;
        if known.is_some() {
            return Ok(known);
        }
        let kept = self.store.dimensions(fingerprint).await?;
        self.questions().dimensions = kept;
        Ok(kept)
    }

    async fn embed_some(&self, limit: usize) -> Result<Embedded> {
        let embedder = self.embedder()?;
        self.store.adopt(embedder.fingerprint()).await?;
        let Progress { done, refused } = self.embed_batch(embedder, limit).await?;
        let state = self.store.embedding_state().await?;
        if state.waiting() == 0 && !state.retiring.is_empty() {
            while self.store.retire(RETIRED_AT_ONCE).await? > 0 {}
        }
        Ok(Embedded { done, refused, pending: state.pending })
    }

    fn embedder(&self) -> Result<&dyn Embedder> {
        self.embedder.as_deref().ok_or_else(|| {
            let message = if self.store.capabilities().vectors {
                "semantic search needs an embedder, and none is configured"
            } else {
                "semantic search needs vectors, and the store keeps none"
            };
            Error::new(ErrorKind::Unsupported, message)
        })
    }

    fn questions(&self) -> std::sync::MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn later(now: Timestamp, duration: SignedDuration) -> Timestamp {
    now.saturating_add(duration).unwrap_or(now)
}
