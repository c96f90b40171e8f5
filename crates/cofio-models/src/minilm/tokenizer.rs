//! Cuts text into the pieces of words the model knows, exactly as it was trained.
//!
//! This is BERT's uncased tokenizer as Hugging Face's `tokenizers` implements it: take out control
//! characters, put spaces around Chinese characters, take off accents, lower the case, split at
//! spaces and punctuation, then take the longest known piece again and again.

use std::path::Path;

use cofio::{Error, ErrorKind, Result};
use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use super::file;
use super::model::TOKENS;
use super::vocabulary::Vocabulary;

/// A word with more characters is unknown.
const LONGEST_WORD: usize = 100;

/// Cuts text into tokens.
pub struct Tokenizer {
    vocabulary: Vocabulary,
    unknown: u32,
    first: u32,
    last: u32,
    /// Tokens that a text can name.
    special: Vec<(&'static str, u32)>,
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer").finish_non_exhaustive()
    }
}

impl Tokenizer {
    /// Reads the vocabulary of a model file.
    pub fn open(path: &Path) -> Result<Self> {
        let (_, mut body) = file::open(path)?;
        let vocabulary =
            Vocabulary::read(&mut body).map_err(|error| file::damaged(path).caused_by(error))?;
        Self::new(vocabulary)
    }

    pub(super) fn new(vocabulary: Vocabulary) -> Result<Self> {
        let id = |name: &'static str| {
            let message = || format!("the model's vocabulary has no {name}");
            vocabulary.id(name).ok_or_else(|| Error::new(ErrorKind::Damaged, message()))
        };
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
        Ok(Self {
            unknown: id("[UNK]")?,
            first: id("[CLS]")?,
            last: id("[SEP]")?,
            special: special
                .into_iter()
                .map(|name| Ok((name, id(name)?)))
                .collect::<Result<_>>()?,
            vocabulary,
        })
    }

    /// Returns the tokens of a text, at most 256 with those that begin and end it.
    pub fn ids(&self, text: &str) -> Vec<u32> {
        let mut ids = vec![self.first];
        let mut rest = text;
        while let Some((before, id, after)) = self.split_at_special(rest) {
            self.push_words(before, &mut ids);
            ids.push(id);
            rest = after;
        }
        self.push_words(rest, &mut ids);
        ids.truncate(TOKENS - 1);
        ids.push(self.last);
        ids
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn split_at_special<'a>(&self, text: &'a str) -> Option<(&'a str, u32, &'a str)> {
        text.match_indices('[').find_map(|(start, _)| {
            let found = self.special.iter().find(|(name, _)| text[start..].starts_with(name));
            found.map(|(name, id)| (&text[..start], *id, &text[start + name.len()..]))
        })
    }

    fn push_words(&self, text: &str, ids: &mut Vec<u32>) {
        let text = normalised(text);
        for part in text.split_whitespace() {
            for word in part.split_inclusive(punctuation) {
                let end = word.trim_end_matches(punctuation).len();
                for word in [&word[..end], &word[end..]] {
                    self.push_pieces(word, ids);
                }
                if ids.len() >= TOKENS {
                    return;
                }
            }
        }
    }

    /// Takes the longest piece the vocabulary knows, again and again.
    fn push_pieces(&self, word: &str, ids: &mut Vec<u32>) {
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            ids.push(self.unknown);
            return;
        }
        let known = ids.len();
        let mut piece = String::with_capacity(word.len() + 2);
        let mut start = 0;
        while start < word.len() {
            let prefix = if start == 0 { "" } else { "##" };
            piece.clear();
            piece.push_str(prefix);
            piece.push_str(&word[start..]);
            let Some(id) = self.longest_prefix(&mut piece, prefix.len()) else {
                ids.truncate(known);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            start += piece.len() - prefix.len();
        }
    }

    /// Shortens a piece until the vocabulary knows it.
    fn longest_prefix(&self, piece: &mut String, shortest: usize) -> Option<u32> {
        while piece.len() > shortest {
            if piece.len() <= self.vocabulary.longest
                && let Some(id) = self.vocabulary.id(piece)
            {
                return Some(id);
            }
            piece.pop();
        }
        None
    }
}

fn normalised(text: &str) -> String {
    let mut clean = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if character.is_ascii_graphic() {
            clean.push(character.to_ascii_lowercase());
        } else if matches!(character, '\t' | '\n' | '\r') {
            clean.push(' ');
        } else if character == '\u{fffd}' || character.is_other() {
        } else if character.is_whitespace() {
            clean.push(' ');
        } else if chinese(character) {
            clean.extend([' ', character, ' ']);
        } else {
            clean.push(character);
        }
    }
    if clean.is_ascii() {
        return clean;
    }
    let bare = clean.nfd().filter(|character| !character.is_mark_nonspacing());
    bare.flat_map(char::to_lowercase).collect()
}

fn punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || !character.is_ascii() && character.is_punctuation()
}

/// The blocks of characters that are words by themselves, from BERT.
fn chinese(character: char) -> bool {
    matches!(character,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}
