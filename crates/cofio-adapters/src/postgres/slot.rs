//! A memory as it will be when a transaction ends.

use std::sync::Arc;

use cofio::Result;
use cofio::model::{Change, Embedding, Fingerprint, Memory, PassageVector, Timestamp, Vectors};
use cofio::store::kit::{Derived, Ready};
use cofio::store::{decode, encode};

/// What makes two memories of a scope the same one.
pub(super) type Identity = [u8; 32];

/// A memory as it will be.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) number: i64,
    pub(super) scope: i64,
    pub(super) version: u64,
    pub(super) expires_at: Option<i64>,
    pub(super) identity: Option<Identity>,
    pub(super) assistant: bool,
    /// What the database has of it, unless it is new.
    pub(super) stored: Option<Arc<Stored>>,
    /// What it says, if that was written just now.
    pub(super) content: Option<Content>,
    /// What it came with, if it is new.
    pub(super) created: Option<Content>,
    /// Versions to be kept, the oldest first.
    pub(super) earlier: Vec<Version>,
    /// When it was forgotten, if it was just now.
    pub(super) gone: Option<Timestamp>,
    /// Whether the vectors that it had are no longer those of its text.
    pub(super) outdated: bool,
    /// The vectors that it has now.
    pub(super) embedded: Option<Content>,
    pub(super) queue: Queue,
    pub(super) stages: Stages,
}

/// What the database has of a memory.
#[derive(Debug, Default)]
pub(super) struct Stored {
    pub(super) author: Option<String>,
    pub(super) passages: i32,
    /// There if it may be replaced.
    pub(super) document: Option<String>,
}

/// A change, by its place in a commit.
#[derive(Clone)]
pub(super) struct Content {
    ready: Arc<Ready>,
    place: usize,
}

/// An earlier version, as it is kept.
#[derive(Clone)]
pub(super) struct Version {
    pub(super) number: u64,
    pub(super) written_at: Timestamp,
    pub(super) document: Arc<str>,
}

/// What becomes of a memory's place among those that wait for vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    /// It is as before.
    Same,
    /// It waits, and if it did before, it goes on waiting.
    Waits,
    /// It waits as if it were new.
    Again,
    /// It waits no longer.
    Done,
}

impl Queue {
    /// Returns what becomes of a place if the memory has no vectors, for the same text or another.
    pub(super) fn waiting(self, same_text: bool) -> Self {
        if same_text && self != Self::Again { Self::Waits } else { Self::Again }
    }
}

/// Which stages a memory has to come through again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stages {
    None,
    NotOfText,
    All,
}

impl Content {
    pub(super) fn new(ready: &Arc<Ready>, place: usize) -> Self {
        Self { ready: Arc::clone(ready), place }
    }

    fn change(&self) -> &Change {
        &self.ready.commit.changes[self.place]
    }

    /// Returns the memory that a change keeps.
    pub(super) fn memory(&self) -> &Memory {
        match self.change() {
            Change::Create { memory, .. } | Change::Update { memory, .. } => memory,
            _ => unreachable!("only a change that keeps a memory is content"),
        }
    }

    /// Returns what follows from that memory.
    pub(super) fn derived(&self) -> &Derived {
        &self.ready.derived[self.place]
    }

    /// Returns the model whose vectors a memory has after a change.
    pub(super) fn model(&self) -> &Fingerprint {
        match self.change() {
            Change::Embed { fingerprint, .. } => fingerprint,
            Change::Update { memory, .. } => match &memory.embedding {
                Embedding::Ready(by) => by,
                Embedding::Pending => unreachable!("what waits for vectors has none"),
            },
            _ => unreachable!("only a change after which a memory has vectors is an embedding"),
        }
    }

    /// Returns the vectors that a change keeps beside the memory.
    pub(super) fn vectors(&self) -> &[PassageVector] {
        match self.change() {
            Change::Embed { vectors: Vectors::Here(vectors), .. } => vectors,
            _ => &[],
        }
    }

    /// Returns how many dimensions vectors have that stand elsewhere.
    pub(super) fn dimensions_elsewhere(&self) -> Option<usize> {
        match self.change() {
            Change::Embed { vectors: Vectors::Elsewhere { dimensions }, .. } => *dimensions,
            _ => None,
        }
    }
}

impl Slot {
    /// Returns what the memory says, and its document.
    pub(super) fn current(&self) -> Result<(Memory, Arc<str>)> {
        if let Some(content) = &self.content {
            let document = Arc::from(content.derived().document.as_str());
            return Ok((content.memory().clone(), document));
        }
        let stored = self.stored.as_ref().and_then(|stored| stored.document.as_deref());
        let document = stored.unwrap_or_default();
        Ok((decode(document)?, Arc::from(document)))
    }
}

impl Version {
    /// Returns a memory as an earlier version.
    pub(super) fn of(memory: &Memory) -> Self {
        Self {
            number: memory.version,
            written_at: memory.written_at(),
            document: encode(memory).into(),
        }
    }
}
