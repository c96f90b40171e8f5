mod advice;
mod expiring;
mod planning;

use std::collections::{BTreeSet, HashMap};

use jiff::SignedDuration;

use super::{Engine, Sweep, Swept, check_changes, check_open};
use crate::error::{Error, ErrorKind, Result};
use crate::lifecycle::guard::{self, Sources, Verdict};
use crate::lifecycle::plan::Plan;
use crate::lifecycle::spend::Cost;
use crate::llm::Counsel;
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Commit, Counts, Identifier, Job, JobId, JobState,
    Kind, Memory, MemoryId, Right, Scope, Stage, State, Task, Timestamp, Trigger, Work,
};
use advice::Errand;
use planning::Unit;

/// How long a job counts as running without giving a sign.
const SIGN: SignedDuration = SignedDuration::from_mins(15);

/// What only one may do at a time.
const LEASE: &str = "maintain";

/// How often a part is planned anew because somebody changed what it was planned on.
const ATTEMPTS: usize = 5;

/// What the engine is to do of itself.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// What to do.
    pub task: Task,
    /// Only there; otherwise everywhere that the caller may.
    pub within: Option<Vec<Scope>>,
    /// Only this conversation, which only consolidation and promotion know.
    pub conversation: Option<Identifier>,
    /// Whether conversations that may still go on are left alone.
    pub only_over: bool,
    /// Whether somebody agreed to whatever it takes away.
    pub agreed: bool,
    /// What sets it off.
    pub trigger: Trigger,
    /// When it should have begun.
    pub due_at: Option<Timestamp>,
}

impl Assignment {
    /// Asks for all of a task, now.
    pub fn of(task: Task) -> Self {
        Self {
            task,
            within: None,
            conversation: None,
            only_over: false,
            agreed: false,
            trigger: Trigger::Hand,
            due_at: None,
        }
    }
}

/// What a job wants to do together in one place.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The place.
    pub scope: Scope,
    /// What it wants to change.
    pub plan: Plan,
    /// What it may.
    pub verdict: Verdict,
    /// What asking a language model would cost to find out what there is to do, if that was not done.
    pub estimate: Option<Cost>,
    /// What will have come through a stage.
    pub(super) through: Vec<(MemoryId, Stage)>,
    /// Whether there may be more to do in the same place.
    pub(super) more: bool,
}

impl Piece {
    /// Returns whether there is nothing to do.
    fn is_empty(&self) -> bool {
        self.plan.steps.is_empty() && self.through.is_empty()
    }
}

/// Told how many parts of a job are done, of how many.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Send + Sync);

impl Engine {
    /// Does a task, and returns what became of it.
    ///
    /// Every part of it is planned, looked at and applied by itself, in one commit; a part that
    /// takes much away is held until somebody agrees. Only one job runs at a time; `Conflict` says
    /// that another one does. Whatever happens, the ledger has it.
    pub async fn maintain(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        watch: Watch<'_>,
    ) -> Result<Job> {
        let run = async {
            check(caller, assignment)?;
            let mut job = self.begin(caller, assignment).await?;
            let outcome = self.carry_out(caller, assignment, &mut job, watch).await;
            self.end(caller, job, outcome).await
        };
        run.await.map_err(|error| error.during("maintain"))
    }

    /// Returns what a task would do now, and does nothing.
    ///
    /// Where there is more than one portion of a conversation, it tells what the first would bring.
    pub async fn would_maintain(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        watch: Watch<'_>,
    ) -> Result<Vec<Piece>> {
        let rehearse = async {
            check(caller, assignment)?;
            let now = self.now();
            if assignment.task == Task::Expire {
                return self.would_expire(caller, assignment, now).await;
            }
            let units = self.units(caller, assignment, now).await?;
            let mut pieces = Vec::new();
            for (done, unit) in units.iter().enumerate() {
                watch(done, units.len());
                let errand = Errand::Rehearsal;
                let piece = self.piece(caller, assignment.task, unit, errand, now).await?;
                let tells = !piece.plan.steps.is_empty() || piece.estimate.is_some();
                pieces.extend(tells.then_some(piece));
            }
            Ok(pieces)
        };
        rehearse.await.map_err(|error: Error| error.during("maintain"))
    }

    /// Returns the id of a new job.
    pub(super) fn new_job(&self, now: Timestamp) -> JobId {
        let context = self.ids.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        JobId::generate(now, &context)
    }

    /// Returns a job that somebody had done by hand, at once and whole.
    pub(super) fn done_by_hand(
        &self,
        caller: &Caller,
        task: Task,
        counts: Counts,
        now: Timestamp,
    ) -> Job {
        Job {
            id: self.new_job(now),
            task,
            state: JobState::Completed,
            actor: caller.actor().clone(),
            trigger: Trigger::Hand,
            due_at: None,
            started_at: now,
            alive_until: now,
            ended_at: Some(now),
            counts,
            note: None,
            undoes: None,
            undone_by: None,
        }
    }

    /// Takes the place of the one who works, and enters the job.
    async fn begin(&self, caller: &Caller, assignment: &Assignment) -> Result<Job> {
        let now = self.now();
        let mut job = Job {
            id: self.new_job(now),
            task: assignment.task,
            state: JobState::Running,
            actor: caller.actor().clone(),
            trigger: assignment.trigger,
            due_at: assignment.due_at,
            started_at: now,
            alive_until: now,
            ended_at: None,
            counts: Counts::default(),
            note: None,
            undoes: None,
            undone_by: None,
        };
        self.sign_of_life(&mut job).await?;
        if let Err(error) = self.check_still_due(caller, assignment).await {
            self.make_room(&job).await?;
            return Err(error);
        }
        self.keep_job(caller, job.clone()).await?;
        Ok(job)
    }

    /// Lets the next job begin.
    async fn make_room(&self, job: &Job) -> Result<()> {
        let now = self.now();
        self.store.lease(LEASE, job.id.as_str(), now, now).await.map(drop)
    }

    /// Lets a job go on for a while, unless another one does.
    async fn sign_of_life(&self, job: &mut Job) -> Result<()> {
        let now = self.now();
        let until = now.checked_add(SIGN).unwrap_or(now);
        if !self.store.lease(LEASE, job.id.as_str(), now, until).await? {
            let message = "another job is running; try again when it has ended";
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        job.alive_until = until;
        Ok(())
    }

    /// Lets a job go on that is about to wait for somebody, and has the ledger say so.
    async fn give_sign(&self, job: &Job) -> Result<()> {
        let mut job = job.clone();
        self.sign_of_life(&mut job).await.map_err(lost)?;
        self.keep_job(&Caller::keeper(job.actor.clone()), job).await
    }

    async fn carry_out(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        job: &mut Job,
        watch: Watch<'_>,
    ) -> Result<()> {
        if assignment.task == Task::Expire {
            self.expire(caller, assignment, job).await?;
            if let Err(error) = self.store.clear_away(caller.access(), self.now()).await {
                // What cannot be reached now is cleared away the next time.
                let of = error.details().get("shelf").and_then(|shelf| shelf.as_str());
                let of = of.map(|shelf| format!(" of {shelf}")).unwrap_or_default();
                job.note
                    .get_or_insert_with(|| format!("not all{of} could be cleared away: {error}"));
            }
            return Ok(());
        }
        let units = self.units(caller, assignment, self.now()).await?;
        for (done, unit) in units.iter().enumerate() {
            watch(done, units.len());
            match self.work_through(caller, assignment, unit, job).await {
                Err(error) if concerns_one(&error) => {
                    job.counts.failed += 1;
                    job.note = Some(error.to_string());
                }
                result => result?,
            }
        }
        watch(units.len(), units.len());
        Ok(())
    }

    /// Does everything there is to do in one place, piece by piece.
    async fn work_through(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        unit: &Unit,
        job: &mut Job,
    ) -> Result<()> {
        let mut attempts = 0;
        let mut counsel = self.counsel.as_ref().map(Counsel::for_one_piece);
        loop {
            self.sign_of_life(job).await.map_err(lost)?;
            let now = self.now();
            let errand = Errand::Job(job, counsel.as_ref());
            let piece = self.piece(caller, assignment.task, unit, errand, now).await?;
            if piece.is_empty() {
                job.counts.looked_at += piece.plan.looked_at;
                return Ok(());
            }
            if let (Verdict::Held { taken, among }, false) = (piece.verdict, assignment.agreed) {
                job.counts.held += 1;
                job.note =
                    Some(format!("it would take away {taken} of {among} in {}", piece.scope));
                return Ok(());
            }
            if counsel.is_some() {
                // An answer may have taken long.
                self.sign_of_life(job).await.map_err(lost)?;
            }
            let more = piece.more;
            match self.apply(caller, piece, job, now).await {
                Err(error) if error.kind() == ErrorKind::Conflict && attempts < ATTEMPTS => {
                    attempts += 1;
                }
                Err(error) => return Err(error),
                Ok(()) if more => {
                    attempts = 0;
                    counsel = self.counsel.as_ref().map(Counsel::for_one_piece);
                }
                Ok(()) => return Ok(()),
            }
        }
    }

    /// Commits a piece together with the job as it is afterwards.
    async fn apply(
        &self,
        caller: &Caller,
        piece: Piece,
        job: &mut Job,
        now: Timestamp,
    ) -> Result<()> {
        let Piece { scope, plan, through, .. } = piece;
        let mut after = job.clone();
        count(&mut after.counts, &plan);
        let event = AuditEvent { scope: Some(scope), ..described(&after, &plan) };
        let mut audit = if plan.steps.is_empty() { Vec::new() } else { vec![event] };
        audit.extend(refusals(&after, &plan));
        let repeated = repeated(&plan);
        let changes = plan.steps.into_iter().map(|step| step.change).collect();
        let work = Work { through, ..Work::on(after.clone()) };
        self.commit_work(caller, now, changes, audit, work).await?;
        *job = after;
        if job.task == Task::Consolidate && !repeated.is_empty() {
            // What is said again is in use.
            let query = job.task.as_str();
            self.record_reading(caller, now, query, repeated.len() as u64, repeated);
        }
        self.announce();
        Ok(())
    }

    /// Forgets what has ended.
    async fn expire(&self, caller: &Caller, assignment: &Assignment, job: &mut Job) -> Result<()> {
        let sweep = Sweep { within: assignment.within.clone(), kinds: Vec::new() };
        let swept = if assignment.agreed {
            Swept::Removed(self.sweep_agreed(caller, &sweep).await?)
        } else {
            self.sweep(caller, &sweep).await?
        };
        match swept {
            Swept::Removed(count) => job.counts.forgotten = count as u64,
            Swept::Held { count, .. } => {
                job.counts.held = 1;
                job.note = Some(format!("{count} have ended at once: the clock may be wrong"));
            }
        }
        Ok(())
    }

    /// Enters how a job ended, and makes room for the next.
    async fn end(&self, caller: &Caller, mut job: Job, outcome: Result<()>) -> Result<Job> {
        let now = self.now();
        if let Err(error) = &outcome {
            job.counts.failed += 1;
            job.note = Some(error.to_string());
        }
        job.ended_at = Some(now);
        job.state = match job.counts {
            Counts { failed: 1.., .. } => JobState::Failed,
            Counts { held: 1.., .. } => JobState::Held,
            _ => JobState::Completed,
        };
        let dismissed = self.repeated_by(&job).await?;
        let work = Work { dismissed, ..Work::on(job.clone()) };
        self.commit_work(caller, now, Vec::new(), Vec::new(), work).await?;
        self.make_room(&job).await?;
        Ok(job)
    }

    /// Returns the run before one that did nothing, if it did nothing either: of those in a row the
    /// last one tells as much as all of them.
    async fn repeated_by(&self, job: &Job) -> Result<Option<JobId>> {
        if !job.did_nothing() {
            return Ok(None);
        }
        let mut latest = self.store.jobs(Some(&job.actor), Some(job.task), 2).await?.into_iter();
        let before = latest.find(|other| other.id != job.id);
        Ok(before.filter(Job::did_nothing).map(|before| before.id))
    }

    async fn keep_job(&self, caller: &Caller, job: Job) -> Result<()> {
        let now = self.now();
        self.commit_work(caller, now, Vec::new(), Vec::new(), Work::on(job)).await
    }

    /// Commits what is part of a job.
    pub(super) async fn commit_work(
        &self,
        caller: &Caller,
        at: Timestamp,
        changes: Vec<Change>,
        audit: Vec<AuditEvent>,
        work: Work,
    ) -> Result<()> {
        check_changes(caller, &changes)?;
        let (actor, work) = (caller.actor().clone(), Some(Box::new(work)));
        let commit = Commit { actor, at, changes, audit, idempotency: None, work };
        self.store.commit(commit).await.map(drop)
    }

    /// Looks at a plan before it becomes a piece.
    async fn judged(&self, caller: &Caller, scope: &Scope, plan: &Plan) -> Result<Verdict> {
        let policy = &self.config.guard;
        let sources = self.sources(caller, plan).await?;
        let little = guard::taken(plan) <= policy.count;
        let among = if little { 0 } else { self.in_use(caller, scope, plan).await? };
        guard::check(plan, among, &sources, policy)
    }

    /// Returns how many memories a place has in use, of the kinds that a plan changes.
    async fn in_use(&self, caller: &Caller, scope: &Scope, plan: &Plan) -> Result<u64> {
        let changed = plan.steps.iter().filter_map(|step| step.before.as_ref());
        let kinds: BTreeSet<&str> = changed.map(|before| before.kind.as_str()).collect();
        let summaries = self.store.scopes(caller.access(), self.now()).await?;
        let counts = summaries.iter().filter(|summary| summary.scope == *scope);
        let meant = |(kind, state, _): &&(Kind, State, u64)| {
            *state == State::Active && kinds.contains(kind.as_str())
        };
        let counts = counts.flat_map(|summary| &summary.counts).filter(meant);
        Ok(counts.map(|(.., count)| count).sum())
    }

    /// Returns what is known of everything that a plan concludes from.
    async fn sources(&self, caller: &Caller, plan: &Plan) -> Result<Sources> {
        let after = plan.steps.iter().filter_map(|step| step.after());
        let ids: BTreeSet<&MemoryId> =
            after.flat_map(|memory| &memory.provenance.derived_from).collect();
        let ids: Vec<MemoryId> = ids.into_iter().cloned().collect();
        let known = self.store.get(caller.access(), &ids).await?;
        let source = |memory: Memory| {
            let trust = memory.source.trust();
            (memory.id, (memory.scope, trust))
        };
        Ok(known.into_iter().map(source).collect::<HashMap<_, _>>())
    }
}

/// Refuses a task for a conversation that it does not know, or to whoever lacks a right that it takes
/// or may not open where it is to be done.
fn check(caller: &Caller, assignment: &Assignment) -> Result<()> {
    match assignment.task {
        Task::Undo => return Err(Error::invalid("a job is undone by its id")),
        Task::Files => return Err(Error::invalid("files are taken in from their folder")),
        _ => {}
    }
    let of_conversations = matches!(assignment.task, Task::Consolidate | Task::Promote);
    if assignment.conversation.is_some() && !of_conversations {
        let task = assignment.task;
        let message = format!("{task} knows no conversations; only consolidate and promote do");
        return Err(Error::invalid(message));
    }
    caller.require(Right::Read)?;
    caller.require(Right::Write)?;
    if assignment.task == Task::Expire {
        caller.require(Right::Delete)?;
    }
    assignment.within.iter().flatten().try_for_each(|scope| check_open(caller, scope))
}

/// Returns the error of a job that has to stop, as another one took its place meanwhile.
fn lost(error: Error) -> Error {
    if error.kind() != ErrorKind::Conflict {
        return error;
    }
    let minutes = SIGN.as_mins();
    let message = format!("it gave no sign for {minutes} minutes, and another job took its place");
    Error::new(ErrorKind::Provider, message)
}

/// Returns whether an error says something about one part of a job, and nothing about the others.
fn concerns_one(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Refused | ErrorKind::Invalid)
}

/// Returns what is recorded of what a policy refused: how much, never content.
fn refusals(job: &Job, plan: &Plan) -> Option<AuditEvent> {
    let event = AuditEvent::new(AuditAction::PoisoningAttemptBlocked)
        .with("job", job.id.as_str())
        .with("count", plan.refused);
    (plan.refused > 0).then_some(event)
}

/// Returns the memories that a plan changes and leaves in use.
fn repeated(plan: &Plan) -> Vec<MemoryId> {
    let known = plan.steps.iter().filter(|step| step.before.is_some());
    let used = known.filter_map(|step| step.after()).filter(|after| after.state == State::Active);
    used.map(|memory| memory.id.clone()).collect()
}

/// Adds what a plan does.
pub(super) fn count(counts: &mut Counts, plan: &Plan) {
    counts.looked_at += plan.looked_at;
    for step in &plan.steps {
        match &step.change {
            Change::Create { .. } => counts.created += 1,
            Change::Update { .. } => counts.updated += 1,
            Change::Forget { .. } | Change::Reject { .. } => counts.forgotten += 1,
            Change::Embed { .. } => {}
        }
    }
}

/// Returns what is recorded of a piece: the job and how much, never content.
pub(super) fn described(job: &Job, plan: &Plan) -> AuditEvent {
    let mut counts = Counts::default();
    count(&mut counts, plan);
    AuditEvent::new(AuditAction::Maintenance)
        .with("task", job.task.as_str())
        .with("job", job.id.as_str())
        .with("created", counts.created)
        .with("updated", counts.updated)
        .with("forgotten", counts.forgotten)
}
