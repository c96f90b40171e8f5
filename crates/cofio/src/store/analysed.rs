//! A memory as an index sees it: what every store that finds by words keeps of it.

use std::collections::BTreeMap;

use crate::model::Memory;
use crate::text;

/// A memory as an index sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct Analysed {
    /// Its passages, in order.
    pub passages: Vec<Passage>,
}

/// What a passage is found by.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    /// Its terms, with how often each stands in it.
    pub terms: BTreeMap<String, u8>,
    /// How many words with content it has; more than can be told apart count as the most.
    pub length: u8,
}

impl Analysed {
    /// Analyses a memory.
    pub(super) fn of(memory: &Memory) -> Self {
        let searchable = memory.searchable();
        let passages = text::passages(&searchable).into_iter().map(Passage::of).collect();
        Self { passages }
    }

    /// Returns how many words with content all passages have.
    pub(super) fn length(&self) -> u32 {
        self.passages.iter().map(|passage| u32::from(passage.length)).sum()
    }
}

impl Passage {
    fn of(text: &str) -> Self {
        let (all, length) = text::document(text);
        let mut terms: BTreeMap<String, u8> = BTreeMap::new();
        for term in all {
            let count = terms.entry(term).or_default();
            *count = count.saturating_add(1);
        }
        Self { terms, length: u8::try_from(length).unwrap_or(u8::MAX) }
    }
}

/// Tells whether a memory writes a word with a capital letter.
pub(super) fn is_capitalised(memory: &Memory, word: &str) -> bool {
    let written = memory.content.as_str().split(|c: char| !c.is_alphanumeric());
    let mut same = written.filter(|written| text::fold(written) == word);
    same.any(|written| written.starts_with(char::is_uppercase))
}
