use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use sha2::{Digest as _, Sha256};

use super::{Identifier, PassageHash};
use crate::text;

/// Text that went through redaction.
///
/// Only redaction and the reading back of what was stored can make one, so a store, an embedder
/// or a log cannot be handed a secret by mistake.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct CleanText {
    text: String,
    standing: Option<Box<Standing>>,
}

/// Where a text stands that a store does not keep beside its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The shelf.
    pub shelf: Identifier,
    /// Tells the text from all others that the memory ever had.
    pub edition: u64,
    /// By which it is known that another text is the same.
    pub digest: [u8; 16],
    /// How many bytes it has.
    pub bytes: usize,
    /// The words that it writes with a capital letter, as [`text::fold`] makes them.
    pub capitals: BTreeSet<String>,
    /// Whether its vectors stand there too, and nowhere else.
    pub vectors: bool,
}

impl CleanText {
    /// Marks text that redaction has just passed.
    pub(crate) fn redacted(text: String) -> Self {
        Self::stored(text)
    }

    /// Returns the text after something else was taken out of it.
    pub(crate) fn sanitised(self, clean: impl FnOnce(&str) -> Cow<'_, str>) -> Self {
        match clean(&self.text) {
            Cow::Owned(cleaner) => Self::stored(cleaner),
            Cow::Borrowed(_) => self,
        }
    }

    /// Marks text that a store gives back.
    pub(crate) fn stored(text: String) -> Self {
        Self { text, standing: None }
    }

    /// Stands for a text that is on a shelf.
    pub(crate) fn elsewhere(standing: Standing) -> Self {
        Self { text: String::new(), standing: Some(Box::new(standing)) }
    }

    /// Returns the same text, which a store is not to keep beside its memory.
    pub(crate) fn standing_on(self, shelf: Identifier, edition: u64, vectors: bool) -> Self {
        let (digest, bytes) = (digest(&self.text), self.text.len());
        let capitals = self.capitals();
        let standing = Standing { shelf, edition, digest, bytes, capitals, vectors };
        Self { standing: Some(Box::new(standing)), ..self }
    }

    /// Returns what a store keeps beside its memory: nothing of a text that stands elsewhere.
    pub fn kept(&self) -> Cow<'_, Self> {
        match &self.standing {
            None => Cow::Borrowed(self),
            Some(standing) => Cow::Owned(Self::elsewhere((**standing).clone())),
        }
    }

    /// Returns where the text stands, unless a store keeps it beside its memory.
    pub fn standing(&self) -> Option<&Standing> {
        self.standing.as_deref()
    }

    /// Returns whether its vectors stand where it does, on a shelf.
    pub fn has_vectors_elsewhere(&self) -> bool {
        self.standing().is_some_and(|standing| standing.vectors)
    }

    /// Returns whether another text is the same, wherever the two stand.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let digest =
            |text: &Self| text.standing().map_or_else(|| digest(&text.text), |it| it.digest);
        match (&self.standing, &other.standing) {
            (None, None) => self.text == other.text,
            _ => digest(self) == digest(other),
        }
    }

    /// Returns how many bytes it has, wherever it stands.
    pub fn bytes(&self) -> usize {
        self.standing().map_or(self.text.len(), |standing| standing.bytes)
    }

    /// Returns whether it writes a word, given as [`text::fold`] makes it, with a capital letter.
    pub fn has_capital(&self, word: &str) -> bool {
        match self.standing() {
            Some(standing) => standing.capitals.contains(word),
            None => {
                words(&self.text).any(|written| is_capital(written) && text::fold(written) == word)
            }
        }
    }

    /// Returns the words that it writes with a capital letter, as [`text::fold`] makes them.
    pub(crate) fn capitals(&self) -> BTreeSet<String> {
        match self.standing() {
            Some(standing) => standing.capitals.clone(),
            None => words(&self.text).filter(|word| is_capital(word)).map(text::fold).collect(),
        }
    }

    /// Returns the hash by which a passage is known again.
    pub fn passage_hash(&self) -> PassageHash {
        digest(&self.text)
    }

    /// Returns the text; nothing if it stands elsewhere and nobody fetched it.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

fn digest(text: &str) -> [u8; 16] {
    let digest = Sha256::digest(text);
    std::array::from_fn(|index| digest[index])
}

/// Shows the size only: memories do not belong in logs.
impl fmt::Debug for CleanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CleanText({} bytes)", self.text.len())
    }
}
