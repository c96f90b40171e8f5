//! How many of how many.

use serde::Serialize;

/// How many of how many.
#[derive(Serialize, Default, Clone, Copy)]
pub struct Rate {
    pub found: usize,
    pub of: usize,
    pub ratio: f64,
}

impl Rate {
    /// Counts one more.
    pub fn count(&mut self, found: bool) {
        self.found += usize::from(found);
        self.of += 1;
        self.ratio = self.found as f64 / self.of as f64;
    }
}
