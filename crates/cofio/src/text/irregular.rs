//! English words whose forms no rule joins: went, children.
//!
//! Only forms that mean nothing else are listed: "found" may be a foundation, "rose" a flower.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The first word of each line with its other forms.
const FORMS: &str = include_str!("irregular_english.txt");

static BASES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut bases = HashMap::new();
    for line in FORMS.lines() {
        let mut words = line.split(' ');
        if let Some(base) = words.next() {
            bases.extend(words.map(|form| (form, base)));
        }
    }
    bases
});

/// Returns the word that an English form belongs to, which is mostly the form itself.
pub(super) fn base(word: &str) -> &str {
    BASES.get(word).copied().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_lead_to_their_word_and_other_words_to_themselves() {
        assert_eq!(base("went"), "go");
        assert_eq!(base("children"), "child");
        assert_eq!(base("go"), "go");
        assert_eq!(base("rose"), "rose");
        assert!(BASES.values().all(|base| !BASES.contains_key(base)), "a base is no form");
    }
}
