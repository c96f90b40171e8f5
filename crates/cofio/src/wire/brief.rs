#![expect(missing_docs, reason = "the names are those of the protocol")]

use serde::Serialize;

use crate::entry::MemoryEntry;
use crate::lifecycle::brief::Brief;
use crate::model::{Memory, Timestamp};

/// What a while has brought.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BriefOutput {
    pub since: String,
    /// Facts and procedures, the latest first.
    pub learnt: Vec<MemoryEntry>,
    /// What is no longer held to be true.
    pub changed: Vec<ReplacementOutput>,
    /// What is no longer in use.
    pub faded: Vec<MemoryEntry>,
    /// What waits for somebody's word; nothing in it is to be believed yet.
    pub waiting: Vec<MemoryEntry>,
    /// How many memories were forgotten.
    pub forgotten: usize,
    /// The latest reflection, if it is from that while.
    pub reflection: Option<MemoryEntry>,
}

/// A memory that is no longer held to be true, and what took its place.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplacementOutput {
    pub before: MemoryEntry,
    /// What took its place, if that is known.
    pub after: Option<MemoryEntry>,
}

impl BriefOutput {
    /// Says what the time since a moment has brought.
    pub fn new(since: Timestamp, brief: &Brief) -> Self {
        Self {
            since: since.to_string(),
            learnt: entries(&brief.learnt),
            changed: brief.changed.iter().map(ReplacementOutput::from).collect(),
            faded: entries(&brief.faded),
            waiting: entries(&brief.waiting),
            forgotten: brief.forgotten,
            reflection: brief.reflection.as_ref().map(MemoryEntry::from),
        }
    }
}

impl From<&(Memory, Option<Memory>)> for ReplacementOutput {
    fn from((before, after): &(Memory, Option<Memory>)) -> Self {
        Self { before: MemoryEntry::from(before), after: after.as_ref().map(MemoryEntry::from) }
    }
}

fn entries(memories: &[Memory]) -> Vec<MemoryEntry> {
    memories.iter().map(MemoryEntry::from).collect()
}
