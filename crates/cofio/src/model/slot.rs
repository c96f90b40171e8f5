use super::{Identifier, MemoryId, Scope};

/// Where one text of a memory stands on a shelf.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Whose it is.
    pub scope: Scope,
    /// Which memory.
    pub id: MemoryId,
    /// Tells the text from all others that the memory ever had; never used for another one.
    pub edition: u64,
}

/// A text that no memory of a store has any more, and that a shelf may still have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unshelved {
    /// The shelf.
    pub shelf: Identifier,
    /// Where it stood.
    pub slot: Slot,
}
