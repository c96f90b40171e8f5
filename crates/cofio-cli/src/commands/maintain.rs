//! Keeping what is known in order.

use anyhow::Result;
use clap::{Args, ValueEnum};
use cofio::engine::{Assignment, Piece};
use cofio::lifecycle::diff::{Difference, differences};
use cofio::lifecycle::guard::Verdict;
use cofio::lifecycle::plan::Step;
use cofio::lifecycle::spend::Cost;
use cofio::model::{Caller, Change, Identifier, Job, JobState, Scope, Task};
use cofio::wire::MaintainOutput;
use cofio::{Engine, Error, ErrorKind};

use crate::app::App;
use crate::llm;
use crate::output::Page;
use crate::present;
use crate::progress::Progress;
use crate::settings::Surroundings;

const EXAMPLES: &str = "\
Examples:
  cofio maintain decay --dry-run
  cofio maintain consolidate --of 2026-03-01-standup
  cofio maintain all
  cofio jobs

cofio serve does all of it by itself, at the times of the settings below [schedule].";

/// Learns from conversations, finds names, lets fade what nobody uses, and more, one task at a time
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Maintain {
    /// What to do: find names (enrich), learn facts from conversations (consolidate), take what
    /// matters to the user (promote), bring together what says the same (merge), put away what
    /// nobody uses (decay), look back on the week (reflect), remove what has ended (expire), or all
    #[arg(value_name = "TASK", hide_possible_values = true)]
    what: What,
    /// Only shows what would change
    #[arg(long)]
    dry_run: bool,
    /// Only this conversation
    #[arg(long, value_name = "SESSION")]
    of: Option<String>,
    /// For every user of the store, not only for you
    #[arg(long)]
    all_users: bool,
}

/// What to do.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    Enrich,
    Consolidate,
    Promote,
    Merge,
    Decay,
    Reflect,
    Expire,
    All,
}

impl What {
    /// Returns the tasks, in the order in which they build on each other.
    fn tasks(self) -> &'static [Task] {
        match self {
            Self::Enrich => &[Task::Enrich],
            Self::Consolidate => &[Task::Consolidate],
            Self::Promote => &[Task::Promote],
            Self::Merge => &[Task::Merge],
            Self::Decay => &[Task::Decay],
            Self::Reflect => &[Task::Reflect],
            Self::Expire => &[Task::Expire],
            // Merging is for somebody who looks at what is merged.
            Self::All => &[
                Task::Enrich,
                Task::Consolidate,
                Task::Promote,
                Task::Decay,
                Task::Reflect,
                Task::Expire,
            ],
        }
    }
}

impl Maintain {
    pub async fn run(self, app: &App) -> Result<()> {
        let around = Surroundings::of_process()?;
        let (engine, store) = (app.engine.clone(), app.home.store.clone());
        let engine = &llm::counselled(engine, store, &app.settings, &around)?;
        let caller = app.caller_for(self.all_users);
        let within = within(app, &caller).await?;
        let conversation = self.of.as_deref().map(Identifier::new).transpose()?;
        let mut failed = None;
        for &task in self.what.tasks() {
            let (within, conversation) = (within.clone(), conversation.clone());
            let assignment = Assignment { within, conversation, ..Assignment::of(task) };
            if self.dry_run {
                rehearse(app, engine, &caller, &assignment).await?;
            } else {
                let job = carry_out(app, engine, &caller, assignment).await?;
                failed = failed.or((job.state == JobState::Failed).then_some(job));
            }
        }
        failed.map_or(Ok(()), |job| Err(failure(&job)))
    }
}

/// Returns the scopes that the command line narrows the work down to, if it does.
async fn within(app: &App, caller: &Caller) -> Result<Option<Vec<Scope>>> {
    if !app.is_narrowed() {
        return Ok(None);
    }
    let mut scopes = app.engine.scopes(caller).await?;
    app.retain_named(&mut scopes)?;
    Ok(Some(scopes))
}

async fn rehearse(
    app: &App,
    engine: &Engine,
    caller: &Caller,
    assignment: &Assignment,
) -> Result<()> {
    let progress = Progress::spinning("planning");
    let pieces = engine.would_maintain(caller, assignment, &|_, _| {}).await?;
    drop(progress);
    app.output.answer(
        || MaintainOutput::planned(&pieces),
        |page| {
            if pieces.is_empty() {
                page.line(format!("{}: nothing to do", assignment.task));
            }
            for piece in &pieces {
                show_piece(page, assignment.task, piece);
            }
        },
    )
}

/// Does a task, and asks about what takes somebody's word.
async fn carry_out(
    app: &App,
    engine: &Engine,
    caller: &Caller,
    assignment: Assignment,
) -> Result<Job> {
    let mut job = work(engine, caller, &assignment).await?;
    if job.state == JobState::Held && (app.consent.can_ask() || app.globals.yes > 0) {
        let note = job.note.as_deref().unwrap_or_default();
        app.consent.ask(&format!("{}: {note}. Do it?", job.task))?;
        job = work(engine, caller, &Assignment { agreed: true, ..assignment }).await?;
    }
    app.output.answer(|| MaintainOutput::done(&job), |page| page.line(summary(&job)))?;
    if job.state == JobState::Held {
        app.output.note("cofio maintain with --dry-run shows it, and with --yes does it");
    }
    Ok(job)
}

async fn work(engine: &Engine, caller: &Caller, assignment: &Assignment) -> Result<Job> {
    let progress = Progress::of(0, "working");
    let watch = |done: usize, of: usize| progress.reached(done as u64, of as u64);
    Ok(engine.maintain(caller, assignment, &watch).await?)
}

/// Says in one line what became of a job.
pub fn summary(job: &Job) -> String {
    let counts = &job.counts;
    let parts = [
        (counts.created, "added"),
        (counts.updated, "changed"),
        (counts.forgotten, "removed"),
        (counts.held, "held"),
        (counts.failed, "failed"),
    ];
    let told = parts.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
    let told = if told.is_empty() { "nothing to do".to_owned() } else { told.join(", ") };
    let note = job.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    format!("{} {}, {told}{note} ({})", job.task, job.state, job.id)
}

/// Shows what would be done in one place.
fn show_piece(page: &mut Page, task: Task, piece: &Piece) {
    let steps = present::count(piece.plan.steps.len() as u64, "change", "changes");
    page.strong(format!("{task} in {}: {steps}", piece.scope));
    if let Verdict::Held { taken, among } = piece.verdict {
        page.line(format!("takes your word: {taken} of {among} would be out of use"));
    }
    if let Some(Cost { usage, money }) = piece.estimate {
        let tokens = usage.total();
        page.line(format!(
            "asking the language model costs at most {tokens} tokens, {money} in money"
        ));
    }
    piece.plan.steps.iter().for_each(|step| show_step(page, step));
    page.gap();
}

/// Shows one change.
pub fn show_step(page: &mut Page, step: &Step) {
    let (sign, memory) = match &step.change {
        Change::Create { .. } => ("+", step.after()),
        Change::Forget { .. } | Change::Reject { .. } => ("-", step.before.as_ref()),
        Change::Update { .. } | Change::Embed { .. } => ("~", step.after()),
    };
    let text = memory.map(|memory| present::beginning(memory.content.as_str()));
    page.line(format!("{sign} {}", text.unwrap_or_default()));
    page.aside(format!("{} · {}", step.id(), step.why));
    for Difference { field, before, after } in differences(step) {
        let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        page.aside(format!("{field}: {} → {}", shown(before), shown(after)));
    }
}

fn failure(job: &Job) -> anyhow::Error {
    let note = job.note.as_deref().unwrap_or("something went wrong");
    Error::new(ErrorKind::Provider, format!("{} failed: {note}", job.task)).into()
}
