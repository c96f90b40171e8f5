//! The latest changes, as the server has told of them, for those who cannot wait for it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cofio::model::ChangeRecord;

/// How many changes are remembered.
const MOST: usize = 4_096;

/// The latest changes, for as long as somebody listens.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Whether anybody has ever asked.
    wanted: AtomicBool,
    latest: Mutex<Option<Latest>>,
}

/// All changes after a place.
#[derive(Debug)]
struct Latest {
    place: u64,
    changes: VecDeque<ChangeRecord>,
}

impl Heard {
    /// Returns the changes after a place; none if not all of them are known.
    pub(super) fn after(&self, place: u64) -> Option<Vec<ChangeRecord>> {
        self.wanted.store(true, Ordering::Relaxed);
        let latest = self.latest();
        let latest = latest.as_ref().filter(|latest| latest.place <= place)?;
        let known = latest.changes.partition_point(|change| change.sequence <= place);
        Some(latest.changes.range(known..).cloned().collect())
    }

    /// Remembers changes from a place on.
    pub(super) fn begin(&self, place: u64) {
        *self.latest() = Some(Latest { place, changes: VecDeque::new() });
    }

    /// Forgets everything, as nobody listens any more.
    pub(super) fn end(&self) {
        *self.latest() = None;
    }

    /// Returns the last place that is known, if anybody cares.
    pub(super) fn last(&self) -> Option<u64> {
        let latest = self.latest();
        let latest = latest.as_ref().filter(|_| self.wanted.load(Ordering::Relaxed))?;
        Some(latest.changes.back().map_or(latest.place, |change| change.sequence))
    }

    /// Adds the changes that follow.
    pub(super) fn hear(&self, changes: Vec<ChangeRecord>) {
        if let Some(latest) = self.latest().as_mut() {
            latest.changes.extend(changes);
            while latest.changes.len() > MOST {
                latest.place = latest.changes.pop_front().map_or(0, |change| change.sequence);
            }
        }
    }

    fn latest(&self) -> MutexGuard<'_, Option<Latest>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
