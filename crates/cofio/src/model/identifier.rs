use std::fmt;

use unicode_normalization::UnicodeNormalization;

use super::Layer;
use crate::error::{Error, Result};

/// The name of one agent, user, session, project, team, organisation or company.
///
/// Not empty, at most 256 bytes, in Unicode form C, without invisible characters or spaces around it.
/// Case matters; no character is a wildcard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identifier(String);

impl Identifier {
    /// The most bytes an identifier may have.
    pub const MAX_BYTES: usize = 256;

    /// Checks a name and brings it to Unicode form C.
    pub fn new(raw: &str) -> Result<Self> {
        let name: String = raw.nfc().collect();
        if name.is_empty() || name.trim() != name {
            return Err(Error::invalid("an identifier needs a character, and no space around it"));
        }
        if name.len() > Self::MAX_BYTES {
            let message = format!("an identifier has at most {} bytes", Self::MAX_BYTES);
            return Err(Error::invalid(message).with("bytes", name.len()));
        }
        if name.chars().any(is_invisible) {
            return Err(Error::invalid("an identifier has no control or invisible characters"));
        }
        Ok(Self(name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Returns whether a character is a control, or one that Unicode says to ignore when drawing.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The names at hand, at most one for each layer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Identifiers([Option<Identifier>; 7]);

impl Identifiers {
    /// Returns the same names with one set.
    #[must_use]
    pub fn with(mut self, layer: Layer, identifier: Identifier) -> Self {
        self.0[layer.index()] = Some(identifier);
        self
    }

    /// Returns the name for a layer.
    pub fn get(&self, layer: Layer) -> Option<&Identifier> {
        self.0[layer.index()].as_ref()
    }

    /// Returns the layers that these names open, the most specific first.
    pub fn layers(&self) -> impl Iterator<Item = Layer> + '_ {
        let complete =
            |layer: &Layer| layer.required().iter().all(|&name| self.get(name).is_some());
        Layer::ALL.iter().copied().filter(complete)
    }

    /// Returns the names that are set, with their layers.
    pub fn iter(&self) -> impl Iterator<Item = (Layer, &Identifier)> {
        Layer::ALL.iter().filter_map(|&layer| Some((layer, self.get(layer)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: Option<&str>) {
        let made = Identifier::new(raw).ok();
        assert_eq!(made.as_ref().map(Identifier::as_str), expected, "{raw:?}");
    }

    #[test]
    fn a_name_is_kept_as_written_in_form_c() {
        check("alice", Some("alice"));
        check("Alice", Some("Alice"));
        check("cafe\u{301}", Some("caf\u{e9}"));
        check("*", Some("*"));
        check("a b/c:d%", Some("a b/c:d%"));
    }

    #[test]
    fn a_name_that_looks_like_another_is_refused() {
        for raw in [
            "",
            " ",
            " alice",
            "alice\n",
            "al\u{200b}ice",
            "\u{202e}alice",
            "a\0b",
            "alice\u{fe0f}",
            "\u{3164}",
        ] {
            check(raw, None);
        }
        check(&"x".repeat(257), None);
    }
}
