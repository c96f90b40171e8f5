//! Turning text into vectors: the contract.

use async_trait::async_trait;

use crate::error::{Error, ErrorKind, Result};
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

/// Refuses a vector that nothing can be compared with: one without a direction, or of other
/// dimensions than those that are kept of the same model.
pub(crate) fn check(vector: &[f32], kept: Option<usize>) -> Result<()> {
    let refuse = |message: String| Err(Error::new(ErrorKind::Configuration, message));
    if let Some(kept) = kept.filter(|kept| *kept != vector.len()) {
        return refuse(format!(
            "the embedder made a vector of {} dimensions where those of its model have {kept}",
            vector.len()
        ));
    }
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if length.is_finite() && length > f64::from(f32::MIN_POSITIVE) {
        return Ok(());
    }
    refuse("the embedder made a vector without a direction".to_owned())
}
