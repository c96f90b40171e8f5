//! Memories one by one, and together.

mod archive;
mod bring_back;
mod bulk;
mod change;
mod confirm;
mod correct;
mod create;
mod delete;
mod get;
mod history;
mod list;

use cofio::model::Memory;
use cofio::wire::MemoryEntry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::answer::{Changed, Versioned};
use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<create::Create>(),
    Entry::of::<list::List>(),
    Entry::of::<bulk::CreateMany>(),
    Entry::of::<get::Get>(),
    Entry::of::<change::Change>(),
    Entry::of::<delete::Delete>(),
    Entry::of::<history::History>(),
    Entry::of::<confirm::Confirm>(),
    Entry::of::<correct::Correct>(),
    Entry::of::<archive::Archive>(),
    Entry::of::<bring_back::BringBack>(),
];

/// One memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OneMemory {
    memory: MemoryEntry,
}

impl From<&Memory> for OneMemory {
    fn from(memory: &Memory) -> Self {
        Self { memory: MemoryEntry::from(memory) }
    }
}

impl From<Memory> for Versioned<OneMemory> {
    fn from(memory: Memory) -> Self {
        Self { version: memory.version, value: OneMemory::from(&memory) }
    }
}

impl From<Memory> for Changed<OneMemory> {
    fn from(memory: Memory) -> Self {
        Self { version: memory.version, value: OneMemory::from(&memory) }
    }
}
