//! Taking off shelves what the store has noted.

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
        let mut removed = 0;
        for (name, shelf) in &self.shelves {
            removed += self.tidy_one(name, &**shelf).await?;
        }
        Ok(removed)
    }

    async fn tidy_one(&self, name: &Identifier, shelf: &dyn Shelf) -> Result<usize> {
        let mut removed = 0;
        loop {
            let noted = self.home.unshelved(name, PIECE).await?;
            let slots: Vec<Slot> = noted.iter().map(|one| one.slot.clone()).collect();
            if slots.is_empty() || shelf.remove(&slots).await.is_err() {
                return Ok(removed);
            }
            self.home.strike_off(&noted).await?;
            removed += noted.len();
        }
    }
}
