//! How everything is that memories are kept in.

use super::Engine;
use crate::model::PendingCheckup;

impl Engine {
    /// Returns the store, and whatever else memories stand in, each to be asked how it is.
    pub fn health(&self) -> Vec<PendingCheckup<'_>> {
        self.store.health(&*self.clock)
    }
}
