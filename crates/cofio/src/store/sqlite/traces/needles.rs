//! Many texts looked for at once, whatever the case of their letters.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;

use crate::error::{Error, Result};

/// A word that is shorter is no sign of a text; so many bytes find the texts that begin with them.
const SHORTEST: usize = 6;

/// How much of a file is looked at in one go.
const PIECE: usize = 1 << 20;

/// How many bits tell at a glance that nothing begins with some bytes.
const GLANCE: u32 = 20;

/// Texts to look for.
#[derive(Debug, Clone, Default)]
pub(super) struct Needles {
    texts: BTreeSet<String>,
    /// The texts by how they begin.
    beginnings: HashMap<u64, Vec<String>>,
    /// Whether any text begins with bytes of some hash.
    glance: Vec<bool>,
}

impl Needles {
    /// Looks for each of some texts as it is; they must not be too short to be a sign.
    pub(super) fn new(texts: BTreeSet<String>) -> Result<Self> {
        let mut beginnings: HashMap<u64, Vec<String>> = HashMap::new();
        let mut glance = vec![false; if texts.is_empty() { 0 } else { 1 << GLANCE }];
        for text in &texts {
            let Some(beginning) = text.as_bytes().first_chunk::<SHORTEST>() else {
                return Err(Error::invalid("a text this short cannot be looked for"));
            };
            let key = beginning.iter().fold(0, |key, byte| push(key, *byte));
            glance[place(key)] = true;
            beginnings.entry(key).or_default().push(text.clone());
        }
        Ok(Self { texts, beginnings, glance })
    }

    /// Looks for texts by themselves, as documents write them, and by their longer words.
    pub(super) fn of_texts(texts: &[String]) -> Result<Self> {
        let mut all = BTreeSet::new();
        for text in texts.iter().map(|text| text.trim()) {
            let words = text.split(|c: char| !c.is_alphanumeric());
            all.extend(words.filter(|word| word.chars().count() >= SHORTEST).map(folded));
            if text.chars().count() >= SHORTEST {
                all.insert(folded(text));
                let written = serde_json::Value::from(text).to_string();
                all.insert(folded(written.trim_matches('"')));
            }
        }
        Self::new(all)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns which of them stand in some bytes.
    pub(super) fn found_in(&self, bytes: &[u8]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        if self.is_empty() {
            return found;
        }
        let mut key = 0;
        for (end, byte) in bytes.iter().enumerate() {
            key = push(key, *byte);
            if end + 1 < SHORTEST || !self.glance[place(key)] {
                continue;
            }
            let rest = &bytes[end + 1 - SHORTEST..];
            let stands = |text: &&String| {
                rest.get(..text.len())
                    .is_some_and(|part| part.eq_ignore_ascii_case(text.as_bytes()))
            };
            let candidates = self.beginnings.get(&key).into_iter().flatten();
            found.extend(candidates.filter(stands).cloned());
        }
        found
    }

    /// Returns which of them stand in a file or the like, of which little is in memory at a time.
    pub(super) fn found_by_reading(
        &self,
        mut reader: impl Read,
        mut progress: impl FnMut(u64),
    ) -> std::io::Result<BTreeSet<String>> {
        let overlap = self.texts.iter().map(String::len).max().unwrap_or(0);
        let mut found = BTreeSet::new();
        let mut buffer = Vec::new();
        loop {
            let kept = buffer.len().min(overlap);
            buffer.drain(..buffer.len() - kept);
            let read = reader.by_ref().take(PIECE as u64).read_to_end(&mut buffer)?;
            if read == 0 {
                return Ok(found);
            }
            found.extend(self.found_in(&buffer));
            progress(read as u64);
        }
    }

    /// Returns the same without some of them.
    pub(super) fn without(self, others: &BTreeSet<String>) -> Result<Self> {
        Self::new(self.texts.difference(others).cloned().collect())
    }
}

/// Returns a text as it is compared: case counts only outside of ASCII, as in the files.
fn folded(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// Returns the last bytes as one number, after one more byte.
fn push(key: u64, byte: u8) -> u64 {
    (key << 8 | u64::from(byte.to_ascii_lowercase())) & ((1 << (8 * SHORTEST)) - 1)
}

/// Returns where a beginning is seen at a glance.
fn place(key: u64) -> usize {
    // Fibonacci hashing: the upper bits of a product with the golden ratio are well mixed.
    usize::try_from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - GLANCE)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], bytes: &[u8], expected: usize) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let needles = Needles::of_texts(&texts).unwrap();
        assert_eq!(needles.found_in(bytes).len(), expected, "{texts:?}");
    }

    #[test]
    fn a_text_is_found_by_itself_and_by_its_longer_words_in_any_case() {
        check(&["the Quokka sings"], b"\xffTHE QUOKKA SINGS\0", 2);
        check(&["the Quokka sings"], b"only a quokka", 1);
        check(&["the cat is in"], b"a cat", 0);
        check(&["Grüße aus Wales"], "…Grüße…".as_bytes(), 0);
        check(&["Straßenbahn"], "Straßenbahn".as_bytes(), 1);
        check(&["two\nlines"], br#"{"content":"two\nlines"}"#, 1);
        check(&[], b"anything", 0);
    }

    #[test]
    fn what_stands_across_two_pieces_is_found() {
        let needles = Needles::of_texts(&["flamingoquokka".to_owned()]).unwrap();
        for shift in 0..16 {
            let mut bytes = vec![b'.'; PIECE - shift];
            bytes.extend(b"flamingoquokka");
            let found = needles.found_by_reading(bytes.as_slice(), |_| {}).unwrap();
            assert_eq!(found.len(), 1, "{shift}");
        }
    }
}
