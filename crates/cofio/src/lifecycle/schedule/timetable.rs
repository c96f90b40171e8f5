use jiff::SignedDuration;
use jiff::tz::TimeZone;

use super::{Schedule, jitter};
use crate::error::Result;
use crate::model::Task;

/// How long after its moment a task begins at most.
const JITTER: SignedDuration = SignedDuration::from_mins(5);

/// The tasks that are done by themselves if nothing is set, and when, in the order in which they
/// build on each other.
pub const DEFAULTS: &[(Task, &str)] = &[
    (Task::Enrich, super::ENRICHMENT),
    (Task::Consolidate, super::CONSOLIDATION),
    (Task::Promote, "30 3 * * *"),
    (Task::Decay, super::DECAY),
    (Task::Reflect, super::REFLECTION),
    (Task::Expire, super::CLEANUP),
];

/// When which task is done by itself.
#[derive(Debug, Clone, Default)]
pub struct Timetable {
    entries: Vec<(Task, Schedule)>,
}

impl Timetable {
    /// Makes the timetable of a store: each task with its line of cron.
    ///
    /// `store` tells the store from others, which begin at other seconds.
    pub fn new<'a>(
        lines: impl IntoIterator<Item = (Task, &'a str)>,
        zone: &TimeZone,
        store: &str,
    ) -> Result<Self> {
        let entry = |(task, line): (Task, &str)| {
            let delay = jitter(format!("{store} {task}").as_bytes(), JITTER);
            Ok((task, Schedule { cron: line.parse()?, zone: zone.clone(), delay }))
        };
        Ok(Self { entries: lines.into_iter().map(entry).collect::<Result<_>>()? })
    }

    /// Returns each task with its schedule, in the order in which they are done.
    pub fn entries(&self) -> impl Iterator<Item = (Task, &Schedule)> {
        self.entries.iter().map(|(task, schedule)| (*task, schedule))
    }

    /// Returns whether a task is done by itself at all.
    pub fn has(&self, task: Task) -> bool {
        self.entries.iter().any(|(other, _)| *other == task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_lines_of_cron_and_stores_begin_at_other_seconds() {
        let table =
            |store: &str| Timetable::new(DEFAULTS.iter().copied(), &TimeZone::UTC, store).unwrap();
        let delays = |table: &Timetable| {
            table.entries().map(|(_, schedule)| schedule.delay).collect::<Vec<_>>()
        };
        assert_eq!(delays(&table("a")), delays(&table("a")));
        assert_ne!(delays(&table("a")), delays(&table("b")));
        assert!(delays(&table("a")).iter().all(|delay| *delay <= JITTER));
        assert!(table("a").has(Task::Decay) && !table("a").has(Task::Merge));
        assert!(Timetable::new([(Task::Decay, "never")], &TimeZone::UTC, "a").is_err());
    }
}
