//! An embedder that nobody waits for beyond a moment.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::model::{CleanText, Fingerprint};
use cofio::{Error, ErrorKind, Result};
use pollster::block_on;

/// Makes vectors as another does, but that of a question only until a moment.
///
/// A hook must not be late, and words and names have an answer without it.
pub struct Punctual {
    pub embedder: Arc<dyn Embedder>,
    pub until: Instant,
}

#[async_trait]
impl Embedder for Punctual {
    fn fingerprint(&self) -> &Fingerprint {
        self.embedder.fingerprint()
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        self.embedder.embed(texts).await
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        let (tell, told) = mpsc::channel();
        let (embedder, text) = (Arc::clone(&self.embedder), text.clone());
        thread::spawn(move || tell.send(block_on(embedder.embed_question(&text))));
        // A hook has nothing else to do on its thread meanwhile.
        let left = self.until.saturating_duration_since(Instant::now());
        told.recv_timeout(left).unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Provider, "the model was not ready in time"))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cofio::ingest::{self, Level};

    use super::*;

    /// Takes its time, and makes the same vector of everything.
    struct Slow(Fingerprint, Duration);

    #[async_trait]
    impl Embedder for Slow {
        fn fingerprint(&self) -> &Fingerprint {
            &self.0
        }

        async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
            thread::sleep(self.1);
            Ok(vec![vec![1.0]; texts.len()])
        }

        async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
            Ok(self.embed(std::slice::from_ref(text)).await?.remove(0))
        }
    }

    /// Asks an embedder that takes so long, waiting for it so long.
    fn asked(takes: Duration, patience: Duration) -> Result<Vec<f32>> {
        let embedder = Arc::new(Slow(Fingerprint::new("slow").unwrap(), takes));
        let punctual = Punctual { embedder, until: Instant::now() + patience };
        block_on(punctual.embed_question(&ingest::redact("tea", "", Level::Definite).text))
    }

    #[test]
    fn a_question_has_a_vector_in_time_or_none() {
        let long = Duration::from_secs(60);
        assert_eq!(asked(Duration::ZERO, long).unwrap(), [1.0]);
        assert!(asked(long, Duration::from_millis(1)).is_err());
        assert!(asked(long, Duration::ZERO).is_err());
    }
}
