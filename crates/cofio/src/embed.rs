//! Turning text into vectors: the contract.

use async_trait::async_trait;

use crate::error::Result;
use crate::model::{CleanText, Fingerprint};

/// Makes vectors whose closeness is closeness of meaning.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns what tells this model, with its settings, from every other.
    fn fingerprint(&self) -> &Fingerprint;

    /// Returns one vector of length one per text, in order, all with the same number of dimensions.
    ///
    /// An error that is not retryable says that the texts, or the embedder itself, are at fault.
    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>>;

    /// Returns the vector of a question.
    ///
    /// Somebody waits for it who has an answer without it, so it fails early rather than late.
    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>>;
}
