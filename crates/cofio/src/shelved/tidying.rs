//! Taking off shelves what the store has noted.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Shelved;
use crate::error::Result;
use crate::model::{Identifier, Slot};
use crate::shelf::Shelf;

/// How many texts are taken off a shelf at a time.
const PIECE: usize = 500;

impl Shelved {
    /// Takes off the shelves what no memory names any more, and returns how many texts that were.
    ///
    /// What stands on a shelf that does not answer stays noted, and keeps none of the others
    /// waiting.
    pub async fn tidy(&self) -> Result<usize> {
        let known = self.disorder.known();
        let (mut removed, mut is_all) = (0, true);
        for (name, shelf) in &self.shelves {
            let (count, is_empty) = self.tidy_one(name, &**shelf).await?;
            removed += count;
            is_all &= is_empty;
        }
        if is_all {
            self.disorder.end(known);
        }
        Ok(removed)
    }

    /// Returns how many texts were taken off a shelf, and whether that is all that was noted.
    async fn tidy_one(&self, name: &Identifier, shelf: &dyn Shelf) -> Result<(usize, bool)> {
        let mut removed = 0;
        loop {
            let noted = self.home.unshelved(name, PIECE).await?;
            let slots: Vec<Slot> = noted.iter().map(|one| one.slot.clone()).collect();
            if slots.is_empty() {
                return Ok((removed, true));
            }
            if shelf.remove(&slots).await.is_err() {
                return Ok((removed, false));
            }
            self.home.strike_off(&noted).await?;
            removed += noted.len();
        }
    }
}

/// Whether the store may have noted texts that nobody has taken off since.
///
/// What other processes note is theirs to take off; what they left is found at the start.
pub(super) struct Disorder {
    made: AtomicU64,
    ended: AtomicU64,
}

impl Default for Disorder {
    fn default() -> Self {
        Self { made: AtomicU64::new(1), ended: AtomicU64::new(0) }
    }
}

impl Disorder {
    /// Says that something may have been noted.
    pub(super) fn grow(&self) {
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_there(&self) -> bool {
        self.known() > self.ended.load(Ordering::Relaxed)
    }

    fn known(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Says that all is taken off that was noted up to a moment.
    fn end(&self, known: u64) {
        self.ended.fetch_max(known, Ordering::Relaxed);
    }
}
