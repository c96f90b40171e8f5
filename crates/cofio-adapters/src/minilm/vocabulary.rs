//! The words the model knows, by number.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use cofio::{Error, ErrorKind, Result};
use serde_json::Value;

use super::file::{BodyReader, BodyWriter};

/// The words the model knows; what continues a word begins with `##`.
pub(super) struct Vocabulary {
    ids: HashMap<Box<str>, u32>,
    /// The bytes of the longest word.
    pub longest: usize,
}

impl Vocabulary {
    fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let ids: HashMap<Box<str>, u32> = words.map(Box::from).zip(0..).collect();
        let longest = ids.keys().map(|word| word.len()).max().unwrap_or(0);
        Self { ids, longest }
    }

    /// Returns the number of a word.
    pub fn id(&self, word: &str) -> Option<u32> {
        self.ids.get(word).copied()
    }

    /// Returns how many words there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Reads the vocabulary of a downloaded model from `tokenizer.json` or `vocab.txt`.
    pub fn from_folder(folder: &Path) -> Result<Self> {
        let json = folder.join("tokenizer.json");
        if json.exists() {
            let unread = || format!("cannot read the vocabulary in {}", json.display());
            let text = fs::read_to_string(&json)
                .map_err(|error| Error::new(ErrorKind::Configuration, unread()).caused_by(error))?;
            let ids = ids_of(&text).ok_or_else(|| Error::new(ErrorKind::Damaged, unread()))?;
            return Ok(Self { longest: ids.keys().map(|word| word.len()).max().unwrap_or(0), ids });
        }
        let text = fs::read_to_string(folder.join("vocab.txt")).map_err(|error| {
            let message =
                format!("there is no tokenizer.json or vocab.txt in {}", folder.display());
            Error::new(ErrorKind::Configuration, message).caused_by(error)
        })?;
        Ok(Self::new(text.lines()))
    }

    pub fn write(&self, body: &mut BodyWriter) -> io::Result<()> {
        let mut words: Vec<_> = self.ids.iter().map(|(word, id)| (*id, &**word)).collect();
        words.sort_unstable();
        let words: Vec<_> = words.into_iter().map(|(_, word)| word).collect();
        let text = words.join("\n");
        body.bytes(&u32::try_from(text.len()).map_err(io::Error::other)?.to_le_bytes())?;
        body.bytes(text.as_bytes())
    }

    pub fn read(body: &mut BodyReader) -> io::Result<Self> {
        let mut length = [0; 4];
        length.copy_from_slice(&body.bytes(4)?);
        let length = u32::from_le_bytes(length) as usize;
        if length > 1 << 24 {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let text = String::from_utf8(body.bytes(length)?).map_err(io::Error::other)?;
        Ok(Self::new(text.split('\n')))
    }
}

/// Returns the vocabulary in a `tokenizer.json`, if its numbers go from zero without a gap.
fn ids_of(json: &str) -> Option<HashMap<Box<str>, u32>> {
    let json: Value = serde_json::from_str(json).ok()?;
    let words = json.get("model")?.get("vocab")?.as_object()?;
    let ids = words
        .iter()
        .map(|(word, id)| Some((Box::from(word.as_str()), u32::try_from(id.as_u64()?).ok()?)))
        .collect::<Option<HashMap<_, _>>>()?;
    let mut numbers: Vec<u32> = ids.values().copied().collect();
    numbers.sort_unstable();
    numbers.into_iter().eq(0..u32::try_from(ids.len()).ok()?).then_some(ids)
}
