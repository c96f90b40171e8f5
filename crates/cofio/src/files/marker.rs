//! The comment that says which memory an entry is.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::lines::is_space;
use crate::model::MemoryId;

/// Which memory an entry is, with what its text does not say of it.
///
/// Written as `<!-- cofio:ID name=value … -->`. Attributes that nobody knows are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The memory.
    pub id: MemoryId,
    attributes: BTreeMap<String, String>,
}

impl Marker {
    /// Makes a marker without attributes.
    pub fn new(id: MemoryId) -> Self {
        Self { id, attributes: BTreeMap::new() }
    }

    /// Returns the same marker with an attribute; without a name, it is none.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        if !name.is_empty() {
            self.attributes.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Returns the same marker without an attribute.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.attributes.remove(name);
        self
    }

    /// Returns the value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Returns all attributes by name.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Reads a marker that is all there is in a text, spaces aside.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let inside = text.trim_matches(is_space).strip_prefix("<!--")?.strip_suffix("-->")?;
        let words = inside.trim_matches(is_space).strip_prefix("cofio:")?;
        let mut words = words.split(is_space).filter(|word| !word.is_empty());
        let mut marker = Self::new(words.next()?.parse().ok()?);
        for word in words {
            let (name, value) = word.split_once('=')?;
            let (name, value) = (decoded(name)?, decoded(value)?);
            if name.is_empty() || marker.attributes.insert(name, value).is_some() {
                return None;
            }
        }
        Some(marker)
    }

    /// Separates the text of a line from the marker at its end and the one space before it.
    pub(super) fn at_end(line: &str) -> (&str, Option<Self>) {
        let marked = line.trim_end_matches(is_space).ends_with("-->");
        let Some(start) = line.rfind("<!--").filter(|_| marked) else { return (line, None) };
        match Self::parse(&line[start..]) {
            None => (line, None),
            marker => (line[..start].strip_suffix(is_space).unwrap_or(&line[..start]), marker),
        }
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- cofio:{}", self.id)?;
        for (name, value) in &self.attributes {
            write!(f, " {}={}", encoded(name), encoded(value))?;
        }
        f.write_str(" -->")
    }
}

/// Writes a value so that it is one word, and ends no comment.
fn encoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        let dashes = c == '-' && out.ends_with('-');
        if dashes || matches!(c, '%' | '<' | '>' | '=') || c.is_whitespace() || c.is_control() {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Reads what [`encoded`] wrote.
fn decoded(word: &str) -> Option<String> {
    let mut pieces = word.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let digits =
            piece.get(..2).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}
