//! The entries with the best estimates.

/// How many entries are compared at most: this many, and more per memory that is wanted.
const AT_LEAST: usize = 200;
const PER_MEMORY: usize = 24;

/// Returns how many entries to keep for finding `limit` memories.
pub(super) fn capacity(limit: usize) -> usize {
    limit.saturating_mul(PER_MEMORY).saturating_add(AT_LEAST)
}

/// An entry that may be near.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) estimate: f32,
    /// Its page's place in the population.
    pub(super) page: usize,
    /// Its place on the page.
    pub(super) slot: usize,
}

/// Keeps at least the best `capacity` entries.
pub(super) struct Shortlist {
    capacity: usize,
    candidates: Vec<Candidate>,
    threshold: f32,
}

impl Shortlist {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, candidates: Vec::new(), threshold: f32::NEG_INFINITY }
    }

    /// Returns the estimate up to which entries have no chance any more.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Returns whether nothing that was admitted had to be dropped.
    pub(super) fn has_all(&self) -> bool {
        self.threshold == f32::NEG_INFINITY
    }

    /// Adds the entries of a page that have a chance and are admitted.
    pub(super) fn add(
        &mut self,
        page: usize,
        estimates: impl Iterator<Item = f32>,
        admits: impl Fn(usize) -> bool,
    ) {
        for (slot, estimate) in estimates.enumerate() {
            if estimate > self.threshold && admits(slot) {
                self.candidates.push(Candidate { estimate, page, slot });
            }
        }
        if self.candidates.len() > 2 * self.capacity {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        let (_, last, _) = self
            .candidates
            .select_nth_unstable_by(self.capacity - 1, |a, b| b.estimate.total_cmp(&a.estimate));
        self.threshold = last.estimate;
        self.candidates.truncate(self.capacity);
    }

    /// Returns the entries, the best estimate first.
    pub(super) fn into_sorted(mut self) -> Vec<Candidate> {
        self.candidates.sort_unstable_by(|a, b| b.estimate.total_cmp(&a.estimate));
        self.candidates
    }
}
