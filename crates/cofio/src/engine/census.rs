use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::Engine;
use crate::error::Result;
use crate::model::{Caller, Counts, Job, JobState, Kind, Layer, Right, Task, Timestamp};

/// How many jobs of each task are looked at, the latest first.
const JOBS: usize = 100;

/// How much a store holds, whoever it belongs to: counts, and nothing of anybody's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// How many memories there are on each layer, of each kind, whatever their state.
    pub entries: BTreeMap<(Layer, Kind), u64>,
    /// How many have no vector yet.
    pub pending_embeddings: u64,
    /// How the latest jobs of each task went, where there were any.
    pub tasks: BTreeMap<Task, TaskCensus>,
}

/// How the latest jobs of a task went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCensus {
    /// How far the last one is.
    pub state: JobState,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, if it has ended.
    pub duration: Option<SignedDuration>,
    /// How much it did.
    pub counts: Counts,
    /// How late the last one began that there was a time for.
    pub lag: Option<SignedDuration>,
    /// How many of the latest hundred are how far.
    pub states: Vec<(JobState, u64)>,
}

impl Engine {
    /// Counts everything that the store holds, for whoever may administer it.
    pub async fn census(&self, caller: &Caller) -> Result<Census> {
        caller.require(Right::Admin)?;
        let keeper = Caller::keeper(caller.actor().clone());
        let mut census = Census::default();
        for summary in self.store.scopes(keeper.access(), self.now()).await? {
            for &(kind, _, count) in &summary.counts {
                *census.entries.entry((summary.layer(), kind)).or_default() += count;
            }
            census.pending_embeddings += summary.pending_embeddings;
        }
        census.tasks = self.task_census().await?;
        Ok(census)
    }

    async fn task_census(&self) -> Result<BTreeMap<Task, TaskCensus>> {
        let mut tasks = BTreeMap::new();
        for &task in Task::ALL {
            let jobs = self.store.jobs(None, Some(task), JOBS).await?;
            tasks.extend(TaskCensus::of(&jobs, self.now()).map(|census| (task, census)));
        }
        Ok(tasks)
    }
}

impl TaskCensus {
    /// Sums up the jobs of a task, the latest first, as they are at a moment.
    fn of(jobs: &[Job], now: Timestamp) -> Option<Self> {
        let last = jobs.first()?;
        let count = |state: JobState| {
            let count = jobs.iter().filter(|job| job.state_at(now) == state).count();
            (state, count as u64)
        };
        let late = |job: &Job| job.due_at.map(|due| job.started_at.duration_since(due));
        Some(Self {
            state: last.state_at(now),
            started_at: last.started_at,
            duration: last.ended_at.map(|end| end.duration_since(last.started_at)),
            counts: last.counts,
            lag: jobs.iter().find_map(late),
            states: JobState::ALL.iter().copied().map(count).collect(),
        })
    }
}
