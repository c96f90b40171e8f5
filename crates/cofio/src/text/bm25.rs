//! How much a term tells about a passage: BM25 (Robertson and Zaragoza, 2009).

/// Returns how much a term tells that `having` of `all` passages have: the rarer the more.
///
/// It is always something.
pub fn rarity(having: u64, all: u64) -> f64 {
    let lacking = all.saturating_sub(having) as f64;
    (1.0 + (lacking + 0.5) / (having as f64 + 0.5)).ln()
}

/// Returns how much of a term's rarity a passage gets that has it `count` times; the less the
/// `saturation`, the sooner repetition stops counting.
///
/// How long the passage is does not count: none is very long, and a short one is not more about a
/// word than another.
pub fn share(count: u32, saturation: f64) -> f64 {
    let count = f64::from(count);
    count * (saturation + 1.0) / (count + saturation)
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
        let share = |count| share(count, 0.9);
        assert!((share(1) - 1.0).abs() < 1e-12);
        assert!(share(2) - share(1) > share(3) - share(2));
    }
}
