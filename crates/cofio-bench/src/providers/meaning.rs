//! Meanings that are made up: vectors in groups, the same for the same text, at no cost.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::model::{CleanText, Fingerprint};
use fastrand::Rng;

/// How many dimensions vectors have, as those of MiniLM.
pub const DIMENSIONS: usize = 384;

/// How many groups there are.
const GROUPS: u64 = 4_096;

/// The cosine that two texts of one group have, about.
const ALIKE: f32 = 0.8;

/// Makes vectors up.
pub struct MadeUp(Fingerprint);

impl MadeUp {
    pub fn new() -> cofio::Result<Self> {
        Ok(Self(Fingerprint::new("made-up-384")?))
    }
}

#[async_trait]
impl Embedder for MadeUp {
    fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }

    async fn embed(&self, texts: &[CleanText]) -> cofio::Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| vector(text.as_str())).collect())
    }

    async fn embed_question(&self, text: &CleanText) -> cofio::Result<Vec<f32>> {
        Ok(vector(text.as_str()))
    }
}

/// Returns a vector of length one, near to those of the same group.
pub fn vector(text: &str) -> Vec<f32> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    let (centre, own) = (direction(hash % GROUPS), direction(hash));
    let parts = centre.iter().zip(own);
    scaled(parts.map(|(centre, own)| centre * ALIKE.sqrt() + own * (1.0 - ALIKE).sqrt()).collect())
}

/// Returns a direction that only chance makes near to another.
fn direction(seed: u64) -> Vec<f32> {
    let mut random = Rng::with_seed(seed);
    scaled((0..DIMENSIONS).map(|_| random.f32() + random.f32() - 1.0).collect())
}

fn scaled(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_in_groups_and_have_length_one() {
        let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let all: Vec<Vec<f32>> = (0..200).map(|number| vector(&format!("note {number}"))).collect();
        assert!(all.iter().all(|vector| (cosine(vector, vector) - 1.0).abs() < 1e-3));
        assert_eq!(all[0], vector("note 0"));
        let far = all[1..].iter().filter(|other| cosine(&all[0], other).abs() < 0.3).count();
        assert!(far > 190, "{far}");
    }
}
