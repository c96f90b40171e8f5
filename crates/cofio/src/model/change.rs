use super::names::names;
use super::{AuditEvent, Fingerprint, Identifier, Memory, MemoryId, Scope, Timestamp, Work};
use crate::error::{Error, Result};

/// One thing that happens to one memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Keep a new memory.
    ///
    /// With an identity, a memory in the same scope that has it already is returned instead;
    /// one that has ended by itself is forgotten to make room.
    Create {
        /// The memory.
        memory: Box<Memory>,
        /// What makes two memories the same one.
        identity: Option<[u8; 32]>,
        /// Its earlier versions, the oldest first, if it was kept elsewhere before.
        history: Vec<Memory>,
    },
    /// Replace a memory by its next version, if it still has the version before.
    ///
    /// Whatever the next version says about its embedding, the store knows better: vectors stay
    /// as long as they are those of the text. Only of vectors that stand elsewhere it cannot know,
    /// and believes the next version.
    Update {
        /// The next version.
        memory: Box<Memory>,
        /// What makes two memories the same one.
        identity: Option<[u8; 32]>,
    },
    /// Remove a memory and everything that was made from its text.
    Forget {
        /// Which memory.
        id: MemoryId,
        /// Whose it is.
        scope: Scope,
        /// The version it must still have, if that matters.
        version: Option<u64>,
    },
    /// Remove a memory, and mark what it says as rejected in its scope.
    Reject {
        /// Which memory.
        id: MemoryId,
        /// Whose it is.
        scope: Scope,
        /// What all spellings of it have in common.
        value: ValueHash,
    },
    /// Keep the vectors of a memory's passages, if the memory still has this version and no other
    /// model was adopted.
    Embed {
        /// Which memory.
        id: MemoryId,
        /// The version whose text was embedded.
        version: u64,
        /// The model that made the vectors.
        fingerprint: Fingerprint,
        /// The vectors.
        vectors: Vectors,
    },
}

/// The vectors of a memory's passages.
#[derive(Debug, Clone, PartialEq)]
pub enum Vectors {
    /// In the order of the passages, to be kept beside the memory.
    Here(Vec<PassageVector>),
    /// On the shelf that the text stands on, where they are already.
    Elsewhere {
        /// How many numbers each has, if there is any.
        dimensions: Option<usize>,
    },
}

/// What becomes of a memory's vectors with its next version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inherited {
    /// They stay beside it.
    Same,
    /// There are none.
    Nothing,
    /// None stay beside it, as those of a model stand elsewhere.
    Elsewhere(Fingerprint),
}

/// What a passage means, to one model.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageVector {
    /// The hash of the passage, by which the same text is known again.
    pub hash: PassageHash,
    /// The vector, of length one.
    pub vector: Vec<f32>,
}

/// What all spellings of a value have in common, hashed.
pub type ValueHash = [u8; 32];

/// The hash of a passage's text.
pub type PassageHash = [u8; 16];

/// Everything that happens together or not at all.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Who does it.
    pub actor: Identifier,
    /// When.
    pub at: Timestamp,
    /// What happens.
    pub changes: Vec<Change>,
    /// What is recorded of it.
    pub audit: Vec<AuditEvent>,
    /// Makes a repeated commit return the first one's outcomes.
    pub idempotency: Option<(IdempotencyKey, [u8; 32])>,
    /// The job that it is part of, if the engine works of itself.
    pub work: Option<Box<Work>>,
}

/// What became of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A memory was added.
    Created(MemoryId),
    /// The memory was there already.
    Existing(MemoryId),
    /// The memory was changed.
    Updated(MemoryId),
    /// The memory was removed.
    Forgotten(MemoryId),
    /// The vector was kept.
    Embedded(MemoryId),
    /// There was nothing to change.
    Missing(MemoryId),
}

impl Outcome {
    /// Returns the memory it is about.
    pub fn id(&self) -> &MemoryId {
        match self {
            Self::Created(id)
            | Self::Existing(id)
            | Self::Updated(id)
            | Self::Forgotten(id)
            | Self::Embedded(id)
            | Self::Missing(id) => id,
        }
    }

    /// Returns whether anything is different afterwards.
    pub fn changed(&self) -> bool {
        !matches!(self, Self::Existing(_) | Self::Missing(_))
    }
}

/// What kind of change was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// A memory was added.
    Created,
    /// A memory was changed.
    Updated,
    /// A memory was removed.
    Deleted,
}

names!(ChangeKind, "change", Invalid, {
    Created => "created", Updated => "updated", Deleted => "deleted",
});

/// One place in the sequence of all changes of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRecord {
    /// The place; later changes have larger ones.
    pub sequence: u64,
    /// Which memory.
    pub id: MemoryId,
    /// Whose it is.
    pub scope: Scope,
    /// What happened.
    pub kind: ChangeKind,
    /// The version it left behind.
    pub version: u64,
    /// When.
    pub at: Timestamp,
}

/// That somebody read; recorded soon, and lost without harm.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Who read.
    pub actor: Identifier,
    /// When.
    pub at: Timestamp,
    /// The memories that were shown.
    pub ids: Vec<MemoryId>,
    /// What is recorded of it.
    pub audit: AuditEvent,
}

/// A caller's own name for a request: 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Checks a key.
    pub fn new(raw: impl Into<String>) -> Result<Self> {
        let raw = raw.into();
        if raw.is_empty() || raw.len() > 255 || !raw.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::invalid("an idempotency key is 1 to 255 visible ASCII characters"));
        }
        Ok(Self(raw))
    }

    /// Returns the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
