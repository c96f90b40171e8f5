//! One bit per dimension, and what can be estimated from it.
//!
//! After `RaBitQ` (Gao and Long, 2024): the signs of a rotated vector, with the scale that makes
//! the estimate of a cosine unbiased and its error known.

use super::half::Half;
use super::kernels::{Kernels, LANES, PLANES, Words};
use super::rotation::rotate;

/// The largest number of a question in small integers.
const LARGEST: f32 = 7.0;

/// How many groups of codes are estimated at a time.
const GROUPS: usize = 16;

/// The signs of a vector, and what to multiply them by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Code {
    /// One bit per dimension, filled up with zeros.
    pub(crate) words: Vec<u64>,
    /// One divided by the sum of the amounts.
    pub(crate) scale: Half,
}

impl Code {
    /// Returns the code of a vector of length one.
    pub(crate) fn new(vector: &[f32]) -> Self {
        let mut rotated = vector.to_vec();
        rotate(&mut rotated);
        let words = rotated.chunks(64).map(|chunk| bits(chunk, |x| x >= 0.0)).collect();
        let amount: f32 = rotated.iter().map(|x| x.abs()).sum();
        Self { words, scale: Half::new(1.0 / amount) }
    }

    /// Returns how many words a code has.
    pub(crate) fn words(dimensions: usize) -> usize {
        dimensions.div_ceil(64)
    }
}

/// Returns a word with a one for each number that has a property.
fn bits<T: Copy>(numbers: &[T], property: impl Fn(T) -> bool) -> u64 {
    numbers.iter().rev().fold(0, |word, &number| word << 1 | u64::from(property(number)))
}

/// A vector of length one, prepared for comparing many others with it.
#[derive(Debug)]
pub(crate) struct Question {
    kernels: Kernels,
    vector: Vec<f32>,
    /// The bits of the rotated numbers as small integers.
    planes: Vec<[u64; PLANES]>,
    /// What one stands for in the small integers.
    step: f32,
    /// The sum of the small integers.
    total: f32,
    /// The square of what the small integers leave out.
    lost: f32,
}

impl Question {
    /// Prepares a vector of length one.
    pub(crate) fn new(vector: Vec<f32>) -> Self {
        let mut rotated = vector.clone();
        rotate(&mut rotated);
        let highest = rotated.iter().fold(0.0_f32, |highest, x| highest.max(x.abs()));
        let step = highest / LARGEST;
        #[expect(clippy::cast_possible_truncation, reason = "-7 to 7")]
        let integers: Vec<i32> = rotated.iter().map(|x| (x / step).round() as i32).collect();
        let planes = integers
            .chunks(64)
            .map(|chunk| std::array::from_fn(|plane| bits(chunk, |x| x >> plane & 1 == 1)))
            .collect();
        let left_out = |(&x, &integer): (&f32, &i32)| (x - step * integer as f32).powi(2);
        let lost = rotated.iter().zip(&integers).map(left_out).sum();
        let total = integers.iter().sum::<i32>() as f32;
        Self { kernels: Kernels::best(), vector, planes, step, total, lost }
    }

    /// Returns the cosine to a vector of length one.
    pub(crate) fn cosine(&self, vector: &[Half]) -> f32 {
        self.kernels.dot(vector, &self.vector)
    }

    /// Estimates the cosine of each code, in groups of codes that stand side by side.
    pub(crate) fn estimate(
        &self,
        codes: &[Words],
        scales: &[[f32; LANES]],
        estimates: &mut [[f32; LANES]],
    ) {
        let mut sums = [[0; LANES]; GROUPS];
        let scales = scales.chunks(GROUPS);
        let codes = codes.chunks(GROUPS * self.planes.len());
        for ((codes, scales), estimates) in codes.zip(scales).zip(estimates.chunks_mut(GROUPS)) {
            self.kernels.sums(codes, &self.planes, &mut sums);
            for ((sums, scales), estimates) in sums.iter().zip(scales).zip(estimates) {
                for ((sum, scale), estimate) in sums.iter().zip(scales).zip(estimates) {
                    // A zero counts as minus one.
                    *estimate = (2.0 * *sum as f32 - self.total) * (self.step * scale);
                }
            }
        }
    }

    /// Returns by how much estimates scatter around a cosine whose square is given.
    ///
    /// `square` is the square of the scale, or its mean over many codes; the answer is the
    /// variance.
    pub(crate) fn scatter(&self, square: f32, cosine_square: f32) -> f32 {
        let dimensions = self.vector.len() as f32;
        let unevenness = (dimensions * square - 1.0).max(0.0);
        (unevenness * (1.0 - cosine_square).max(0.0) + dimensions * square * self.lost)
            / (dimensions - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::vectors::direction;

    /// Returns vectors of length one that point anywhere.
    fn anywhere(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
        let mut state: u64 = 88_172_645_463_325_252;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        let mut one = || (0..dimensions).map(|_| next() + next() + next()).collect::<Vec<f32>>();
        (0..count).map(|_| direction(&one(), dimensions).unwrap()).collect()
    }

    #[test]
    fn estimates_are_right_on_average_and_wrong_by_what_is_said() {
        for dimensions in [64, 100, 384, 1_536] {
            let vectors = anywhere(400, dimensions);
            let question = Question::new(vectors[0].clone());
            let width = Code::words(dimensions);
            let mut words = vec![[0; LANES]; vectors.len() / LANES * width];
            let mut scales = vec![[0.0; LANES]; vectors.len() / LANES];
            for (entry, vector) in vectors.iter().enumerate() {
                let (group, lane) = (entry / LANES, entry % LANES);
                let code = Code::new(vector);
                for (item, word) in words[group * width..].iter_mut().zip(code.words) {
                    item[lane] = word;
                }
                scales[group][lane] = code.scale.value();
            }
            let mut estimates = vec![[0.0; LANES]; scales.len()];
            question.estimate(&words, &scales, &mut estimates);
            let (mut bias, mut surprise) = (0.0, 0.0);
            for (entry, vector) in vectors.iter().enumerate().skip(1) {
                let cosine = question.cosine(&Half::all(vector));
                let scale = scales[entry / LANES][entry % LANES];
                let error = estimates[entry / LANES][entry % LANES] - cosine;
                bias += error / 399.0;
                surprise += error.powi(2) / question.scatter(scale.powi(2), cosine.powi(2)) / 399.0;
            }
            assert!(bias.abs() < 0.01, "{dimensions}: {bias}");
            assert!((0.8..1.2).contains(&surprise), "{dimensions}: {surprise}");
        }
    }
}
