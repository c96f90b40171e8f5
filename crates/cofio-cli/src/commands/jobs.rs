//! What Cofio did of itself, and how to take it back.

use anyhow::Result;
use clap::{Args, Subcommand};
use cofio::engine::Undoing;
use cofio::lifecycle::spend::Money;
use cofio::model::{ChangeRecord, Job, JobId, Spending, Task};
use cofio::wire::{JobDetailOutput, JobRunsOutput, SpendingOutput, UndoOutput};

use super::maintain::{show_step, summary};
use crate::app::App;
use crate::output::Page;
use crate::{present, when};

const EXAMPLES: &str = "\
Examples:
  cofio jobs
  cofio jobs list --task consolidate
  cofio jobs show job_0198c0de0000700080000000000000aa
  cofio jobs undo job_0198c0de0000700080000000000000aa --dry-run
  cofio jobs spending";

/// Shows what Cofio did of itself, and takes it back
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Jobs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

/// What to do with jobs.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists jobs, the latest first
    List(List),
    /// Shows a job and every change that it made
    Show {
        /// The job
        id: String,
    },
    /// Takes back everything that a job changed, together
    Undo(Undo),
    /// Shows what language models have cost, the latest call first
    Spending {
        /// How many calls
        #[arg(long, value_name = "COUNT", default_value_t = 20)]
        limit: usize,
    },
}

/// Which jobs to list.
#[derive(Debug, Args)]
struct List {
    /// Only those of this task, such as consolidate
    #[arg(long, value_name = "TASK")]
    task: Option<Task>,
    /// How many
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
}

/// Which job to take back, and how.
#[derive(Debug, Args)]
struct Undo {
    /// The job
    id: String,
    /// Only shows what would change
    #[arg(long)]
    dry_run: bool,
    /// Leaves what was changed since as it is, in place of refusing
    #[arg(long)]
    skip_changed: bool,
    /// Lets the next job look again at what this one looked at
    #[arg(long)]
    again: bool,
    /// Also what belongs to other users of the store, if the job was for all of them
    #[arg(long)]
    all_users: bool,
}

impl Jobs {
    pub async fn run(self, app: &App) -> Result<()> {
        match self.action {
            None => list(app, &self.list).await,
            Some(Action::List(which)) => list(app, &which).await,
            Some(Action::Show { id }) => show(app, &id).await,
            Some(Action::Undo(undo)) => undo.run(app).await,
            Some(Action::Spending { limit }) => spending(app, limit).await,
        }
    }
}

async fn list(app: &App, which: &List) -> Result<()> {
    let jobs = app.engine.jobs(&app.caller, which.task, which.limit).await?;
    app.output.answer(
        || JobRunsOutput::from(&jobs[..]),
        |page| {
            if jobs.is_empty() {
                page.line("no job has run yet: cofio maintain all does what there is to do");
            }
            for job in &jobs {
                show_job(app, page, job);
            }
        },
    )
}

async fn show(app: &App, id: &str) -> Result<()> {
    let id: JobId = id.parse()?;
    let (job, changes) = app.engine.job(&app.caller, &id).await?;
    app.output.answer(
        || JobDetailOutput::new(&job, &changes),
        |page| {
            show_job(app, page, &job);
            for ChangeRecord { id, scope, kind, version, .. } in &changes {
                page.indented(format!("{kind} {id} in {scope}, version {version}"));
            }
        },
    )
}

async fn spending(app: &App, limit: usize) -> Result<()> {
    let calls = app.engine.spending(&app.caller, limit).await?;
    app.output.answer(
        || SpendingOutput::from(&calls[..]),
        |page| {
            if calls.is_empty() {
                page.line("no language model was asked yet");
            }
            for Spending { day, job, scope, model, amount, settled } in &calls {
                let tokens = amount.input.saturating_add(amount.output);
                let sure = if *settled { "" } else { ", at most" };
                let money = Money(amount.money);
                page.line(format!("{day}  {tokens} tokens, {money} in money{sure}"));
                page.aside(format!("{model} · {scope} · {job}"));
            }
        },
    )
}

impl Undo {
    async fn run(self, app: &App) -> Result<()> {
        let id: JobId = self.id.parse()?;
        let undoing = Undoing { skip_changed: self.skip_changed, again: self.again };
        let caller = app.caller_for(self.all_users);
        let (plan, skipped) = app.engine.would_undo(&caller, &id, undoing).await?;
        if self.dry_run {
            return app.output.answer(
                || UndoOutput::planned(&plan, &skipped),
                |page| plan.steps.iter().for_each(|step| show_step(page, step)),
            );
        }
        let memories = present::memories(plan.steps.len());
        app.consent.ask(&format!("Take back what {id} did to {memories}?"))?;
        let undone = app.engine.undo(&caller, &id, undoing).await?;
        app.output.answer(
            || UndoOutput::done(&undone),
            |page| {
                page.line(summary(&undone.job));
                for id in &undone.skipped {
                    page.indented(format!("{id} was changed since and stays as it is"));
                }
            },
        )
    }
}

/// Shows a job among others.
fn show_job(app: &App, page: &mut Page, job: &Job) {
    page.line(summary(job));
    let mut parts = vec![when::shown(job.started_at, app.zone()), format!("by {}", job.trigger)];
    if let Some(end) = job.ended_at {
        parts.push(format!("took {:.1} s", end.duration_since(job.started_at).as_secs_f64()));
    }
    if let Some(due) = job.due_at {
        parts.push(format!("{:.0} s late", job.started_at.duration_since(due).as_secs_f64()));
    }
    if let Some(by) = &job.undone_by {
        parts.push(format!("taken back by {by}"));
    }
    page.aside(parts.join(" · "));
}
