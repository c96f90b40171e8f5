//! Vectors as numbers: their short forms, and how close they are to a question.
//!
//! Knows nothing of memories, tables or models. A vector is kept in half precision, from which
//! its cosine to a question is computed, and as one bit per dimension, from which that cosine is
//! estimated.

mod code;
mod half;
mod kernels;
mod rotation;

pub(crate) use code::{Code, Question};
pub(crate) use half::Half;
pub(crate) use kernels::{LANES, Words, prefetch};

use self::kernels::Kernels;
use crate::error::{Error, Result};

/// How long a vector may be; fewer would say nothing, and more are not in use.
pub(crate) const DIMENSIONS: std::ops::RangeInclusive<usize> = 8..=rotation::LONGEST;

/// How far from one a length may be and still pass for one.
const UNIT_TOLERANCE: f32 = 1e-4;

/// A question whose cosine to vectors is wanted, and no estimate of it.
#[derive(Debug)]
pub(crate) struct Nearness<'a> {
    kernels: Kernels,
    question: &'a [f32],
}

impl<'a> Nearness<'a> {
    /// Takes a question of length one.
    pub(crate) fn to(question: &'a [f32]) -> Self {
        Self { kernels: Kernels::best(), question }
    }

    /// Returns the cosine to a vector of length one.
    pub(crate) fn cosine(&self, vector: &[Half]) -> f32 {
        self.kernels.dot(vector, self.question)
    }
}

/// Returns the vector with length one.
///
/// Fails if it has other dimensions, or a direction cannot be told.
pub(crate) fn direction(vector: &[f32], dimensions: usize) -> Result<Vec<f32>> {
    if vector.len() != dimensions {
        let message = format!("a vector has {} dimensions instead of {dimensions}", vector.len());
        return Err(Error::invalid(message));
    }
    // Squares of numbers that fit into an f32 may not.
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if !length.is_finite() {
        return Err(Error::invalid("a vector contains something that is not a number"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the nearest f32 is meant")]
    let length = length as f32;
    if length <= f32::MIN_POSITIVE {
        return Err(Error::invalid("a vector without length has no direction"));
    }
    if (length - 1.0).abs() <= UNIT_TOLERANCE {
        return Ok(vector.to_vec());
    }
    Ok(vector.iter().map(|x| x / length).collect())
}

/// Returns whether these can be the numbers of a vector of length one.
pub(crate) fn is_direction(numbers: &[Half], dimensions: usize) -> bool {
    let square: f32 = numbers.iter().map(|number| number.value().powi(2)).sum();
    // Not so if one of them is not a number.
    numbers.len() == dimensions && (square - 1.0).abs() < 0.01
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_points_somewhere_has_a_direction() {
        let refused = |vector: &[f32]| direction(vector, 2).unwrap_err().to_string();
        assert!(refused(&[1.0]).contains("1 dimensions instead of 2"));
        assert!(refused(&[0.0, 0.0]).contains("no direction"));
        for wrong in [f32::NAN, f32::INFINITY] {
            assert!(refused(&[1.0, wrong]).contains("not a number"));
        }
        assert_eq!(direction(&[3.0, 4.0], 2).unwrap(), [0.6, 0.8]);
        assert_eq!(direction(&[f32::MAX, 0.0], 2).unwrap(), [1.0, 0.0]);
        assert!(is_direction(&Half::all(&[0.6, -0.8]), 2));
        for numbers in [&[0.6][..], &[3.0, 4.0], &[f32::NAN, 0.0], &[0.0, 0.0]] {
            assert!(!is_direction(&Half::all(numbers), 2));
        }
    }
}
