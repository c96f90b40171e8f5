//! What is known of terms, in so many bytes.

use std::collections::HashMap;
use std::sync::Arc;

use super::Placed;

/// About how many bytes a term takes besides its letters and its places.
const ENTRY: usize = 96;

/// What was found out about terms; everything is dropped when it becomes too much.
#[derive(Debug, Default)]
pub(super) struct Lists {
    terms: HashMap<String, Known>,
    bytes: usize,
}

/// What is known of a term.
#[derive(Debug, Default, Clone)]
pub(super) struct Known {
    /// How many passages have it.
    pub(super) passages: Option<u64>,
    /// In which share of its memories it is capitalised.
    pub(super) capitalised: Option<f64>,
    /// Whether a name begins with it.
    pub(super) begins_name: Option<bool>,
    /// Where it stands.
    pub(super) places: Option<Arc<[Placed]>>,
}

impl Lists {
    /// Returns what is known of a term.
    pub(super) fn get(&self, term: &str) -> Option<&Known> {
        self.terms.get(term)
    }

    /// Adds to what is known of a term; of all terms, about `most` bytes are kept.
    pub(super) fn learn(&mut self, term: &str, most: usize, learn: impl FnOnce(&mut Known)) {
        if self.bytes > most {
            *self = Self::default();
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
}

impl Known {
    fn bytes(&self) -> usize {
        self.places.as_deref().map_or(0, size_of_val)
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
}
