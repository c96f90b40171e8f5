//! How much a term tells about a passage: BM25 (Robertson and Zaragoza, 2009).

/// How soon a repeated term stops counting.
const SATURATION: f64 = 0.9;

/// How much a long passage is held back. Both are the choice of Anserini for short passages
/// (Yang et al., 2018).
const LENGTH_WEIGHT: f64 = 0.4;

/// Returns how much a term tells that `having` of `all` passages have: the rarer the more.
///
/// It is always something.
pub fn rarity(having: u64, all: u64) -> f64 {
    let lacking = all.saturating_sub(having) as f64;
    (1.0 + (lacking + 0.5) / (having as f64 + 0.5)).ln()
}

/// Returns how much of a term's rarity a passage gets that has it `count` times.
pub fn share(count: u32, length: u32, mean_length: f64) -> f64 {
    let count = f64::from(count);
    let relative_length = f64::from(length) / mean_length.max(1.0);
    let norm = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative_length);
    count * (SATURATION + 1.0) / (count + norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_tell_more_and_common_ones_something() {
        assert!(rarity(1, 100) > rarity(50, 100));
        assert!(rarity(100, 100) > 0.0);
        assert!(rarity(5, 3) > 0.0);
    }

    #[test]
    fn repetition_counts_less_and_less() {
        let at = |count| share(count, 10, 10.0);
        assert!((at(1) - 1.0).abs() < 1e-12);
        assert!(at(2) - at(1) > at(3) - at(2));
        assert!(share(1, 40, 10.0) < at(1));
    }
}
