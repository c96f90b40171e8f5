//! A rotation that spreads what a vector says evenly over its dimensions.
//!
//! The bits of a vector say the more the more even its dimensions are. Models are free to put
//! most of the length into a few of them; after this rotation none does.

/// How often all dimensions are mixed; from two times on, a single one is spread evenly.
const ROUNDS: usize = 2;

/// Turns a vector; always by the same angles for the same number of dimensions.
///
/// Codes are kept in files, so this can never change.
pub(super) fn rotate(vector: &mut [f32]) {
    let Some(exponent) = vector.len().checked_ilog2() else { return };
    let width = 1 << exponent;
    let overhang = vector.len() - width;
    let mut signs = Signs(0x9e37_79b9_7f4a_7c15);
    for _ in 0..ROUNDS {
        // Both ends in turn, since only powers of two can be mixed at once.
        for start in [0, overhang] {
            signs.flip(vector);
            mix(&mut vector[start..start + width]);
        }
    }
}

/// Applies the Walsh–Hadamard transform, scaled so that lengths stay.
fn mix(numbers: &mut [f32]) {
    let mut half = numbers.len() / 2;
    while half > 0 {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half /= 2;
    }
    let scale = 1.0 / (numbers.len() as f32).sqrt();
    for number in numbers {
        *number *= scale;
    }
}

/// A fixed sequence of signs (xorshift64).
struct Signs(u64);

impl Signs {
    fn flip(&mut self, vector: &mut [f32]) {
        for chunk in vector.chunks_mut(64) {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            for (position, number) in chunk.iter_mut().enumerate() {
                let sign = u32::from(self.0 >> position & 1 == 1) << 31;
                *number = f32::from_bits(number.to_bits() ^ sign);
            }
        }
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
        assert_eq!(signs, "-++-+++-++");
    }
}
