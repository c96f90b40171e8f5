#![expect(missing_docs, reason = "the names are those of the protocol")]

use jiff::SignedDuration;
use serde::Serialize;

use super::{ChangeOutput, ScopeOutput};
use crate::engine::{Piece, Undone};
use crate::lifecycle::diff::{Difference, differences};
use crate::lifecycle::guard::Verdict;
use crate::lifecycle::plan::{Plan, Step};
use crate::lifecycle::spend::Money;
use crate::model::{Change, ChangeRecord, Job, MemoryId, Spending, Timestamp};

/// One run of a task.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobRunOutput {
    pub id: String,
    pub task: &'static str,
    pub state: &'static str,
    pub actor: String,
    pub trigger: &'static str,
    pub due_at: Option<String>,
    pub started_at: String,
    pub ended_at: Option<String>,
    pub lag_seconds: Option<f64>,
    pub duration_seconds: Option<f64>,
    pub looked_at: u64,
    pub created: u64,
    pub updated: u64,
    pub forgotten: u64,
    pub held: u64,
    pub failed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
}

/// Runs of tasks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobRunsOutput {
    pub jobs: Vec<JobRunOutput>,
}

/// One run of a task, and the changes that it made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobDetailOutput {
    pub job: JobRunOutput,
    pub changes: Vec<ChangeOutput>,
}

/// What became of a task, or what would.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MaintainOutput {
    /// The job, unless nothing was done.
    pub job: Option<JobRunOutput>,
    /// What would be done, if that was the question.
    pub plan: Option<Vec<PieceOutput>>,
}

/// What a task wants to do together in one place.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PieceOutput {
    pub scope: ScopeOutput,
    /// Whether somebody has to agree first.
    pub held: bool,
    pub looked_at: u64,
    /// What asking a language model would cost at most, where one has to be asked first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<EstimateOutput>,
    pub steps: Vec<StepOutput>,
}

/// What asking a language model would cost at most.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EstimateOutput {
    pub tokens: u64,
    pub money: String,
}

/// One change, and what is different afterwards.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepOutput {
    pub id: String,
    pub change: &'static str,
    pub why: &'static str,
    pub content: Option<String>,
    pub differences: Vec<DifferenceOutput>,
}

/// One field that is different afterwards.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DifferenceOutput {
    pub field: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What language models have cost.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SpendingOutput {
    pub calls: Vec<CallOutput>,
}

/// What one call of a language model cost.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CallOutput {
    pub day: String,
    pub job: String,
    pub scope: String,
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub money: String,
    /// Whether the call is over; until then it counts as estimated.
    pub settled: bool,
}

impl From<&[Spending]> for SpendingOutput {
    fn from(spending: &[Spending]) -> Self {
        let call = |one: &Spending| CallOutput {
            day: one.day.to_string(),
            job: one.job.clone(),
            scope: one.scope.clone(),
            model: one.model.clone(),
            input_tokens: one.amount.input,
            output_tokens: one.amount.output,
            money: Money(one.amount.money).to_string(),
            settled: one.settled,
        };
        Self { calls: spending.iter().map(call).collect() }
    }
}

/// A job that was taken back, or would be.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UndoOutput {
    /// The job that took it back, unless nothing was done.
    pub job: Option<JobRunOutput>,
    /// What would be changed, if that was the question.
    pub plan: Option<Vec<StepOutput>>,
    /// What was changed since and stays as it is.
    pub skipped: Vec<String>,
}

impl From<&Job> for JobRunOutput {
    fn from(job: &Job) -> Self {
        let seconds = |duration: SignedDuration| duration.as_secs_f64();
        let written = |moment: Timestamp| moment.to_string();
        let lag = job.due_at.map(|due| job.started_at.duration_since(due));
        let duration = job.ended_at.map(|end| end.duration_since(job.started_at));
        Self {
            id: job.id.to_string(),
            task: job.task.as_str(),
            state: job.state.as_str(),
            actor: job.actor.to_string(),
            trigger: job.trigger.as_str(),
            due_at: job.due_at.map(written),
            started_at: written(job.started_at),
            ended_at: job.ended_at.map(written),
            lag_seconds: lag.map(seconds),
            duration_seconds: duration.map(seconds),
            looked_at: job.counts.looked_at,
            created: job.counts.created,
            updated: job.counts.updated,
            forgotten: job.counts.forgotten,
            held: job.counts.held,
            failed: job.counts.failed,
            note: job.note.clone(),
            undoes: job.undoes.as_ref().map(ToString::to_string),
            undone_by: job.undone_by.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&[Job]> for JobRunsOutput {
    fn from(jobs: &[Job]) -> Self {
        Self { jobs: jobs.iter().map(JobRunOutput::from).collect() }
    }
}

impl JobDetailOutput {
    /// Puts a job and its changes together.
    pub fn new(job: &Job, changes: &[ChangeRecord]) -> Self {
        let changes = changes.iter().map(ChangeOutput::from).collect();
        Self { job: JobRunOutput::from(job), changes }
    }
}

impl MaintainOutput {
    /// Says what became of a task.
    pub fn done(job: &Job) -> Self {
        Self { job: Some(JobRunOutput::from(job)), plan: None }
    }

    /// Says what would become of it.
    pub fn planned(pieces: &[Piece]) -> Self {
        Self { job: None, plan: Some(pieces.iter().map(PieceOutput::from).collect()) }
    }
}

impl From<&Piece> for PieceOutput {
    fn from(piece: &Piece) -> Self {
        Self {
            scope: ScopeOutput::from(&piece.scope),
            held: piece.verdict != Verdict::Allowed,
            looked_at: piece.plan.looked_at,
            estimate: piece.estimate.map(|cost| EstimateOutput {
                tokens: cost.usage.total(),
                money: cost.money.to_string(),
            }),
            steps: steps(&piece.plan),
        }
    }
}

fn steps(plan: &Plan) -> Vec<StepOutput> {
    plan.steps.iter().map(StepOutput::from).collect()
}

impl From<&Step> for StepOutput {
    fn from(step: &Step) -> Self {
        let change = match &step.change {
            Change::Create { .. } => "created",
            Change::Update { .. } | Change::Embed { .. } => "updated",
            Change::Forget { .. } | Change::Reject { .. } => "deleted",
        };
        let memory = step.after().or(step.before.as_ref());
        Self {
            id: step.id().to_string(),
            change,
            why: step.why,
            content: memory.map(|memory| memory.content.as_str().to_owned()),
            differences: differences(step).into_iter().map(DifferenceOutput::from).collect(),
        }
    }
}

impl From<Difference> for DifferenceOutput {
    fn from(difference: Difference) -> Self {
        let Difference { field, before, after } = difference;
        Self { field, before, after }
    }
}

impl UndoOutput {
    /// Says what became of taking back a job.
    pub fn done(undone: &Undone) -> Self {
        let skipped = undone.skipped.iter().map(ToString::to_string).collect();
        Self { job: Some(JobRunOutput::from(&undone.job)), plan: None, skipped }
    }

    /// Says what would become of it.
    pub fn planned(plan: &Plan, skipped: &[MemoryId]) -> Self {
        let skipped = skipped.iter().map(ToString::to_string).collect();
        Self { job: None, plan: Some(steps(plan)), skipped }
    }
}
