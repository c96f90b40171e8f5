//! The function words and letters that tell languages apart.

use std::{collections::HashMap, sync::LazyLock};

use super::{fold::fold, language::Language};

/// A set of languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Languages(u32);

impl Languages {
    pub(super) fn contains(self, language: Language) -> bool {
        self.0 & Self::bit(language) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn insert(&mut self, language: Language) {
        self.0 |= Self::bit(language);
    }

    fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn bit(language: Language) -> u32 {
        1 << language as u32
    }
}

/// Returns the languages in which `word`, lowered or folded, is a stop word.
///
/// Folded, it may stand for several words; with its accents, only for itself.
pub(super) fn stop_word_in(word: &str) -> Languages {
    TABLE.words.get(word).copied().unwrap_or_default()
}

/// Returns whether a word in lower case is one that English sentences are joined with.
pub(crate) fn is_english_stop_word(word: &str) -> bool {
    stop_word_in(word).contains(Language::English)
}

/// Returns `word` in lower case with its accents.
pub(super) fn lower(word: &str) -> String {
    // The lower case of the Turkish İ is an i with a second dot.
    word.to_lowercase().replace('\u{307}', "")
}

/// Returns the languages that have all the foreign letters of a lower-case `word`.
pub(super) fn letters_of(word: &str) -> Languages {
    let foreign = word.chars().filter(|c| !c.is_ascii());
    let languages = foreign.filter_map(|c| TABLE.letters.get(&c).copied());
    languages.reduce(Languages::intersection).unwrap_or_default()
}

static TABLE: LazyLock<Table> = LazyLock::new(|| parse(include_str!("stop_words.txt")));

#[derive(Default)]
struct Table {
    words: HashMap<String, Languages>,
    letters: HashMap<char, Languages>,
}

fn parse(data: &str) -> Table {
    let mut table = Table::default();
    let mut language = Language::Other;
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            language = Language::named(name);
        } else if let Some(letters) = line.strip_prefix("letters ") {
            for letter in letters.chars() {
                table.letters.entry(letter).or_default().insert(language);
            }
        } else {
            for word in line.split_whitespace() {
                table.words.entry(fold(word)).or_default().insert(language);
                table.words.entry(lower(word)).or_default().insert(language);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, language: Language, expected: bool) {
        assert_eq!(stop_word_in(&fold(word)).contains(language), expected, "{word} {language:?}");
    }

    #[test]
    fn every_language_has_stop_words() {
        for language in Language::ALL {
            let count = TABLE.words.values().filter(|set| set.contains(language)).count();
            assert!(count >= 20, "{language:?} has {count}");
        }
    }

    #[test]
    fn words_belong_to_their_languages() {
        check("the", Language::English, true);
        check("don't", Language::English, true);
        check("für", Language::German, true);
        check("das", Language::German, true);
        check("das", Language::Portuguese, true);
        check("das", Language::English, false);
        check("ещё", Language::Russian, true);
        check("إلى", Language::Arabic, true);
    }

    #[test]
    fn stop_words_are_spelled_with_the_letters_of_their_language() {
        for (word, languages) in &TABLE.words {
            let letters = letters_of(word);
            let spelled =
                |&language: &Language| languages.contains(language) && letters.contains(language);
            assert!(letters.is_empty() || Language::ALL.iter().any(spelled), "{word}");
        }
    }

    #[test]
    fn accents_tell_words_apart() {
        assert!(stop_word_in("minä").contains(Language::Finnish));
        assert!(!stop_word_in("minä").contains(Language::Swedish));
        assert!(stop_word_in("mina").contains(Language::Finnish));
    }

    #[test]
    fn names_and_months_are_not_stop_words() {
        check("may", Language::English, false);
        check("will", Language::English, false);
    }
}
