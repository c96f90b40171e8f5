//! When the jobs in the background are due.
//!
//! A job has a line of cron, and is due if a moment of it has come since the job last ran. Whoever
//! slept through many moments runs once for all of them.
//!
//! The lines are read by a parser of our own. Of the crates for them, croner and jiff-cron bring
//! macros and parsers that everyone who embeds the library would compile, cron and saffron bring
//! chrono, and cronexpr turns on what jiff does by default and cannot look back, which is what tells
//! that a run was missed.

mod cron;
mod parse;
#[cfg(test)]
mod tests;
mod timetable;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};

use crate::model::Timestamp;

pub use cron::Cron;
pub use timetable::{DEFAULTS, Timetable};

/// When memories are enriched, unless something else is set.
pub const ENRICHMENT: &str = "0 2 * * *";

/// When memories are consolidated, unless something else is set.
pub const CONSOLIDATION: &str = "0 3 * * *";

/// When memories fade, unless something else is set.
pub const DECAY: &str = "0 4 * * *";

/// When memories are reflected on, unless something else is set.
pub const REFLECTION: &str = "0 3 * * sun";

/// When what has ended is swept, unless something else is set.
pub const CLEANUP: &str = "@hourly";

/// How far in the future a last run may lie and be believed, as clocks are put right by a little.
const SKEW: SignedDuration = SignedDuration::from_hours(1);

/// When one job on one machine runs.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// The moments it is planned for.
    pub cron: Cron,
    /// Where the clock hangs that they are read from.
    pub zone: TimeZone,
    /// How long after each moment it begins; see [`jitter`].
    pub delay: SignedDuration,
}

impl Schedule {
    /// Returns the run that is due, if one is; see [`due`].
    pub fn due(
        &self,
        last_run: Option<Timestamp>,
        since: Timestamp,
        now: Timestamp,
    ) -> Option<Due> {
        // A schedule that is delayed is the same schedule on a clock that is slow.
        let slow = |moment: Timestamp| moment.checked_sub(self.delay).unwrap_or(Timestamp::MIN);
        due(&self.cron, last_run.map(slow), since, slow(now), &self.zone)
    }

    /// Returns when it begins next, after this moment.
    pub fn next_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let slow = moment.checked_sub(self.delay).unwrap_or(Timestamp::MIN);
        self.cron.next_after(slow, &self.zone)?.checked_add(self.delay).ok()
    }
}

/// A run that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The moment it was planned for, the latest of all that were missed.
    pub planned_at: Timestamp,
    /// Whether it stands for earlier ones too, which were missed.
    pub catches_up: bool,
}

/// Returns the run that is due now, if one is.
///
/// `last_run` is when the job last began, and `since` when the schedule began to count: nothing is
/// due that was planned before. However many runs were missed, one is due. A last run that lies more
/// than an hour in the future was told by a clock that was wrong, and is not believed; so a clock that
/// jumps causes one run at most.
pub fn due(
    cron: &Cron,
    last_run: Option<Timestamp>,
    since: Timestamp,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<Due> {
    let planned_at = cron.last_until(now, zone)?;
    let last_run = last_run.filter(|last_run| last_run.duration_since(now) <= SKEW);
    let open =
        |moment: Timestamp| moment >= since && last_run.is_none_or(|last_run| last_run < moment);
    let just_before = planned_at.checked_sub(SignedDuration::from_nanos(1)).ok();
    let earlier = just_before.and_then(|moment| cron.last_until(moment, zone));
    open(planned_at).then(|| Due { planned_at, catches_up: earlier.is_some_and(open) })
}

/// Returns how long a job waits after the moment it is planned for, from zero to `at_most`.
///
/// The same seed waits equally long every time, and different seeds are spread evenly, so that many
/// machines do not run at the same second; a seed names the store and the job.
pub fn jitter(seed: &[u8], at_most: SignedDuration) -> SignedDuration {
    let hash = Sha256::digest(seed);
    let share = hash.iter().take(8).fold(0, |bits, &byte| bits << 8 | i128::from(byte));
    let choices = at_most.as_nanos().clamp(0, i64::MAX.into()) + 1;
    // The share counts in parts of 2^64, so that what comes of it is less than the number of choices.
    SignedDuration::from_nanos(i64::try_from((share * choices) >> 64).unwrap_or(0))
}
