//! What is known of terms, in so many bytes.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::chunks::Chunks;
use crate::store::kit::{Analysed, Count};
use crate::store::sqlite::index::LONGEST_LIST;

/// About how many bytes a term takes besides its letters and its places.
const ENTRY: usize = 128;

/// What was found out about the terms of a scope.
///
/// It is shared by all states of the scope that differ only in how many memories were added: who
/// sees fewer of them leaves out the ends of the lists.
#[derive(Debug, Default)]
pub(super) struct Lists {
    terms: HashMap<String, Known>,
    bytes: usize,
    /// How many records everything here accounts for.
    pub(super) records: usize,
}

/// What is known of a term.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// How many passages have it.
    pub(super) passages: Option<u64>,
    pub(super) capitalised: Option<Capitalised>,
    /// Whether a name begins with it.
    pub(super) begins_name: Option<bool>,
    /// Where it stands.
    pub(super) places: Option<Arc<Chunks<Placed>>>,
    /// Whether it was asked for again since unused terms were dropped.
    used: bool,
}

/// In which share of some of its memories a term is capitalised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capitalised {
    pub(super) sample: Sample,
    pub(super) share: f64,
}

/// Which of some memories are looked at: every so many, from the first on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Sample {
    pub(in super::super) step: usize,
    pub(in super::super) count: usize,
}

/// That a term stands in a passage of the memory at a place in the records.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Placed {
    pub(in super::super) place: u32,
    pub(in super::super) count: Count,
}

impl Sample {
    /// Chooses up to `most` of so many memories.
    ///
    /// Steps double, so that a few more memories mostly leave the sample as it is.
    pub(in super::super) fn of(memories: usize, most: usize) -> Self {
        let step = memories.div_ceil(most).next_power_of_two();
        Self { step, count: memories.div_ceil(step) }
    }
}

impl Lists {
    /// Begins with nothing known of so many records.
    pub(super) fn of(records: usize) -> Self {
        Self { records, ..Self::default() }
    }

    /// Returns what is known of a term.
    pub(super) fn get(&mut self, term: &str) -> Option<&Known> {
        let known = self.terms.get_mut(term)?;
        known.used = true;
        Some(known)
    }

    /// Adds to what is known of a term; of all terms, about `most` bytes are kept.
    pub(super) fn learn(&mut self, term: &str, most: usize, learn: impl FnOnce(&mut Known)) {
        if self.bytes > most {
            self.drop_unused(most);
        }
        if !self.terms.contains_key(term) {
            self.bytes += ENTRY + term.len();
            self.terms.insert(term.to_owned(), Known::default());
        }
        let Some(known) = self.terms.get_mut(term) else { return };
        let before = known.bytes();
        learn(known);
        self.bytes = self.bytes + known.bytes() - before;
    }

    /// Drops what was not asked for since the last time, and everything if that is not much.
    fn drop_unused(&mut self, most: usize) {
        self.terms.retain(|_, known| mem::take(&mut known.used));
        self.bytes =
            self.terms.iter().map(|(term, known)| ENTRY + term.len() + known.bytes()).sum();
        if self.bytes > most / 2 {
            *self = Self::of(self.records);
        }
    }

    /// Accounts for a memory that was added after all others; `names` are how its entities are
    /// compared.
    pub(super) fn add<'a>(&mut self, analysed: &Analysed, names: impl Iterator<Item = &'a str>) {
        let place = u32::try_from(self.records).unwrap_or(u32::MAX);
        for (term, &count) in analysed.passages.iter().flat_map(|passage| &passage.terms) {
            let Some(known) = self.terms.get_mut(term) else { continue };
            known.passages = known.passages.map(|passages| passages + 1);
            if let Some(places) = known.places.as_mut().filter(|places| places.len() < LONGEST_LIST)
            {
                Arc::make_mut(places).push(Placed { place, count });
                self.bytes += size_of::<Placed>();
            }
        }
        for name in names {
            // What begins a name ends at a blank, as the store compares them.
            let first = name.split(|c| c < '!').next().unwrap_or_default();
            if let Some(known) = self.terms.get_mut(first) {
                known.begins_name = Some(true);
            }
        }
        self.records += 1;
    }
}

impl Known {
    fn bytes(&self) -> usize {
        self.places.as_ref().map_or(0, |places| places.len() * size_of::<Placed>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_nobody_has_do_not_fill_the_memory() {
        let mut lists = Lists::default();
        for number in 0..10_000 {
            lists.learn(&format!("word{number}"), 10_000, |known| known.passages = Some(0));
        }
        assert!(lists.terms.len() < 100 && lists.bytes < 10_000 + 2 * ENTRY);
        assert_eq!(lists.get("word9999").and_then(|known| known.passages), Some(0));
    }

    #[test]
    fn words_that_are_asked_for_stay() {
        let mut lists = Lists::default();
        for number in 0..10_000 {
            lists.learn(&format!("word{number}"), 10_000, |known| known.passages = Some(0));
            assert!(number == 0 || lists.get("word0").is_some(), "dropped after {number}");
        }
    }
}
