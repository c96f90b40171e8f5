use std::collections::BTreeMap;

use super::Engine;
use super::maintain::{count, described};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest;
use crate::lifecycle::plan::{Plan, Step};
use crate::model::{
    Caller, Change, ChangeKind, ChangeRecord, Counts, Job, JobId, JobState, Memory, MemoryId,
    Right, Stage, Task, Timestamp, Work,
};

/// How a job is taken back.
#[derive(Debug, Clone, Copy, Default)]
pub struct Undoing {
    /// Whether what somebody changed since is left as it is, in place of refusing everything.
    pub skip_changed: bool,
    /// Whether the next job looks again at what this one looked at, and may do the same.
    pub again: bool,
}

/// A job that was taken back.
#[derive(Debug, Clone)]
pub struct Undone {
    /// The job that took it back.
    pub job: Job,
    /// What was changed since and stays as it is.
    pub skipped: Vec<MemoryId>,
}

/// What a job left behind of one memory.
struct Left {
    /// The version before the job, if there was one.
    before: Option<u64>,
    /// The version after it.
    after: u64,
    /// Whether nobody else changed it while the job went on.
    alone: bool,
}

impl Left {
    /// Returns whether a memory is as the job left it; what was changed and taken back since is.
    fn is_still(&self, memory: &Memory, history: &[Memory]) -> bool {
        let then = history.iter().find(|earlier| earlier.version == self.after);
        let same = then.is_some_and(|then| {
            let Memory { updated_at, accesses, version, .. } = *then;
            let embedding = then.embedding.clone();
            *then == Memory { updated_at, accesses, version, embedding, ..memory.clone() }
        });
        self.alone && (memory.version == self.after || same)
    }
}

impl Engine {
    /// Takes back everything that a job changed, in one commit.
    ///
    /// What it added is forgotten, and what it changed is as it was before, under a new version: a
    /// number that somebody has seen never means another text. Fails with `Conflict` if somebody
    /// changed any of it since, or concluded something from what it added, and with `Unauthorized`
    /// if not all of it is open to the caller. What has ended and was removed is gone, so the task
    /// that does so cannot be taken back. The next job does none of it again, unless that is asked for
    /// or a memory was changed since.
    pub async fn undo(&self, caller: &Caller, id: &JobId, undoing: Undoing) -> Result<Undone> {
        let undo = async {
            caller.require(Right::Write)?;
            caller.require(Right::Delete)?;
            let undone = self.load_job(caller, id).await?;
            check_undoable(&undone)?;
            let (plan, skipped) = self.plan_undo(caller, id, undoing).await?;
            let job = self.take_back(caller, undone, plan, undoing).await?;
            Ok(Undone { job, skipped })
        };
        undo.await.map_err(|error: Error| error.during("undo"))
    }

    /// Returns what taking back a job would change, and what would be skipped.
    pub async fn would_undo(
        &self,
        caller: &Caller,
        id: &JobId,
        undoing: Undoing,
    ) -> Result<(Plan, Vec<MemoryId>)> {
        let rehearse = async {
            check_undoable(&self.load_job(caller, id).await?)?;
            self.plan_undo(caller, id, undoing).await
        };
        rehearse.await.map_err(|error: Error| error.during("undo"))
    }

    async fn plan_undo(
        &self,
        caller: &Caller,
        id: &JobId,
        undoing: Undoing,
    ) -> Result<(Plan, Vec<MemoryId>)> {
        let changes = self.store.changes_of(caller.access(), id).await?;
        self.check_whole(caller, id, changes.len()).await?;
        let left = left_behind(changes);
        let ids: Vec<MemoryId> = left.keys().cloned().collect();
        // What was forgotten since is gone, and stays so.
        let memories = self.store.get(caller.access(), &ids).await?;
        let (mut plan, mut skipped, now) = (Plan::default(), Vec::new(), self.now());
        for memory in memories {
            let left = &left[&memory.id];
            plan.looked_at += 1;
            let history = self.store.history(caller.access(), &memory.id).await?;
            if left.is_still(&memory, &history) {
                plan.steps.push(restored(memory, left.before, history, now)?);
            } else if undoing.skip_changed {
                skipped.push(memory.id);
            } else {
                return Err(changed_since(&memory.id));
            }
        }
        keep_ended(&mut plan, &mut skipped);
        self.check_conclusions(caller, &plan, &left).await?;
        Ok((plan, skipped))
    }

    /// Refuses to take back a part of a job, as nobody could take back the rest.
    async fn check_whole(&self, caller: &Caller, id: &JobId, open: usize) -> Result<()> {
        let keeper = Caller::keeper(caller.actor().clone());
        if self.store.changes_of(keeper.access(), id).await?.len() == open {
            return Ok(());
        }
        let message = format!("{id} changed memories that are not open to this caller");
        Err(Error::new(ErrorKind::Unauthorized, message))
    }

    /// Refuses to forget what something else was concluded from.
    async fn check_conclusions(
        &self,
        caller: &Caller,
        plan: &Plan,
        left: &BTreeMap<MemoryId, Left>,
    ) -> Result<()> {
        let forgotten = plan.steps.iter().filter(|step| step.after().is_none());
        let forgotten: Vec<MemoryId> = forgotten.map(|step| step.id().clone()).collect();
        let concluded = self.store.derived(caller.access(), &forgotten).await?;
        match concluded.iter().find(|(id, _)| !left.contains_key(id)) {
            Some((id, _)) => {
                let message =
                    format!("{id} was concluded from what the job added: forget it first");
                Err(Error::new(ErrorKind::Conflict, message).with("id", id.as_str()))
            }
            None => Ok(()),
        }
    }

    /// Commits what takes back a job, with both jobs as they are afterwards.
    async fn take_back(
        &self,
        caller: &Caller,
        undone: Job,
        plan: Plan,
        undoing: Undoing,
    ) -> Result<Job> {
        let now = self.now();
        let mut counts = Counts::default();
        count(&mut counts, &plan);
        let job = Job {
            undoes: Some(undone.id.clone()),
            ..self.done_by_hand(caller, Task::Undo, counts, now)
        };
        let again = undoing.again.then(|| undone.id.clone());
        let spared = Stage::after_undoing(undone.task).filter(|_| !undoing.again);
        let changed = plan.steps.iter().filter(|step| step.after().is_some());
        let through = spared
            .into_iter()
            .flat_map(|stage| changed.clone().map(move |step| (step.id().clone(), stage)));
        let through = through.collect();
        let undone = Job { state: JobState::Undone, undone_by: Some(job.id.clone()), ..undone };
        let audit = vec![described(&job, &plan).with("undoes", undone.id.as_str())];
        let changes = in_order(plan).into_iter().map(|step| step.change).collect();
        let work = Work { other: Some(undone), through, again, ..Work::on(job.clone()) };
        self.commit_work(caller, now, changes, audit, work).await?;
        self.announce();
        Ok(job)
    }
}

/// Returns the step that makes a memory what it was, or that forgets it if it was not.
fn restored(
    memory: Memory,
    before: Option<u64>,
    history: Vec<Memory>,
    now: Timestamp,
) -> Result<Step> {
    let Some(before) = before else {
        let (id, scope, version) = (memory.id.clone(), memory.scope.clone(), Some(memory.version));
        let change = Change::Forget { id, scope, version };
        return Ok(Step { change, before: Some(memory), why: "the job added it" });
    };
    let earlier = history.into_iter().find(|version| version.version == before);
    let earlier = earlier.ok_or_else(|| changed_since(&memory.id))?;
    let after = Memory { version: memory.version + 1, updated_at: now, ..earlier };
    let identity = ingest::identity_of(&after);
    Ok(Step::update(memory, after, identity, "the job changed it"))
}

/// Leaves ended what the job ended where that which took its place is skipped.
fn keep_ended(plan: &mut Plan, skipped: &mut Vec<MemoryId>) {
    loop {
        let stays = |step: &Step| {
            let by = step.before.as_ref().and_then(|now| now.provenance.superseded_by.as_ref());
            by.is_some_and(|by| skipped.contains(by))
        };
        let (kept, rest): (Vec<Step>, Vec<Step>) = plan.steps.drain(..).partition(stays);
        plan.steps = rest;
        if kept.is_empty() {
            return;
        }
        skipped.extend(kept.iter().map(|step| step.id().clone()));
    }
}

/// Puts what is forgotten first, so that what comes back may have what it had in common with it.
fn in_order(plan: Plan) -> Vec<Step> {
    let (gone, changed): (Vec<Step>, Vec<Step>) =
        plan.steps.into_iter().partition(|step| step.after().is_none());
    gone.into_iter().chain(changed).collect()
}

fn check_undoable(job: &Job) -> Result<()> {
    let refuse = |why: &str| Err(Error::new(ErrorKind::Conflict, format!("{} {why}", job.id)));
    match (job.state, job.task) {
        (JobState::Undone, _) => refuse("was taken back already"),
        (JobState::Running, _) => refuse("is running; wait until it has ended"),
        (_, Task::Expire) => refuse("removed what had ended, which is gone"),
        (_, Task::Undo) => refuse("took back another job; do that one again in its place"),
        _ => Ok(()),
    }
}

/// Returns what a job left behind of every memory that it touched.
fn left_behind(changes: Vec<ChangeRecord>) -> BTreeMap<MemoryId, Left> {
    let mut left: BTreeMap<MemoryId, Left> = BTreeMap::new();
    for change in changes {
        // Only what has ended is removed, to make room; that it is gone makes no difference.
        if change.kind == ChangeKind::Deleted {
            left.remove(&change.id);
            continue;
        }
        let before = (change.kind == ChangeKind::Updated).then(|| change.version - 1);
        let (after, start) = (change.version, Left { before, after: change.version, alone: true });
        let next = |left: &mut Left| {
            left.alone &= after == left.after + 1;
            left.after = after;
        };
        left.entry(change.id).and_modify(next).or_insert(start);
    }
    left
}

fn changed_since(id: &MemoryId) -> Error {
    let message = format!("{id} was changed since the job; what was changed can be skipped");
    Error::new(ErrorKind::Conflict, message).with("id", id.as_str())
}
