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
    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>>;
}
