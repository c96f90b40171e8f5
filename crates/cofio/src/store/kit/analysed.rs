//! A memory as an index sees it: what every store that finds by words keeps of it.

use std::collections::BTreeMap;

use crate::model::Memory;
use crate::text;

/// A memory as an index sees it.
#[derive(Debug, Clone, Default)]
pub struct Analysed {
    /// Its passages, in order.
    pub passages: Vec<Passage>,
    /// Whether it ends in a question mark.
    pub question: bool,
}

/// What a passage is found by.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its terms, with how often each stands in it.
    pub terms: BTreeMap<String, Count>,
    /// How many words with content it has.
    pub length: u32,
}

/// How often a term stands in a passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// Outside questions.
    pub told: u8,
    /// In questions.
    pub asked: u8,
}

impl Analysed {
    /// Analyses a memory.
    pub fn of(memory: &Memory) -> Self {
        let searchable = memory.searchable();
        let passages = text::passages(&searchable).into_iter().map(Passage::of).collect();
        Self { passages, question: memory.is_question() }
    }

    /// Returns how many words with content all passages have.
    pub fn length(&self) -> u32 {
        self.passages.iter().map(|passage| passage.length).sum()
    }
}

impl Passage {
    fn of(passage: &str) -> Self {
        let (asked, told): (Vec<&str>, Vec<&str>) =
            text::sentences(passage).partition(|sentence| text::is_question(sentence));
        let document = text::document(&[&told.join("\n"), &asked.join("\n")]);
        let mut terms: BTreeMap<String, Count> = BTreeMap::new();
        for (part, part_terms) in document.terms.into_iter().enumerate() {
            for term in part_terms {
                let count = terms.entry(term).or_default();
                let count = if part == 0 { &mut count.told } else { &mut count.asked };
                *count = count.saturating_add(1);
            }
        }
        Self { terms, length: u32::try_from(document.length).unwrap_or(u32::MAX) }
    }
}
