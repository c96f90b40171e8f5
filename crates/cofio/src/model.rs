//! The words everyone in the library speaks: memories, whose they are, who asks, and what changes.
//!
//! Values only: nothing here reads a clock, a file or a store.

mod audit;
mod bound;
mod caller;
mod change;
mod clean_text;
mod draft;
mod entity;
mod evidence;
mod filter;
mod health;
mod id;
mod identifier;
mod job;
mod key;
mod kind;
mod layer;
mod memory;
mod metadata;
pub(crate) mod names;
mod right;
mod scope;
mod slot;
mod source;
mod spending;
mod token;

pub use audit::{AuditAction, AuditEntry, AuditEvent, AuditRecord, ChangeRange};
pub use bound::Bound;
pub use caller::{Access, Caller, Grant};
pub use change::{
    Change, ChangeKind, ChangeRecord, Commit, IdempotencyKey, Inherited, Outcome, PassageHash,
    PassageVector, Reading, ValueHash, Vectors,
};
pub use clean_text::{CleanText, Standing};
pub use draft::{Confirmation, Correction, Doubt, Draft, Lifetime, Patch};
pub use entity::{Entity, EntityType, Mention};
pub use evidence::{
    Author, Cues, Evidence, Groups, Meaning, Occurrence, Occurrences, Place, Spread, Survey, Turn,
    WordUse,
};
pub use filter::{Criteria, Filter, Objection, TimeRange, TriplePattern};
pub use health::{Checkup, Component, Health, PendingCheckup, Status};
pub use id::MemoryId;
pub(crate) use id::unique_digits;
pub use identifier::{Identifier, Identifiers};
pub use job::{Counts, Job, JobId, JobState, Portion, Stage, Task, Trigger, Waiting, Work};
pub use key::{Key, KeyChange, KeyCommit, KeyDraft, KeyId};
pub use kind::Kind;
pub use layer::Layer;
pub use memory::{
    AccessPolicy, Accesses, Embedding, Fingerprint, Memory, Provenance, State, Triple,
};
pub use metadata::{Edit, Fraction, KnowledgePointer, KnowledgeType, Metadata, MetadataPatch};
pub use right::{Right, Rights};
pub use scope::Scope;
pub use slot::{Slot, Unshelved};
pub use source::{Channel, Source, SourceType, Trust};
pub use spending::{Amount, Spending, Spent};
pub use token::{KeyHash, Token};

pub use jiff::Timestamp;

/// Cuts off what is finer than a microsecond, which no store keeps.
pub(crate) fn microseconds(moment: Timestamp) -> Timestamp {
    let whole = || Timestamp::from_second(moment.as_second());
    // The last second of the calendar has no microseconds that can be read back.
    Timestamp::from_microsecond(moment.as_microsecond()).or_else(|_| whole()).unwrap_or(moment)
}
