//! The latest changes, as the server has told of them, for those who cannot wait for it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cofio::model::ChangeRecord;

/// How many changes are remembered.
const MOST: usize = 4_096;

/// For how long a server is believed to be there, and to have changed nothing that it has not told of.
pub(super) const BELIEVED: Duration = Duration::from_secs(5);

/// The latest changes, for as long as somebody listens.
#[derive(Debug, Default)]
pub(super) struct Heard {
    latest: Mutex<Option<Latest>>,
}

/// All changes after a place.
#[derive(Debug)]
struct Latest {
    /// When the server last said that it is there.
    confirmed: Instant,
    place: u64,
    changes: VecDeque<ChangeRecord>,
}

impl Heard {
    /// Returns the changes after a place; none if not all of them are known.
    pub(super) fn after(&self, place: u64) -> Option<Vec<ChangeRecord>> {
        let latest = self.latest();
        let latest = latest.as_ref().filter(|latest| latest.place <= place)?;
        // Where a network is cut nobody is told of it.
        if latest.confirmed.elapsed() > BELIEVED {
            return None;
        }
        let known = latest.changes.partition_point(|change| change.sequence <= place);
        Some(latest.changes.range(known..).cloned().collect())
    }

    /// Remembers changes from a place on.
    pub(super) fn begin(&self, place: u64) {
        let confirmed = Instant::now();
        *self.latest() = Some(Latest { confirmed, place, changes: VecDeque::new() });
    }

    /// Notes that the server is there.
    pub(super) fn confirm(&self) {
        if let Some(latest) = self.latest().as_mut() {
            latest.confirmed = Instant::now();
        }
    }

    /// Forgets everything, as nobody listens any more; returns whether anybody did.
    pub(super) fn end(&self) -> bool {
        self.latest().take().is_some()
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
