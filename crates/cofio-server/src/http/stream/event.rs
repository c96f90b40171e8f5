//! What is told of a change, in the form of either API.

use cofio::engine::Changed;
use cofio::model::{ChangeRecord, Memory};
use cofio::wire::MemoryEntry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::openspec::Entry;

/// What is told of a change.
pub(super) trait Event: From<Changed> + Serialize + JsonSchema + Send + 'static {}

impl<T: From<Changed> + Serialize + JsonSchema + Send + 'static> Event for T {}

/// That a memory was added, changed or removed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryEvent {
    /// The place in the sequence of changes.
    sequence: u64,
    /// What happened: created, updated or deleted.
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    /// The version that the change left behind.
    version: u64,
    timestamp: String,
    /// Whose it is.
    scope: String,
    /// The memory as it is now, unless it is gone or was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Box<MemoryEntry>>,
}

/// That an entry was added, changed or removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenSpecEvent {
    /// What happened: created, updated or deleted.
    #[serde(rename = "type")]
    kind: &'static str,
    entry: ToldEntry,
    timestamp: String,
}

/// An entry, or what is left to say of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum ToldEntry {
    /// The entry as it is now.
    Whole(Box<Entry>),
    /// One that is gone, or was not asked for.
    Named {
        id: String,
        /// The version that the change left behind.
        version: u64,
        layer: &'static str,
    },
}

impl From<Changed> for MemoryEvent {
    fn from(changed: Changed) -> Self {
        let Changed { record, memory } = changed;
        Self {
            sequence: record.sequence,
            kind: record.kind.as_str(),
            id: record.id.to_string(),
            version: record.version,
            timestamp: record.at.to_string(),
            scope: record.scope.to_string(),
            memory: memory.as_ref().map(|memory| Box::new(MemoryEntry::from(memory))),
        }
    }
}

impl From<Changed> for OpenSpecEvent {
    fn from(changed: Changed) -> Self {
        let Changed { record, memory } = changed;
        Self {
            kind: record.kind.as_str(),
            timestamp: record.at.to_string(),
            entry: ToldEntry::new(&record, memory.as_ref()),
        }
    }
}

impl ToldEntry {
    fn new(record: &ChangeRecord, memory: Option<&Memory>) -> Self {
        match memory {
            Some(memory) => Self::Whole(Box::new(Entry::from(memory))),
            None => Self::Named {
                id: record.id.to_string(),
                version: record.version,
                layer: record.scope.layer().as_str(),
            },
        }
    }
}
