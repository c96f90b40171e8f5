use jiff::SignedDuration;

use super::{Assignment, Engine};
use crate::error::{Error, ErrorKind, Result};
use crate::lifecycle::promotion;
use crate::lifecycle::schedule::Timetable;
use crate::model::{Caller, Job, JobState, Right, Stage, Task, Timestamp, Trigger};
use crate::store::Entries;

/// How long nobody tries again by itself what went wrong.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);

impl Engine {
    /// Does what is due by a timetable, one task after the other, and returns the jobs.
    ///
    /// What was missed is caught up once. Any number of processes may ask at once: each run is
    /// made by one of them.
    pub async fn maintain_due(&self, caller: &Caller, timetable: &Timetable) -> Result<Vec<Job>> {
        for right in [Right::Read, Right::Write, Right::Delete] {
            caller.require(right)?;
        }
        let mut jobs = Vec::new();
        let Some(since) = self.first_moment().await? else { return Ok(jobs) };
        for (task, schedule) in timetable.entries() {
            let last = self.last_run(caller, task).await?.map(|job| job.started_at);
            let Some(due) = schedule.due(last, since, self.now()) else { continue };
            let due_at = Some(due.planned_at);
            let (only_over, trigger) = (true, Trigger::Schedule);
            let assignment = Assignment { only_over, trigger, due_at, ..Assignment::of(task) };
            jobs.extend(self.unless_busy(caller, &assignment).await?);
        }
        Ok(jobs)
    }

    /// Learns from the conversations that are over, if there are any.
    pub async fn maintain_conversations(&self, caller: &Caller) -> Result<Option<Job>> {
        caller.require(Right::Read)?;
        caller.require(Right::Write)?;
        let now = self.now();
        let waiting = self.store.waiting(caller.access(), Stage::Consolidated, now).await?;
        if promotion::over(waiting, now, self.config.sessions.idle).is_empty() {
            return Ok(None);
        }
        let last = self.last_run(caller, Task::Consolidate).await?;
        let lately = |job: &Job| now.duration_since(job.started_at) < PAUSE;
        if last.is_some_and(|job| job.state == JobState::Failed && lately(&job)) {
            return Ok(None);
        }
        let (only_over, trigger) = (true, Trigger::Session);
        let assignment = Assignment { only_over, trigger, ..Assignment::of(Task::Consolidate) };
        self.unless_busy(caller, &assignment).await
    }

    /// Does a task, unless another job is running or it was done meanwhile.
    async fn unless_busy(&self, caller: &Caller, assignment: &Assignment) -> Result<Option<Job>> {
        match self.maintain(caller, assignment, &|_, _| {}).await {
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
            job => job.map(Some),
        }
    }

    /// Refuses what was done since it was due.
    pub(super) async fn check_still_due(
        &self,
        caller: &Caller,
        assignment: &Assignment,
    ) -> Result<()> {
        let Some(due_at) = assignment.due_at else { return Ok(()) };
        let last = self.last_run(caller, assignment.task).await?;
        if last.is_some_and(|job| job.started_at >= due_at && job.started_at <= self.now()) {
            return Err(Error::new(ErrorKind::Conflict, "it was done by another process"));
        }
        Ok(())
    }

    /// Returns the caller's last job of a task, unless it was interrupted and has to be done again.
    ///
    /// Somebody else may open less, so what they had done is not done for everybody.
    async fn last_run(&self, caller: &Caller, task: Task) -> Result<Option<Job>> {
        let last = self.store.jobs(Some(caller.actor()), Some(task), 1).await?.into_iter().next();
        Ok(last.filter(|job| job.state_at(self.now()) != JobState::Interrupted))
    }

    /// Returns when something was first done to the store, if anything was.
    async fn first_moment(&self) -> Result<Option<Timestamp>> {
        let first = self.store.audit(None, Entries::After(0), 1).await?;
        Ok(first.first().map(|entry| entry.record.at))
    }
}
