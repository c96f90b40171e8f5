//! What is done in the background, and when it is due.

use anyhow::Result;
use cofio::Engine;
use cofio::engine::{Sweep, Swept};
use cofio::lifecycle::schedule::{CLEANUP, CONSOLIDATION, DECAY, ENRICHMENT, REFLECTION, Schedule};
use cofio::model::{Caller, Timestamp};
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use pollster::block_on;

/// Something that is done in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    Enrichment,
    Consolidation,
    Decay,
    Reflection,
    Cleanup,
}

/// All jobs with their schedules, since a moment.
pub struct Jobs {
    since: Timestamp,
    jobs: Vec<(Job, Schedule, Option<Timestamp>)>,
}

impl Jobs {
    /// Begins to count, with the schedules that hold unless others are set.
    pub fn since(since: Timestamp) -> Result<Self> {
        let planned = [
            (Job::Enrichment, ENRICHMENT),
            (Job::Consolidation, CONSOLIDATION),
            (Job::Decay, DECAY),
            (Job::Reflection, REFLECTION),
            (Job::Cleanup, CLEANUP),
        ];
        let schedule = |(job, line): (Job, &str)| -> Result<_> {
            let (zone, delay) = (TimeZone::UTC, SignedDuration::ZERO);
            Ok((job, Schedule { cron: line.parse()?, zone, delay }, None))
        };
        Ok(Self { since, jobs: planned.into_iter().map(schedule).collect::<Result<_>>()? })
    }

    /// Returns the jobs that are due, which count as begun.
    pub fn take_due(&mut self, now: Timestamp) -> Vec<Job> {
        let mut due = Vec::new();
        for (job, schedule, last_run) in &mut self.jobs {
            if schedule.due(*last_run, self.since, now).is_some() {
                *last_run = Some(now);
                due.push(*job);
            }
        }
        due
    }
}

/// What a job did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// How many memories had ended and are gone.
    pub expired: usize,
    /// How many were kept although they had ended, since they were too many at once.
    pub held: usize,
}

/// Does a job on the whole store; the engine has a verb for cleaning up alone.
pub fn maintain(engine: &Engine, keeper: &Caller, job: Job) -> Result<Done> {
    match job {
        Job::Enrichment | Job::Consolidation | Job::Decay | Job::Reflection => Ok(Done::default()),
        Job::Cleanup => Ok(match block_on(engine.sweep(keeper, &Sweep::default()))? {
            Swept::Removed(expired) => Done { expired, held: 0 },
            Swept::Held { count, .. } => Done { expired: 0, held: count },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_week_each_job_runs_as_often_as_it_should() {
        // A Thursday.
        let begin: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut jobs = Jobs::since(begin).unwrap();
        let hours = (0..7 * 24).map(|hour| begin + SignedDuration::from_hours(hour));
        let runs: Vec<Job> = hours.flat_map(|now| jobs.take_due(now)).collect();
        let count = |job| runs.iter().filter(|run| **run == job).count();
        let all = [Job::Enrichment, Job::Consolidation, Job::Decay, Job::Reflection, Job::Cleanup];
        assert_eq!(all.map(count), [7, 7, 7, 1, 7 * 24]);
    }
}
