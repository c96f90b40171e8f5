//! A process that does one of the engine's own jobs and says how far it is, until it is done or killed.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use cofio::config::{Merge, Sessions};
use cofio::engine::{Assignment, Undoing};
use cofio::model::{Caller, Commit, Counts, Identifier, JobState, Task, Timestamp};
use cofio::store::{SqliteStore, Store as _};
use cofio::{Config, Engine};
use jiff::SignedDuration;
use pollster::block_on;

/// What to do.
#[derive(clap::Args)]
pub struct Arguments {
    /// The file of the store.
    store: PathBuf,
    /// The task; `undo` takes back the latest job that is complete, if there is one.
    #[arg(long)]
    task: Task,
    /// What the clock shows when it begins.
    #[arg(long)]
    at: Timestamp,
    /// Commit every step by itself rather than the steps of a place together.
    #[arg(long)]
    torn: bool,
}

/// Prints `begun`, a line for every part that is reached, and at last what became of it.
pub fn run(arguments: &Arguments) -> Result<()> {
    let store = Arc::new(SqliteStore::open(&arguments.store)?);
    let (begun, at) = (Instant::now(), arguments.at);
    let clock = move || {
        let elapsed = SignedDuration::try_from(begun.elapsed()).unwrap_or_default();
        at.checked_add(elapsed).unwrap_or(at)
    };
    let engine = Engine::shared(store.clone(), clock, config());
    let caller = Caller::keeper(Identifier::new("keeper")?);
    say("begun")?;
    let (state, counts) = match (arguments.task, arguments.torn) {
        (Task::Undo, _) => undo(&engine, &caller)?,
        (task, true) => tear(&engine, &store, &caller, task)?,
        (task, false) => {
            let assignment = assignment(task);
            // A line that nobody reads any more is no reason to stop.
            let watch = |done: usize, of: usize| drop(say(&format!("{done} of {of}")));
            let job = block_on(engine.maintain(&caller, &assignment, &watch))?;
            (job.state, job.counts)
        }
    };
    let Counts { created, updated, forgotten, .. } = counts;
    say(&format!("{state} {}", created + updated + forgotten))
}

/// Lets conversations end and similar facts be alike, so that every task has something to do.
fn config() -> Config {
    let retention = Some(SignedDuration::from_hours(24 * 7));
    Config {
        sessions: Sessions { retention, ..Sessions::default() },
        merge: Merge { similarity: 0.7, ..Merge::default() },
        ..Config::default()
    }
}

fn assignment(task: Task) -> Assignment {
    Assignment { agreed: true, ..Assignment::of(task) }
}

fn undo(engine: &Engine, caller: &Caller) -> Result<(JobState, Counts)> {
    let jobs = block_on(engine.jobs(caller, None, 100))?;
    let done = |state| state == JobState::Completed;
    let Some(last) = jobs.iter().find(|job| job.task != Task::Undo && done(job.state)) else {
        return Ok((JobState::Completed, Counts::default()));
    };
    let undone = block_on(engine.undo(caller, &last.id, Undoing::default()))?;
    Ok((undone.job.state, undone.job.counts))
}

/// Does what a task would do as it must not be done: with a commit for every step.
fn tear(
    engine: &Engine,
    store: &SqliteStore,
    caller: &Caller,
    task: Task,
) -> Result<(JobState, Counts)> {
    let pieces = block_on(engine.would_maintain(caller, &assignment(task), &|_, _| {}))?;
    for step in pieces.into_iter().flat_map(|piece| piece.plan.steps) {
        let commit = Commit {
            actor: caller.actor().clone(),
            at: engine.now(),
            changes: vec![step.change],
            audit: Vec::new(),
            idempotency: None,
            work: None,
        };
        block_on(store.commit(commit))?;
        say("a step")?;
    }
    Ok((JobState::Completed, Counts::default()))
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
