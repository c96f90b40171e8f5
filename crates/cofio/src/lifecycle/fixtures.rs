//! Memories that tests are about.

use jiff::SignedDuration;

use crate::model::{
    AccessPolicy, Accesses, Channel, CleanText, Embedding, Identifier, Kind, Memory, Metadata,
    Provenance, Scope, Source, State, Timestamp,
};

/// When the memories were learnt.
pub(super) const LEARNT: &str = "2026-03-01T12:00:00Z";

/// Returns a moment so many days after the memories were learnt.
pub(super) fn after(days: i64) -> Timestamp {
    LEARNT.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * days)
}

/// Returns somebody's own scope.
pub(super) fn user(name: &str) -> Scope {
    Scope::user(Identifier::new(name).unwrap())
}

/// Returns a memory of Alice's.
pub(super) fn memory(kind: Kind, number: u64, text: &str) -> Memory {
    Memory {
        id: format!("{}_{number:032x}", kind.prefix()).parse().unwrap(),
        scope: user("alice"),
        kind,
        state: State::Active,
        content: CleanText::stored(text.to_owned()),
        metadata: Metadata::default(),
        source: Source::through(Channel::OwnerMessage),
        access_policy: AccessPolicy::Private,
        event_at: after(0),
        created_at: after(0),
        updated_at: after(0),
        expires_at: None,
        valid_until: None,
        decay_rate: if kind.decays() { 0.1 } else { 0.0 },
        accesses: Accesses::default(),
        provenance: Provenance::default(),
        triple: None,
        key: None,
        entities: Vec::new(),
        instructs: false,
        version: 1,
        embedding: Embedding::Pending,
    }
}

/// Returns a fact of Alice's.
pub(super) fn fact(number: u64, text: &str) -> Memory {
    memory(Kind::Fact, number, text)
}
