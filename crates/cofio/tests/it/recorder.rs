//! An embedder that remembers everything it was ever handed.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use cofio::Result;
use cofio::embed::Embedder;
use cofio::model::{CleanText, Fingerprint};

const DIMENSIONS: usize = 64;

/// Gives each word a direction of its own, and keeps every text.
pub struct Recorder {
    fingerprint: Fingerprint,
    heard: Mutex<Vec<String>>,
    always: Option<Vec<f32>>,
}

impl Recorder {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::made(None))
    }

    /// Returns one that has the same vector for everything.
    pub fn answering(vector: Vec<f32>) -> Arc<Self> {
        Arc::new(Self::made(Some(vector)))
    }

    fn made(always: Option<Vec<f32>>) -> Self {
        let fingerprint = Fingerprint::new("recorder/1").unwrap();
        Self { fingerprint, heard: Mutex::default(), always }
    }

    /// Returns every text so far, questions included.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        self.heard.lock().unwrap().push(text.to_owned());
        if let Some(vector) = &self.always {
            return vector.clone();
        }
        let mut vector = vec![0.0; DIMENSIONS];
        // No text is without a direction.
        vector[0] = 0.001;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            vector[1 + hash(&word.to_lowercase()) % (DIMENSIONS - 1)] += 1.0;
        }
        let length = vector.iter().map(|number: &f32| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

fn hash(word: &str) -> usize {
    // FNV-1a.
    word.bytes().fold(0xcbf2_9ce4_8422_2325_usize, |hash, byte| {
        (hash ^ usize::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) >> 7
}

#[async_trait]
impl Embedder for Recorder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| self.vector(text.as_str())).collect())
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        Ok(self.vector(text.as_str()))
    }
}
