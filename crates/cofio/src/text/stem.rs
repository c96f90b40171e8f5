//! Stems: what the forms of a word have in common.

use rust_stemmers::{Algorithm, Stemmer};

use super::{irregular, language::Language, word::truncated};

/// Returns the stem of a folded word, or nothing if it is the word itself.
///
/// Words with digits or punctuation are names of things and have no stem.
pub(super) fn stem(word: &str, language: Language) -> Option<String> {
    if !word.chars().all(char::is_alphabetic) && language != Language::Tamil {
        return None;
    }
    let snowball = |word| Some(Stemmer::create(algorithm(language)?).stem(word).into_owned());
    let stem = match language {
        Language::Greek => greek_stem(word).to_owned(),
        Language::English => snowball(irregular::base(word))?,
        _ => snowball(word)?,
    };
    let is_term = !stem.is_empty() && truncated(&stem) == stem;
    (is_term && stem != word).then_some(stem)
}

fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language {
        Language::English => Algorithm::English,
        Language::German => Algorithm::German,
        Language::French => Algorithm::French,
        Language::Spanish => Algorithm::Spanish,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Italian => Algorithm::Italian,
        Language::Dutch => Algorithm::Dutch,
        Language::Swedish => Algorithm::Swedish,
        Language::Norwegian => Algorithm::Norwegian,
        Language::Danish => Algorithm::Danish,
        Language::Finnish => Algorithm::Finnish,
        Language::Turkish => Algorithm::Turkish,
        Language::Romanian => Algorithm::Romanian,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Russian => Algorithm::Russian,
        Language::Arabic => Algorithm::Arabic,
        Language::Tamil => Algorithm::Tamil,
        Language::Greek | Language::Other => return None,
    })
}

/// Removes the longest common ending that leaves three letters.
///
/// The Greek stemmer of `rust-stemmers` 1.2 panics on some words ("ισαισα").
fn greek_stem(word: &str) -> &str {
    // Longest first; the final sigma is folded.
    const ENDINGS: [&str; 32] = [
        "ουμε", "ατων", "ατοσ", "ετε", "ουν", "ουσ", "εισ", "εων", "εωσ", "ατα", "αμε", "ανε",
        "ει", "εσ", "ασ", "ησ", "οσ", "ισ", "υσ", "ων", "ον", "ου", "οι", "αι", "ω", "α", "ε", "η",
        "ι", "ο", "υ", "σ",
    ];
    let stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
    stems.into_iter().find(|stem| stem.chars().nth(2).is_some()).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, words: &[&str], expected: &str) {
        for word in words {
            assert_eq!(stem(word, language).as_deref().unwrap_or(word), expected, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        check(Language::English, &["run", "runs", "running", "ran"], "run");
        check(Language::German, &["haus", "hauser", "hausern"], "haus");
        check(Language::Russian, &["книга", "книги", "книгу"], "книг");
        check(Language::Greek, &["βιβλιο", "βιβλια", "βιβλιου", "βιβλιων"], "βιβλι");
        check(Language::Greek, &["προβλημα", "προβληματα", "προβληματων"], "προβλημ");
        check(Language::Arabic, &["كتاب", "الكتاب"], "كتاب");
    }

    #[test]
    fn short_greek_words_keep_their_ending() {
        check(Language::Greek, &["γη"], "γη");
    }

    #[test]
    fn names_of_things_have_no_stem() {
        check(Language::English, &["sha256s"], "sha256s");
        check(Language::Other, &["running"], "running");
    }

    #[test]
    fn greek_words_that_break_the_snowball_stemmer_are_stemmed() {
        check(Language::Greek, &["ισαισα"], "ισαισ");
    }
}
