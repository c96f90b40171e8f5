//! What a job wants to change, before anything is: it can be shown, checked and thrown away.

use crate::model::{Change, Memory, MemoryId};

/// Everything that a job wants to change together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The changes, in the order in which they are made.
    pub steps: Vec<Step>,
    /// How many memories were looked at for it.
    pub looked_at: u64,
    /// How many memories it would have added if a policy had not refused them.
    pub refused: u64,
}

/// One change, and what it is made to.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The change.
    pub change: Change,
    /// The memory as it is until then, unless it is new.
    pub before: Option<Memory>,
    /// Why, in a few words of ours.
    pub why: &'static str,
}

impl Step {
    /// Keeps a memory that is new.
    pub fn create(memory: Memory, identity: Option<[u8; 32]>, why: &'static str) -> Self {
        let change = Change::Create { memory: Box::new(memory), identity, history: Vec::new() };
        Self { change, before: None, why }
    }

    /// Puts the next version of a memory in its place.
    pub fn update(
        before: Memory,
        after: Memory,
        identity: Option<[u8; 32]>,
        why: &'static str,
    ) -> Self {
        let change = Change::Update { memory: Box::new(after), identity };
        Self { change, before: Some(before), why }
    }

    /// Returns the memory as it is afterwards, unless it is gone.
    pub fn after(&self) -> Option<&Memory> {
        match &self.change {
            Change::Create { memory, .. } | Change::Update { memory, .. } => Some(memory),
            Change::Forget { .. } | Change::Reject { .. } | Change::Embed { .. } => None,
        }
    }

    /// Returns which memory it is about.
    pub fn id(&self) -> &MemoryId {
        match &self.change {
            Change::Create { memory, .. } | Change::Update { memory, .. } => &memory.id,
            Change::Forget { id, .. } | Change::Reject { id, .. } | Change::Embed { id, .. } => id,
        }
    }
}
