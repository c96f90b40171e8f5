//! How everything is that memories are kept in.

use super::Engine;
use crate::model::Checkup;

impl Engine {
    /// Asks the store, and whatever else memories stand in, how it is.
    pub async fn health(&self) -> Vec<Checkup> {
        self.store.health(&|| self.clock.now()).await
    }
}
