//! Taking off shelves what the store has noted.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use super::Shelved;
use crate::error::Result;
use crate::model::{Identifier, MemoryId, Slot};
use crate::shelf::Shelf;

/// How many texts are taken off a shelf at a time.
const PIECE: usize = 500;

impl Shelved {
    /// Takes off the shelves what no memory names any more, and returns how many texts that were.
    ///
    /// What stands on a shelf that does not answer stays noted, and keeps none of the others
    /// waiting.
    pub async fn tidy(&self) -> Result<usize> {
        let mut removed = 0;
        for (name, shelf) in &self.shelves {
            loop {
                let piece = self.tidy_piece(name, &**shelf, |_| true).await?;
                removed += piece.removed;
                if !piece.more {
                    break;
                }
            }
        }
        Ok(removed)
    }

    /// Takes off, after a commit, what memories had that went with it, and what was left before on
    /// shelves that have answered.
    ///
    /// Nobody who writes waits for a shelf that has nothing to do with the commit, and for one that
    /// did not answer the last time, whoever tidies up later.
    pub(super) async fn tidy_after(
        &self,
        leaving: &HashSet<MemoryId>,
        answering: &HashSet<Identifier>,
    ) -> Result<()> {
        for (name, shelf) in &self.shelves {
            let answers = answering.contains(name);
            let wanted = match self.disorder.of_shelf(name) {
                Order::Tidy => !leaving.is_empty(),
                Order::Unknown => !leaving.is_empty() || answers,
                Order::Silent => answers,
            };
            // Behind a whole piece may be what goes now.
            let is_due = |noted: &[Slot]| {
                answers
                    || noted.len() == PIECE
                    || noted.iter().any(|slot| leaving.contains(&slot.id))
            };
            while wanted && self.tidy_piece(name, &**shelf, is_due).await?.more {}
        }
        Ok(())
    }

    /// Takes one piece of what is noted off a shelf, if it is due.
    async fn tidy_piece(
        &self,
        name: &Identifier,
        shelf: &dyn Shelf,
        is_due: impl Fn(&[Slot]) -> bool,
    ) -> Result<Piece> {
        let before = self.disorder.of_shelf(name);
        let noted = self.home.unshelved(name, PIECE).await?;
        let slots: Vec<Slot> = noted.iter().map(|one| one.slot.clone()).collect();
        if slots.is_empty() {
            self.disorder.found_tidy(name, before);
            return Ok(Piece::default());
        }
        if !is_due(&slots) {
            self.disorder.set(name, Order::Unknown);
            return Ok(Piece::default());
        }
        if shelf.remove(&slots).await.is_err() {
            self.disorder.set(name, Order::Silent);
            return Ok(Piece::default());
        }
        self.home.strike_off(&noted).await?;
        let more = noted.len() == PIECE;
        if more {
            self.disorder.set(name, Order::Unknown);
        } else {
            self.disorder.found_tidy(name, before);
        }
        Ok(Piece { removed: noted.len(), more })
    }
}

/// What was taken off a shelf at a time.
#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    removed: usize,
    /// Whether there may be more.
    more: bool,
}

/// What is known of the texts on a shelf that nobody has taken off.
///
/// What other processes note is theirs to take off; what they left is found at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// There are none.
    Tidy,
    /// There may be some.
    Unknown,
    /// There are some, and the shelf did not answer when they were to be taken off.
    Silent,
}

/// What is known of each shelf.
pub(super) struct Disorder(Mutex<HashMap<Identifier, Order>>);

impl Disorder {
    /// Knows nothing of some shelves.
    pub(super) fn of<'a>(shelves: impl Iterator<Item = &'a Identifier>) -> Self {
        Self(Mutex::new(shelves.map(|name| (name.clone(), Order::Unknown)).collect()))
    }

    fn of_shelf(&self, name: &Identifier) -> Order {
        self.known().get(name).copied().unwrap_or(Order::Unknown)
    }

    fn set(&self, name: &Identifier, order: Order) {
        self.known().insert(name.clone(), order);
    }

    /// Takes a shelf for tidy, unless somebody has found since that it is silent.
    fn found_tidy(&self, name: &Identifier, before: Order) {
        let mut known = self.known();
        if before == Order::Silent || known.get(name) != Some(&Order::Silent) {
            known.insert(name.clone(), Order::Tidy);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Identifier, Order>> {
        self.0.lock().expect("nothing panics while it holds the lock")
    }
}
