//! Whether two texts say the same.

use std::collections::BTreeSet;

use cofio::text;

/// The share of words that two texts have in common when they say the same (Jaccard).
const SAME: f64 = 0.75;

/// The words of a text, without case and accents.
#[derive(Debug)]
pub(super) struct Words {
    in_order: Vec<String>,
    each_once: BTreeSet<String>,
}

impl Words {
    pub(super) fn of(content: &str) -> Self {
        let folded = text::fold(content);
        let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let in_order: Vec<String> = words.map(str::to_owned).collect();
        Self { each_once: in_order.iter().cloned().collect(), in_order }
    }
}

/// Returns whether two texts are the same but for case, accents and punctuation.
pub(super) fn are_the_same(one: &Words, other: &Words) -> bool {
    one.in_order == other.in_order
}

/// Returns whether two texts have enough words in common.
pub(super) fn say_the_same(one: &Words, other: &Words) -> bool {
    let common = one.each_once.intersection(&other.each_once).count();
    let all = one.each_once.len() + other.each_once.len() - common;
    all > 0 && common as f64 / all as f64 >= SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(one: &str, other: &str, expected: bool) {
        assert_eq!(say_the_same(&Words::of(one), &Words::of(other)), expected, "{one:?} {other:?}");
    }

    #[test]
    fn three_quarters_of_the_words_are_the_same_text() {
        check("Alice drinks tea", "alice drinks TEA.", true);
        check("Alice drinks black tea", "Alice drinks tea", true);
        check("Alice drinks tea", "Alice drinks coffee", false);
        check("Alice likes tea", "Alice does not like tea", false);
        check("", "", false);
    }

    #[test]
    fn the_order_of_words_makes_another_text() {
        let same = |one, other| are_the_same(&Words::of(one), &Words::of(other));
        assert!(same("Bob likes Zoë.", "bob likes ZOE"));
        assert!(!same("Bob likes Zoe", "Zoe likes Bob"));
    }
}
