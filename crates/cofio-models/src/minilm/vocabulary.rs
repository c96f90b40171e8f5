//! The words the model knows, by number.

use std::fs;
use std::io;
use std::path::Path;

use cofio::{Error, ErrorKind, Result};
use serde_json::Value;

use super::file::{BodyReader, BodyWriter};

/// Marks a place of the table that no word has.
const NOBODY: u32 = u32::MAX;

/// The words the model knows; what continues a word begins with `##`.
///
/// Whoever embeds a single question makes this first, so a word costs no allocation and a hash of a
/// few instructions.
pub(super) struct Vocabulary {
    /// The words, one on each line.
    text: String,
    /// Where in the text each word ends.
    ends: Vec<usize>,
    /// The numbers of the words, each at the place of its hash or at the next one that was free.
    table: Vec<u32>,
    /// The bytes of the longest word.
    pub longest: usize,
}

impl Vocabulary {
    /// Takes words, one on each line, in the order of their numbers.
    fn new(text: String) -> Self {
        let ends: Vec<usize> =
            text.match_indices('\n').map(|(end, _)| end).chain([text.len()]).collect();
        let table = vec![NOBODY; 2 * ends.len().next_power_of_two()];
        let mut vocabulary = Self { text, ends, table, longest: 0 };
        for id in 0..u32::try_from(vocabulary.len()).unwrap_or(NOBODY) {
            let word = vocabulary.word(id);
            let (length, place) = (word.len(), vocabulary.place(word));
            vocabulary.longest = vocabulary.longest.max(length);
            vocabulary.table[place] = id;
        }
        vocabulary
    }

    /// Returns the number of a word.
    pub fn id(&self, word: &str) -> Option<u32> {
        Some(self.table[self.place(word)]).filter(|id| *id != NOBODY)
    }

    /// Returns how many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn word(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] + 1 };
        &self.text[start..self.ends[id]]
    }

    /// Returns the place of a word in the table, or the free one where it would be.
    fn place(&self, word: &str) -> usize {
        // Half of the places are free, so there is always an end.
        let mut place = hash(word) % self.table.len();
        while self.table[place] != NOBODY && self.word(self.table[place]) != word {
            place = (place + 1) % self.table.len();
        }
        place
    }

    /// Reads the vocabulary of a downloaded model from `tokenizer.json` or `vocab.txt`.
    pub fn from_folder(folder: &Path) -> Result<Self> {
        let json = folder.join("tokenizer.json");
        if json.exists() {
            let unread = || format!("cannot read the vocabulary in {}", json.display());
            let text = fs::read_to_string(&json)
                .map_err(|error| Error::new(ErrorKind::Configuration, unread()).caused_by(error))?;
            let words = words_of(&text).ok_or_else(|| Error::new(ErrorKind::Damaged, unread()))?;
            return Ok(Self::new(words));
        }
        let text = fs::read_to_string(folder.join("vocab.txt")).map_err(|error| {
            let message =
                format!("there is no tokenizer.json or vocab.txt in {}", folder.display());
            Error::new(ErrorKind::Configuration, message).caused_by(error)
        })?;
        Ok(Self::new(text.lines().collect::<Vec<_>>().join("\n")))
    }

    pub fn write(&self, body: &mut BodyWriter) -> io::Result<()> {
        let length = u32::try_from(self.text.len()).map_err(io::Error::other)?;
        body.bytes(&length.to_le_bytes())?;
        body.bytes(self.text.as_bytes())
    }

    pub fn read(body: &mut BodyReader) -> io::Result<Self> {
        let mut length = [0; 4];
        length.copy_from_slice(&body.bytes(4)?);
        let length = u32::from_le_bytes(length) as usize;
        if length > 1 << 24 {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let text = String::from_utf8(body.bytes(length)?).map_err(io::Error::other)?;
        Ok(Self::new(text))
    }
}

/// Returns the words in a `tokenizer.json`, if their numbers go from zero without a gap.
fn words_of(json: &str) -> Option<String> {
    let json: Value = serde_json::from_str(json).ok()?;
    let words = json.get("model")?.get("vocab")?.as_object()?;
    let mut words: Vec<(u64, &str)> = words
        .iter()
        .map(|(word, id)| Some((id.as_u64()?, word.as_str())))
        .collect::<Option<_>>()?;
    words.sort_unstable();
    let has_gap = (0..).zip(&words).any(|(expected, (id, _))| *id != expected);
    let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
    (!has_gap).then(|| words.join("\n"))
}

/// Returns a number for a word, by the method of Fowler, Noll and Vo (1a, 64 bits).
fn hash(word: &str) -> usize {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    // The upper half is the better mixed one.
    usize::try_from(hash >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_its_number_on_the_list() {
        let words: Vec<String> = (0..1_000).map(|number| format!("##{number}")).collect();
        let vocabulary = Vocabulary::new(words.join("\n"));
        assert_eq!((vocabulary.len(), vocabulary.longest), (1_000, 5));
        for (id, word) in (0..).zip(&words) {
            assert_eq!(vocabulary.id(word), Some(id), "{word}");
        }
        for unknown in ["", "#", "##1000", "##0 ", "##0\n##1"] {
            assert_eq!(vocabulary.id(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn numbers_of_words_have_no_gap() {
        let json = |vocabulary: &str| format!(r#"{{"model": {{"vocab": {vocabulary}}}}}"#);
        let words = words_of(&json(r#"{"b": 1, "a": 0}"#));
        assert_eq!(words.as_deref(), Some("a\nb"));
        for wrong in [r#"{"b": 2, "a": 0}"#, r#"{"b": 0, "a": 0}"#, r#"{"a": -1}"#, "[]"] {
            assert_eq!(words_of(&json(wrong)), None, "{wrong}");
        }
    }
}
