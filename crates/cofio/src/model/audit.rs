use serde_json::{Map, Value};

use super::names::names;
use super::{Identifier, Scope, Timestamp};

/// What an audit entry records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditAction {
    /// Memories were added or changed.
    Write,
    /// Memories were read.
    Read,
    /// A memory was removed.
    Delete,
    /// Several memories were removed together.
    BulkDelete,
    /// Expired memories were removed.
    TtlCleanup,
    /// A job changed memories.
    Maintenance,
    /// A secret was taken out of a text.
    SecretRedacted,
    /// A write was refused.
    PoisoningAttemptBlocked,
    /// A key was made.
    KeyCreated,
    /// A key was made to end.
    KeyRevoked,
    /// A key was made to end, and another one took its place.
    KeyRotated,
}

names!(AuditAction, "audit action", Invalid, {
    Write => "memory_write",
    Read => "memory_read",
    Delete => "memory_delete",
    BulkDelete => "memory_bulk_delete",
    TtlCleanup => "memory_ttl_cleanup",
    Maintenance => "memory_maintenance",
    SecretRedacted => "secret_redacted",
    PoisoningAttemptBlocked => "poisoning_attempt_blocked",
    KeyCreated => "key_created",
    KeyRevoked => "key_revoked",
    KeyRotated => "key_rotated",
});

/// What to record: never content, never a secret.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// What happened.
    pub action: AuditAction,
    /// Where, if it was one place.
    pub scope: Option<Scope>,
    /// Sizes, counts, sources and reasons.
    pub details: Map<String, Value>,
}

impl AuditEvent {
    /// Starts an event without details.
    pub fn new(action: AuditAction) -> Self {
        Self { action, scope: None, details: Map::new() }
    }

    /// Returns the same event with one detail added.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

/// An event with its place and time, before it is chained.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// The place; the first is 1 and none is left out.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Identifier,
    /// What.
    pub action: AuditAction,
    /// Where, as the scope's text.
    pub scope: Option<String>,
    /// The changes that were committed with it.
    pub changes: Option<ChangeRange>,
    /// Sizes, counts, sources and reasons.
    pub details: Map<String, Value>,
}

/// A stretch of the sequence of changes, with a digest of what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRange {
    /// The first change.
    pub first: u64,
    /// The last change.
    pub last: u64,
    /// The digest, in hexadecimal.
    pub digest: String,
}

/// A record and its link in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// What is recorded.
    pub record: AuditRecord,
    /// The hash of the entry before, in hexadecimal.
    pub previous: String,
    /// The hash of this record and of `previous`, in hexadecimal.
    pub hash: String,
}
