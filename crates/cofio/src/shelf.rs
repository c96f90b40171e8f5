//! Where a home keeps contents and vectors that do not stand in itself: the contract, and a shelf
//! in the process.
//!
//! A home is a [`crate::store::Store`] with a row for every memory. A shelf knows no rows, only
//! slots: contents are put under one before the row names it, and removed after no row does. A
//! slot is never used for anything else, so every call may be repeated, and nothing that comes late
//! can bring back what is gone from the home or show what it does not name yet.

#[cfg(feature = "conformance")]
pub mod conformance;
mod memory_shelf;

use async_trait::async_trait;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{CleanText, Fingerprint, Kind, Meaning, Memory, Scope, State, Timestamp};

pub use crate::model::{Component, Health, Slot, Status};
pub use memory_shelf::MemoryShelf;

/// Keeps contents, and vectors if it can, for a home.
///
/// Every method names scopes, and never reads or changes anything outside: a slot of one scope says
/// nothing of another's. All of them may be called again after a failure, whether or not the call
/// before did its work. What is asked with no slots, contents or scopes is done at once.
#[async_trait]
pub trait Shelf: Send + Sync {
    /// Returns what this shelf can do; it never changes.
    fn abilities(&self) -> Abilities;

    /// Keeps contents, and returns when all are written as safely as the shelf is able to.
    ///
    /// After a failure some may be there and others not.
    async fn put(&self, contents: &[Content]) -> Result<()>;

    /// Returns the texts under slots, in their order; `None` where there is none.
    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>>;

    /// Removes all that is kept under slots: texts, and the vectors of every model.
    ///
    /// What is not there is removed already.
    async fn remove(&self, slots: &[Slot]) -> Result<()>;

    /// Returns some of the slots of a scope under which anything is kept, by id and edition, those
    /// after a place; that one may be gone.
    ///
    /// Fewer than `limit` come back only if there are no more. A shelf may look through all of the
    /// scope for it, so whoever wants all of them asks for many at a time.
    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>>;

    /// Keeps all vectors that a model made of what slots hold, in the place of those before.
    ///
    /// A model's vectors all have the same number of dimensions; others are refused with
    /// `Configuration`. This and the methods below fail with `Unsupported` on a shelf without
    /// [`Abilities::vectors`].
    async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()>;

    /// Returns the vectors that a model made of what slots hold, in their order; `None` where there are none.
    async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>>;

    /// Removes the vectors that a model made of slots; texts stay, and so do other models' vectors.
    async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()>;

    /// Returns the slots whose best passage is nearest to a meaning, best first, with its cosine.
    ///
    /// What is not within takes no place among them. Fewer than `limit` come back only if there are
    /// no more; of very many, a shelf may overlook one that is not among the very nearest. Vectors
    /// of another model are not compared.
    async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>>;

    /// Returns the cosine of the best passage of each slot, in their order; `None` where the model
    /// made no vectors.
    async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>>;

    /// Returns the cosines of up to so many passages of the scopes, whichever they are.
    ///
    /// They are chosen without regard to the meaning, so that they show what is usual.
    async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>>;

    /// Returns how the shelf is; fails if it does not answer at all.
    async fn health(&self) -> Result<Health>;
}

/// What a shelf can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Keeps vectors and finds by them.
    pub vectors: bool,
    /// Lets go of what has ended, at its time; otherwise it stays until it is removed.
    pub expiry: bool,
}

/// A text with the slot it stands under.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Where it stands.
    pub slot: Slot,
    /// The text.
    pub text: CleanText,
    /// What it is found by.
    pub labels: Labels,
}

/// What a shelf has to know of a memory besides its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// What it is.
    pub kind: Kind,
    /// Where it is in its life.
    pub state: State,
    /// Whether an assistant said it.
    pub assistant: bool,
    /// When it happened.
    pub event_at: Timestamp,
    /// When it ends by itself.
    pub ends_at: Option<Timestamp>,
}

impl Labels {
    /// Returns the labels of a memory.
    pub fn of(memory: &Memory) -> Self {
        Self {
            kind: memory.kind,
            state: memory.state,
            assistant: memory.said_by_assistant(),
            event_at: memory.event_at,
            ends_at: memory.expires_at,
        }
    }
}

/// The vectors that a model made of what a slot holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// Where the text stands.
    pub slot: Slot,
    /// What it is found by.
    pub labels: Labels,
    /// One vector of length one for each passage.
    pub vectors: Vec<Vec<f32>>,
}

/// Among what to look.
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// Whose it is; none means nothing at all.
    pub scopes: Vec<Scope>,
    /// What it is; none means anything.
    pub kinds: Vec<Kind>,
    /// Where it is in its life; none means anywhere.
    pub states: Vec<State>,
}

impl Within {
    /// Looks among everything in the scopes.
    pub fn scopes(scopes: Vec<Scope>) -> Self {
        Self { scopes, kinds: Vec::new(), states: Vec::new() }
    }
}

/// How near a passage is, whichever it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// Its cosine to the meaning.
    pub cosine: f32,
    /// Whether an assistant said it.
    pub assistant: bool,
}

/// Returns the error of a shelf that cannot find by vectors.
pub fn without_vectors() -> Error {
    Error::new(ErrorKind::Unsupported, "this shelf keeps no vectors")
}

/// Returns the error of a vector that cannot be compared with those of its model.
pub fn other_dimensions(model: &Fingerprint, found: usize, kept: usize) -> Error {
    let message = format!(
        "a vector has {found} dimensions where the shelf keeps {kept} for {model}: \
         what makes vectors under this name has changed"
    );
    Error::new(ErrorKind::Configuration, message).with("found", found).with("kept", kept)
}
