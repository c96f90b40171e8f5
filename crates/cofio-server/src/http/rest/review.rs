//! What waits for a person, and what they decide.

mod approve;
mod permit;
mod reject;
mod rejected;
mod waiting;

use cofio::wire::MemoryEntry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<waiting::Waiting>(),
    Entry::of::<approve::Approve>(),
    Entry::of::<reject::Reject>(),
    Entry::of::<rejected::Rejected>(),
    Entry::of::<permit::Permit>(),
];

/// What was decided.
#[derive(Debug, Serialize, JsonSchema)]
struct DecisionOutput {
    id: String,
    /// approved or rejected.
    decision: &'static str,
    /// The memory, unless it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryEntry>,
}
