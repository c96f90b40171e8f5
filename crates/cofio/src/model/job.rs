use std::fmt;
use std::str::FromStr;

use uuid::ContextV7;

use super::id::{is_digits, unique_digits};
use super::names::names;
use super::{Identifier, MemoryId, Scope, Timestamp};
use crate::error::{Error, ErrorKind, Result};

/// The id of a job: `job_`, then a UUID of version 7.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(String);

impl JobId {
    /// Makes an id; with one context, later ids sort after earlier ones.
    pub(crate) fn generate(now: Timestamp, context: &ContextV7) -> Self {
        Self(format!("job_{}", unique_digits(now, context)))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the error for an id that is not there, or not the caller's.
    pub fn not_found(id: &str) -> Error {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(48).collect();
        Error::new(ErrorKind::NotFound, format!("no job {shown:?}"))
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Refuses what cannot be an id in the same words as an id that is not there.
impl FromStr for JobId {
    type Err = Error;

    fn from_str(raw: &str) -> Result<Self> {
        let known = raw.strip_prefix("job_").is_some_and(is_digits);
        if known { Ok(Self(raw.to_owned())) } else { Err(Self::not_found(raw)) }
    }
}

/// What the engine does of itself, to keep what it knows in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// Finds more of what memories name.
    Enrich,
    /// Learns facts from conversations.
    Consolidate,
    /// Takes what matters of conversations that are over to their user, and lets the rest end.
    Promote,
    /// Brings together memories that say the same.
    Merge,
    /// Puts away what nobody uses any more.
    Decay,
    /// Looks back on a week.
    Reflect,
    /// Removes what has ended.
    Expire,
    /// Takes in what people changed in files.
    Files,
    /// Takes back what another job did.
    Undo,
}

names!(Task, "task", Invalid, {
    Enrich => "enrich",
    Consolidate => "consolidate",
    Promote => "promote",
    Merge => "merge",
    Decay => "decay",
    Reflect => "reflect",
    Expire => "expire",
    Files => "files",
    Undo => "undo",
});

/// One run of a task, as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Which job.
    pub id: JobId,
    /// What it does.
    pub task: Task,
    /// How far it is.
    pub state: JobState,
    /// Under whose name.
    pub actor: Identifier,
    /// What set it off.
    pub trigger: Trigger,
    /// When it should have begun, if there was a time for it.
    pub due_at: Option<Timestamp>,
    /// When it began.
    pub started_at: Timestamp,
    /// Until when it counts as running without giving a sign.
    pub alive_until: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How much it did.
    pub counts: Counts,
    /// Why it failed or was held, in words of ours.
    pub note: Option<String>,
    /// The job that it took back.
    pub undoes: Option<JobId>,
    /// The job that took it back.
    pub undone_by: Option<JobId>,
}

impl Job {
    /// Returns whether it did all it had to, and that was nothing.
    pub fn did_nothing(&self) -> bool {
        let Counts { looked_at: _, created, updated, forgotten, held, failed } = self.counts;
        self.state == JobState::Completed && created + updated + forgotten + held + failed == 0
    }

    /// Returns how far it is at a moment: one that has given no sign for long was interrupted.
    pub fn state_at(&self, now: Timestamp) -> JobState {
        let silent = self.state == JobState::Running && self.alive_until < now;
        if silent { JobState::Interrupted } else { self.state }
    }
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// It goes on.
    Running,
    /// It did all it had to.
    Completed,
    /// Something went wrong; what it could do is done, and its counts say how much.
    Failed,
    /// It wanted to change so much that a person has to agree first.
    Held,
    /// Its process ended before it did.
    Interrupted,
    /// What it did was taken back.
    Undone,
}

names!(JobState, "state of a job", Invalid, {
    Running => "running",
    Completed => "completed",
    Failed => "failed",
    Held => "held",
    Interrupted => "interrupted",
    Undone => "undone",
});

/// What sets off a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Somebody asked for it.
    Hand,
    /// Its time had come.
    Schedule,
    /// Another conversation began.
    Session,
}

names!(Trigger, "trigger", Invalid, {
    Hand => "hand", Schedule => "schedule", Session => "session",
});

/// How much a job did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many memories it looked at.
    pub looked_at: u64,
    /// How many it added.
    pub created: u64,
    /// How many it changed.
    pub updated: u64,
    /// How many it removed.
    pub forgotten: u64,
    /// How many parts of it a person has to agree to first.
    pub held: u64,
    /// How many parts of it went wrong.
    pub failed: u64,
}

/// What every memory comes through once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// A turn of a conversation was read for facts.
    Consolidated,
    /// More of what it names was looked for.
    Enriched,
    /// It was taken from a conversation to its user, whatever became of it there.
    Promoted,
    /// A look back on a while had it.
    Reflected,
    /// It was to fade or to be put away, and somebody took that back.
    Faded,
    /// Another was to take its place that says the same, and somebody took that back.
    Merged,
    /// It was to end with its conversation, and somebody took that back.
    Retired,
}

names!(Stage, "stage", Invalid, {
    Consolidated => "consolidated", Enriched => "enriched", Promoted => "promoted",
    Reflected => "reflected", Faded => "faded", Merged => "merged", Retired => "retired",
});

impl Stage {
    /// Returns whether a memory that changes has come through it all the same, as long as its text is
    /// the same.
    pub fn is_of_text(self) -> bool {
        matches!(self, Self::Consolidated | Self::Enriched | Self::Promoted)
    }

    /// Returns what a memory has come through to which what a task did was taken back, so that the
    /// task leaves it alone.
    ///
    /// Other tasks have the memories that they look at come through a stage themselves.
    pub fn after_undoing(task: Task) -> Option<Self> {
        match task {
            Task::Decay => Some(Self::Faded),
            Task::Merge => Some(Self::Merged),
            Task::Promote => Some(Self::Retired),
            Task::Enrich
            | Task::Consolidate
            | Task::Reflect
            | Task::Expire
            | Task::Files
            | Task::Undo => None,
        }
    }
}

/// Where memories have still to come through a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Whose they are.
    pub scope: Scope,
    /// The conversation they are part of, if they come through it one conversation at a time.
    pub conversation: Option<Identifier>,
    /// How many.
    pub count: u64,
    /// When the last of them was learnt.
    pub latest_at: Timestamp,
}

/// The first of the memories in one place that have still to come through a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portion {
    /// What they have to come through.
    pub stage: Stage,
    /// Whose they are.
    pub scope: Scope,
    /// The conversation they are part of; of any and of none if nothing is said.
    pub conversation: Option<Identifier>,
    /// The moment at which they wait.
    pub now: Timestamp,
    /// How many are wanted at most.
    pub limit: usize,
}

/// What a commit is part of, where the engine works of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The job whose changes these are, as it is afterwards.
    pub job: Job,
    /// Another job that is different afterwards.
    pub other: Option<Job>,
    /// The memories that came through a stage.
    pub through: Vec<(MemoryId, Stage)>,
    /// The job whose memories have to come through their stages again.
    pub again: Option<JobId>,
    /// A job that is kept no longer, unless it changed anything, memories came through a stage in it,
    /// or something was spent for it.
    pub dismissed: Option<JobId>,
}

impl Work {
    /// Keeps a job as it is, and nothing else.
    pub fn on(job: Job) -> Self {
        Self { job, other: None, through: Vec::new(), again: None, dismissed: None }
    }
}
