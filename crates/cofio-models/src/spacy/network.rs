//! The network that makes a vector of each word in its context.
//!
//! Tables of hashed features are summed, mixed, and four times mixed with their neighbours.

use super::features::{Features, PADDING};
use super::hash;

/// How many numbers the vector of a word has.
pub(super) const WIDTH: usize = 96;

/// How many of the numbers that are computed for each output compete for it.
const PIECES: usize = 3;

/// How often words are mixed with their neighbours, and so how much padding they need.
pub(super) const DEPTH: usize = 4;

/// A layer of weights, input by input: all numbers that one input contributes stand together, so
/// that sums are made the same way, and fast, on every processor.
pub(super) struct Linear {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Takes weights output by output, as they are published.
    pub fn new(published: &[f32], bias: Vec<f32>) -> Self {
        let (outputs, inputs) = (bias.len(), published.len() / bias.len());
        let weights = (0..inputs)
            .flat_map(|input| (0..outputs).map(move |output| published[output * inputs + input]))
            .collect();
        Self { weights, bias }
    }

    /// Returns one number per output.
    pub fn apply(&self, inputs: &[&[f32]]) -> Vec<f32> {
        let mut sums = self.bias.clone();
        let rows = self.weights.chunks_exact(self.bias.len());
        for (input, row) in inputs.iter().copied().flatten().zip(rows) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += input * weight;
            }
        }
        sums
    }
}

/// A layer whose outputs are the greatest of some candidates, brought to the same scale.
pub(super) struct Mixing {
    pub linear: Linear,
    pub gain: Vec<f32>,
    pub shift: Vec<f32>,
}

impl Mixing {
    fn apply(&self, inputs: &[&[f32]]) -> Vec<f32> {
        let mut mixed = greatest(&self.linear.apply(inputs), PIECES);
        let mean = mean(mixed.iter().copied());
        let variance = self::mean(mixed.iter().map(|number| (number - mean).powi(2))) + 1e-8;
        let scale = variance.sqrt().recip();
        let scaling = self.gain.iter().zip(&self.shift);
        for (number, (gain, shift)) in mixed.iter_mut().zip(scaling) {
            *number = (*number - mean) * scale * gain + shift;
        }
        mixed
    }
}

/// Returns the greatest of each few numbers.
pub(super) fn greatest(numbers: &[f32], pieces: usize) -> Vec<f32> {
    let greatest = |piece: &[f32]| piece.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    numbers.chunks_exact(pieces).map(greatest).collect()
}

fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = numbers.len() as f32;
    numbers.sum::<f32>() / count
}

/// A table of vectors, of which four are summed for each key.
pub(super) struct Table {
    pub seed: u32,
    pub vectors: Vec<f32>,
}

impl Table {
    fn vector(&self, key: u64) -> [f32; WIDTH] {
        let mut vector = [0.0; WIDTH];
        let rows = self.vectors.len() / WIDTH;
        for part in hash::of_key(key, self.seed) {
            let row = part as usize % rows * WIDTH;
            for (sum, number) in vector.iter_mut().zip(&self.vectors[row..row + WIDTH]) {
                *sum += number;
            }
        }
        vector
    }
}

/// Makes the vectors.
pub(super) struct Network {
    /// Of norms, prefixes, suffixes and shapes.
    pub tables: [Table; 4],
    pub mixing: Mixing,
    pub with_neighbours: [Mixing; DEPTH],
}

impl Network {
    /// Returns a vector for each word of a text.
    pub fn vectors(&self, words: &[Features]) -> Vec<Vec<f32>> {
        let padding = self.alone(&PADDING);
        let padding = || std::iter::repeat_n(padding.clone(), DEPTH);
        let words = words.iter().map(|word| self.alone(word));
        let mut rows: Vec<Vec<f32>> = padding().chain(words).chain(padding()).collect();
        for mixing in &self.with_neighbours {
            rows = mixed_with_neighbours(&rows, mixing);
        }
        rows.truncate(rows.len() - DEPTH);
        rows.split_off(DEPTH)
    }

    /// Returns the vector of a word without its context.
    fn alone(&self, word: &Features) -> Vec<f32> {
        let parts: [[f32; WIDTH]; 4] =
            std::array::from_fn(|part| self.tables[part].vector(word[part]));
        self.mixing.apply(&parts.each_ref().map(<[f32; WIDTH]>::as_slice))
    }
}

fn mixed_with_neighbours(rows: &[Vec<f32>], mixing: &Mixing) -> Vec<Vec<f32>> {
    const NOTHING: &[f32] = &[0.0; WIDTH];
    let row = |place: Option<usize>| place.and_then(|place| rows.get(place));
    let vector = |place: Option<usize>| row(place).map_or(NOTHING, Vec::as_slice);
    let mixed = |(place, own): (usize, &Vec<f32>)| {
        let (before, behind) = (vector(place.checked_sub(1)), vector(Some(place + 1)));
        let mixed = mixing.apply(&[before, own, behind]);
        own.iter().zip(mixed).map(|(own, mixed)| own + mixed).collect()
    };
    rows.iter().enumerate().map(mixed).collect()
}
