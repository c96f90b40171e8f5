//! The API of Mem0's clients, behind a switch: every path of it ends with a slash, and none of ours.

mod add;
mod batch_delete;
mod batch_update;
mod delete;
mod delete_all;
mod delete_entity;
mod entities;
mod get;
mod history;
mod list;
mod ping;
mod search;
mod update;

use cofio::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use super::openapi::Entry;
use super::rest::Names;
use super::visit::Visit;
use crate::dialects::mem0::Mem0;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<ping::Ping>(),
    Entry::of::<add::Add>(),
    Entry::of::<search::Search>(),
    Entry::of::<list::List>(),
    Entry::of::<get::Get>(),
    Entry::of::<update::Update>(),
    Entry::of::<delete::Delete>(),
    Entry::of::<history::History>(),
    Entry::of::<delete_all::DeleteAll>(),
    Entry::of::<batch_update::BatchUpdate>(),
    Entry::of::<batch_delete::BatchDelete>(),
    Entry::of::<entities::Entities>(),
    Entry::of::<delete_entity::DeleteEntity>(),
];

/// The id of a memory in a path.
#[derive(Debug, Deserialize, JsonSchema)]
struct ById {
    /// The id of a memory.
    memory_id: String,
}

/// Returns the dialect for whoever asks.
fn dialect(visit: &Visit) -> Result<Mem0> {
    let at_hand = visit.identifiers(&Names::default())?;
    Ok(Mem0::new(visit.engine.clone(), visit.caller().clone(), at_hand))
}
