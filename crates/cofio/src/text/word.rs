//! A folded word with what is known about it.

use super::{
    MAX_TERM,
    fold::fold_normalised,
    script::Script,
    stop_words::{Languages, letters_of, lower, stop_word_in},
};

/// A word ready to become terms.
#[derive(Debug)]
pub(super) struct Word {
    /// The folded spelling, never empty nor longer than a term.
    pub surface: String,
    pub script: Script,
    pub stop_word_in: Languages,
    pub letters_of: Languages,
    pub in_capitals: bool,
}

impl Word {
    /// Returns the word spelled `raw`, or nothing if folding leaves nothing of it.
    pub(super) fn new(raw: &str) -> Option<Self> {
        let surface = term(raw)?;
        let script = Script::of(&surface);
        let (stop_word_in, letters_of) = match script {
            // Accents tell "minä" (Finnish, I) from "mina" (Swedish, my).
            Script::Latin if !raw.is_ascii() => accented(&lower(truncated(raw))),
            _ => (stop_word_in(&surface), Languages::default()),
        };
        let in_capitals = raw.chars().nth(1).is_some() && raw.chars().all(char::is_uppercase);
        Some(Self { surface, script, stop_word_in, letters_of, in_capitals })
    }
}

fn accented(word: &str) -> (Languages, Languages) {
    (stop_word_in(word), letters_of(word))
}

/// Folds normalised text into a term, cut to its greatest length.
pub(super) fn term(raw: &str) -> Option<String> {
    let mut folded = fold_normalised(truncated(raw));
    folded.truncate(truncated(&folded).len());
    (!folded.is_empty()).then_some(folded)
}

/// Returns the longest start of `text` that fits a term.
pub(super) fn truncated(text: &str) -> &str {
    text.char_indices().nth(MAX_TERM).map_or(text, |(end, _)| &text[..end])
}
