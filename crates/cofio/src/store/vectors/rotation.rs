//! A rotation that spreads what a vector says evenly over its dimensions.
//!
//! The bits of a vector say the more the more even its dimensions are. Models are free to put
//! most of the length into a few of them; after this rotation none does.

use std::sync::LazyLock;

/// The largest number of dimensions.
pub(super) const LONGEST: usize = 8_192;

/// The size from which on mixing is written out.
const SMALL: usize = 8;

/// How often all dimensions are mixed; from two times on, a single one is spread evenly.
const ROUNDS: usize = 2;

/// Turns a vector of at most [`LONGEST`] dimensions; always in the same way.
///
/// Codes are kept in files, so this can never change.
pub(super) fn rotate(vector: &mut [f32]) {
    let Some(exponent) = vector.len().checked_ilog2() else { return };
    let width = 1 << exponent;
    let overhang = vector.len() - width;
    let mut signs = SIGNS.chunks_exact(LONGEST);
    for _ in 0..ROUNDS {
        // Both ends in turn, since only powers of two can be mixed at once.
        for (start, signs) in [0, overhang].into_iter().zip(&mut signs) {
            flip(vector, signs);
            mix(&mut vector[start..start + width]);
        }
    }
}

/// The sign bits to flip before each mixing (xorshift64).
static SIGNS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state >> 63 == 1 { 1 << 31 } else { 0 }
    };
    (0..2 * ROUNDS * LONGEST).map(next).collect()
});

fn flip(numbers: &mut [f32], signs: &[u32]) {
    for (number, sign) in numbers.iter_mut().zip(signs) {
        *number = f32::from_bits(number.to_bits() ^ sign);
    }
}

/// Applies the Walsh–Hadamard transform, scaled so that lengths stay.
fn mix(numbers: &mut [f32]) {
    let mut half = numbers.len() / 2;
    while half >= SMALL {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half /= 2;
    }
    let scale = 1.0 / (numbers.len() as f32).sqrt();
    for numbers in numbers.as_chunks_mut::<SMALL>().0 {
        // With lengths known to the compiler these take no longer than the larger ones.
        for half in [4, 2, 1] {
            for start in (0..SMALL).filter(|start| start & half == 0) {
                let (a, b) = (numbers[start], numbers[start + half]);
                (numbers[start], numbers[start + half]) = (a + b, a - b);
            }
        }
        *numbers = numbers.map(|number| number * scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn angles_stay_and_no_dimension_stands_out() {
        for dimensions in [8, 64, 300, 384, 768, 1_000, 4_096] {
            let mut first = vec![0.0; dimensions];
            first[dimensions / 3] = 1.0;
            let mut second = first.clone();
            second[dimensions - 1] = 2.0;
            let before = dot(&first, &second);
            rotate(&mut first);
            rotate(&mut second);
            assert!((dot(&first, &first) - 1.0).abs() < 1e-5);
            assert!((dot(&first, &second) - before).abs() < 1e-5);
            let highest = first.iter().fold(0.0_f32, |highest, x| highest.max(x.abs()));
            assert!(highest < 6.0 / (dimensions as f32).sqrt(), "{dimensions}: {highest}");
        }
    }

    #[test]
    fn codes_in_files_stay_readable() {
        let mut vector = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        rotate(&mut vector);
        let signs: String = vector.iter().map(|x| if *x < 0.0 { '-' } else { '+' }).collect();
        assert_eq!(signs, "-++-+++---");
    }
}
