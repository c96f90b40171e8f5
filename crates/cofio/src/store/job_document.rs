//! The persisted form of a job, written out by hand so that renaming a field in the model changes
//! no file.

use serde::{Deserialize, Serialize};

use super::document::moment;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Counts, Identifier, Job, Timestamp};

/// Writes a job as JSON.
pub fn encode_job(job: &Job) -> String {
    serde_json::to_string(&Document::from(job)).expect("every field has a JSON form")
}

/// Reads a job back.
pub fn decode_job(document: &str) -> Result<Job> {
    let document: Document = serde_json::from_str(document).map_err(unreadable)?;
    Job::try_from(document).map_err(unreadable)
}

fn unreadable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Damaged, "a stored job cannot be read").caused_by(cause)
}

#[derive(Serialize, Deserialize)]
struct Document {
    id: String,
    task: String,
    state: String,
    actor: String,
    trigger: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due_at: Option<i64>,
    started_at: i64,
    alive_until: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
    #[serde(default)]
    looked_at: u64,
    #[serde(default)]
    created: u64,
    #[serde(default)]
    updated: u64,
    #[serde(default)]
    forgotten: u64,
    #[serde(default)]
    held: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undone_by: Option<String>,
}

impl From<&Job> for Document {
    fn from(job: &Job) -> Self {
        let id = |id: &Option<_>| Option::as_ref(id).map(ToString::to_string);
        let Counts { looked_at, created, updated, forgotten, held, failed } = job.counts;
        Self {
            id: job.id.to_string(),
            task: job.task.to_string(),
            state: job.state.to_string(),
            actor: job.actor.to_string(),
            trigger: job.trigger.to_string(),
            due_at: job.due_at.map(Timestamp::as_microsecond),
            started_at: job.started_at.as_microsecond(),
            alive_until: job.alive_until.as_microsecond(),
            ended_at: job.ended_at.map(Timestamp::as_microsecond),
            looked_at,
            created,
            updated,
            forgotten,
            held,
            failed,
            note: job.note.clone(),
            undoes: id(&job.undoes),
            undone_by: id(&job.undone_by),
        }
    }
}

impl TryFrom<Document> for Job {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self> {
        let id = |id: Option<String>| id.map(|id| id.parse()).transpose();
        let Document { looked_at, created, updated, forgotten, held, failed, .. } = document;
        Ok(Self {
            id: document.id.parse()?,
            task: document.task.parse()?,
            state: document.state.parse()?,
            actor: Identifier::new(&document.actor)?,
            trigger: document.trigger.parse()?,
            due_at: document.due_at.map(moment).transpose()?,
            started_at: moment(document.started_at)?,
            alive_until: moment(document.alive_until)?,
            ended_at: document.ended_at.map(moment).transpose()?,
            counts: Counts { looked_at, created, updated, forgotten, held, failed },
            note: document.note,
            undoes: id(document.undoes)?,
            undone_by: id(document.undone_by)?,
        })
    }
}
