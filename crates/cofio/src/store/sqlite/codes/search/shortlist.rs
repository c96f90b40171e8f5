//! The entries with the best estimates.

use std::cmp::Ordering;

use super::super::cache::Page;
use super::super::key::Key;
use crate::error::Result;

/// How many entries are compared at most: this many, and more per memory that is wanted.
const AT_LEAST: usize = 200;
const PER_MEMORY: usize = 24;

/// How many entries ahead the vector is asked for that is compared then.
const SOON: usize = 4;

/// Returns how many entries to keep for finding `limit` memories.
pub(super) fn capacity(limit: usize) -> usize {
    limit.saturating_mul(PER_MEMORY).saturating_add(AT_LEAST)
}

/// An entry that may be near.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) estimate: f32,
    pub(super) page: &'a Page,
    /// Its place on the page.
    pub(super) slot: usize,
}

impl Candidate<'_> {
    pub(super) fn key(&self) -> Key {
        self.page.codes.keys[self.slot]
    }
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.estimate.total_cmp(&other.estimate).then_with(|| other.key().cmp(&self.key()))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}

/// Keeps at least the best `capacity` entries that have a chance.
pub(super) struct Shortlist<'a> {
    capacity: usize,
    candidates: Vec<Candidate<'a>>,
    threshold: f32,
    has_all: bool,
}

impl<'a> Shortlist<'a> {
    pub(super) fn new(capacity: usize) -> Self {
        let threshold = f32::NEG_INFINITY;
        Self { capacity, candidates: Vec::new(), threshold, has_all: true }
    }

    /// Returns the estimate up to which entries have no chance any more.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Returns whether no entry was dropped only because there were too many.
    pub(super) fn has_all(&self) -> bool {
        self.has_all
    }

    /// Adds the entries of a page that have a chance and are admitted.
    pub(super) fn add(
        &mut self,
        page: &'a Page,
        estimates: impl Iterator<Item = f32>,
        admits: impl Fn(usize) -> bool,
    ) {
        for (slot, estimate) in estimates.enumerate() {
            if estimate > self.threshold && admits(slot) {
                self.candidates.push(Candidate { estimate, page, slot });
            }
        }
        if self.candidates.len() > 2 * self.capacity {
            let (_, last, _) =
                self.candidates.select_nth_unstable_by(self.capacity, |a, b| b.cmp(a));
            self.threshold = last.estimate;
            self.candidates.truncate(self.capacity);
            self.has_all = false;
        }
    }

    /// Drops the entries with estimates up to a threshold.
    pub(super) fn raise(&mut self, threshold: f32) {
        if threshold > self.threshold {
            self.threshold = threshold;
            self.candidates.retain(|candidate| candidate.estimate > threshold);
        }
    }

    /// Hands over entries, the best estimate first, until one is not wanted, but at most `most`.
    pub(super) fn hand_over(
        &mut self,
        most: usize,
        mut wants: impl FnMut(&Candidate<'a>) -> Result<bool>,
    ) -> Result<()> {
        if most < self.candidates.len() {
            self.candidates.select_nth_unstable_by(most, |a, b| b.cmp(a));
        }
        let best = self.candidates.len().min(most);
        let best = &mut self.candidates[..best];
        best.sort_unstable_by(|a, b| b.cmp(a));
        let mut handed_over = 0;
        for (place, candidate) in best.iter().enumerate() {
            if let Some(soon) = best.get(place + SOON) {
                soon.page.foresee_vector(soon.slot);
            }
            if !wants(candidate)? {
                break;
            }
            handed_over += 1;
        }
        self.candidates.drain(..handed_over);
        Ok(())
    }
}
