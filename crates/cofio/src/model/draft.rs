use std::fmt;

use jiff::SignedDuration;

use super::{
    AccessPolicy, IdempotencyKey, Kind, MemoryId, Metadata, MetadataPatch, Scope, Source,
    Timestamp, Triple,
};

/// Something to remember, as somebody said it.
#[derive(Clone)]
pub struct Draft {
    /// Whose it will be.
    pub scope: Scope,
    /// What it is.
    pub kind: Kind,
    /// The text.
    pub content: String,
    /// Where it comes from.
    pub source: Source,
    /// What is known about it.
    pub metadata: Metadata,
    /// How widely it is meant to be seen.
    pub access_policy: AccessPolicy,
    /// When it happened; now, if nothing is said.
    pub event_at: Option<Timestamp>,
    /// How long it lives.
    pub lifetime: Lifetime,
    /// Subject, predicate and object of a procedure.
    pub triple: Option<Triple>,
    /// The key to keep it under: at most one memory of its kind in its scope has it.
    pub key: Option<String>,
    /// The memories it was concluded from.
    pub derived_from: Vec<MemoryId>,
    /// What becomes of what may be a secret.
    pub doubt: Doubt,
    /// Makes a repeated request return the first one's answer.
    pub idempotency_key: Option<IdempotencyKey>,
}

impl Draft {
    /// Starts a draft with what cannot be left out.
    pub fn new(scope: Scope, kind: Kind, content: impl Into<String>, source: Source) -> Self {
        Self {
            scope,
            kind,
            content: content.into(),
            source,
            metadata: Metadata::default(),
            access_policy: AccessPolicy::default(),
            event_at: None,
            lifetime: Lifetime::ByKind,
            triple: None,
            key: None,
            derived_from: Vec::new(),
            doubt: Doubt::default(),
            idempotency_key: None,
        }
    }
}

/// What becomes of what may be a secret and may be something harmless.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing is kept before somebody was asked.
    #[default]
    Ask,
    /// It is kept: somebody was asked and said so.
    Keep,
    /// It is taken out: nobody can be asked.
    Redact,
}

/// How long a memory lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as its kind does.
    #[default]
    ByKind,
    /// This long from now.
    For(SignedDuration),
    /// Until then.
    Until(Timestamp),
}

/// What to change in a memory.
#[derive(Clone, Default)]
pub struct Patch {
    /// The new text.
    pub content: Option<String>,
    /// Where the new text comes from; without it the memory keeps its source, and so its trust.
    pub source: Option<Source>,
    /// What to change in the metadata.
    pub metadata: MetadataPatch,
    /// How widely it is meant to be seen from now on.
    pub access_policy: Option<AccessPolicy>,
    /// The key to keep it under from now on.
    pub key: Option<String>,
    /// How long it lives from now on.
    pub lifetime: Option<Lifetime>,
    /// What becomes of what may be a secret.
    pub doubt: Doubt,
    /// The version it must still have; without one the change is made to whatever is there.
    pub expected_version: Option<u64>,
}

/// What to hold to be true in place of a memory.
#[derive(Clone)]
pub struct Correction {
    /// The text.
    pub content: String,
    /// Where it comes from.
    pub source: Source,
    /// Subject, predicate and object of a procedure; without them it has none any more.
    pub triple: Option<Triple>,
    /// Since when it holds, if the memory was true before; without it, the memory never was.
    pub since: Option<Timestamp>,
    /// What becomes of what may be a secret.
    pub doubt: Doubt,
}

impl Correction {
    /// Starts a correction with what cannot be left out.
    pub fn new(content: impl Into<String>, source: Source) -> Self {
        let (content, doubt) = (content.into(), Doubt::default());
        Self { content, source, triple: None, since: None, doubt }
    }
}

/// Who vouches for a memory.
#[derive(Clone)]
pub struct Confirmation {
    /// Where the confirmation comes from.
    pub source: Source,
    /// What the one who confirms has read; if the memory says anything else, nothing is confirmed.
    pub text: Option<String>,
}

impl Confirmation {
    /// Starts a confirmation by somebody who need not have read the text.
    pub fn new(source: Source) -> Self {
        Self { source, text: None }
    }
}

/// Shows whose and how large it is only: no secret was taken out of it yet.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft")
            .field("scope", &self.scope)
            .field("kind", &self.kind)
            .field("bytes", &self.content.len())
            .finish_non_exhaustive()
    }
}

/// Shows the size only: no secret was taken out of it yet.
impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patch")
            .field("bytes", &self.content.as_ref().map(String::len))
            .field("expected_version", &self.expected_version)
            .finish_non_exhaustive()
    }
}

/// Shows the size only: no secret was taken out of it yet.
impl fmt::Debug for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Correction").field("bytes", &self.content.len()).finish_non_exhaustive()
    }
}

/// Shows where it comes from only: the text may be a memory's.
impl fmt::Debug for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confirmation").field("source", &self.source).finish_non_exhaustive()
    }
}
