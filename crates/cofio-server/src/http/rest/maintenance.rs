//! What the engine does of itself, on somebody's word, and how it is taken back.

mod get;
mod list;
mod run;
mod undo;

use cofio::Result;
use cofio::model::JobId;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<list::List>(),
    Entry::of::<run::Run>(),
    Entry::of::<get::Get>(),
    Entry::of::<undo::Undo>(),
];

/// The id of a job in a path.
#[derive(Debug, Deserialize, JsonSchema)]
struct ByRun {
    /// The id of a job, as the list of jobs has it.
    id: String,
}

impl ByRun {
    /// Returns the id; one that no job can have is not there.
    fn job(&self) -> Result<JobId> {
        self.id.parse()
    }
}
