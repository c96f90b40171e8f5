//! The vectors of a memory, as they are kept: in half precision, one after the other.

use std::sync::Arc;

use crate::model::{PassageHash, PassageVector};
use crate::store::vectors::Half;

/// The vectors of the passages of a memory, all of the same length.
#[derive(Debug, Clone, Default)]
pub(super) struct Vectors {
    hashes: Vec<PassageHash>,
    numbers: Arc<[Half]>,
}

impl Vectors {
    /// Keeps vectors of one model.
    pub fn new(vectors: &[PassageVector]) -> Self {
        let numbers = vectors.iter().flat_map(|known| &known.vector);
        Self {
            hashes: vectors.iter().map(|known| known.hash).collect(),
            numbers: numbers.map(|number| Half::new(*number)).collect(),
        }
    }

    /// Returns how many numbers each has, if there are any.
    pub fn dimensions(&self) -> Option<usize> {
        self.numbers.len().checked_div(self.hashes.len())
    }

    /// Returns each with the hash of its passage.
    pub fn each(&self) -> impl Iterator<Item = (PassageHash, Vec<f32>)> {
        let vectors = self.numbers.chunks_exact(self.dimensions().unwrap_or(1).max(1));
        let numbers = |vector: &[Half]| vector.iter().map(|number| number.value()).collect();
        self.hashes.iter().copied().zip(vectors.map(numbers))
    }

    /// Returns the numbers of all of them.
    pub fn numbers(&self) -> Arc<[Half]> {
        Arc::clone(&self.numbers)
    }
}
