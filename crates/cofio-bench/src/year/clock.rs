//! A clock that shows what it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::Clock;
use cofio::model::Timestamp;

/// A clock that stands still until it is set; its copies show the same.
#[derive(Debug, Clone)]
pub struct SetClock {
    microseconds: Arc<AtomicI64>,
}

impl SetClock {
    /// Makes a clock that shows a moment, to the microsecond.
    pub fn new(moment: Timestamp) -> Self {
        Self { microseconds: Arc::new(AtomicI64::new(moment.as_microsecond())) }
    }

    /// Shows another moment from now on, earlier or later.
    pub fn set(&self, moment: Timestamp) {
        self.microseconds.store(moment.as_microsecond(), Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        let microseconds = self.microseconds.load(Ordering::SeqCst);
        Timestamp::from_microsecond(microseconds).expect("the clock was set to a moment")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_copies_show_what_one_was_set_to() {
        let [first, second]: [Timestamp; 2] =
            ["2026-01-01T00:00:00.000001Z", "2025-06-01T12:00:00Z"].map(|at| at.parse().unwrap());
        let clock = SetClock::new(first);
        let copy = clock.clone();
        assert_eq!(copy.now(), first);
        clock.set(second);
        assert_eq!(copy.now(), second);
    }
}
