use std::fmt;
use std::str::FromStr;

use uuid::ContextV7;

use super::id::{is_digits, unique_digits};
use super::{AuditEvent, Bound, Caller, Identifier, KeyHash, Right, Rights, Timestamp, Trust};
use crate::error::{Error, ErrorKind, Result};

/// The id of a key: `key_`, then a UUID of version 7.
///
/// It is no secret: it tells whose doing something was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(String);

impl KeyId {
    /// Makes an id; with one context, later ids sort after earlier ones.
    pub(crate) fn generate(now: Timestamp, context: &ContextV7) -> Self {
        Self::from_digits(&unique_digits(now, context))
    }

    pub(super) fn from_digits(digits: &str) -> Self {
        Self(format!("key_{digits}"))
    }

    /// Returns the id that no key has, as those of keys are of version 7.
    pub(crate) fn nobodys() -> Self {
        Self::from_digits(&"0".repeat(32))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the 32 hexadecimal digits of the UUID.
    pub(super) fn digits(&self) -> &str {
        self.0.trim_start_matches("key_")
    }

    /// Returns the error for an id that is not there.
    pub(crate) fn not_found(id: &str) -> Error {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(48).collect();
        Error::new(ErrorKind::NotFound, format!("no key {shown:?}"))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Refuses what cannot be an id in the same words as an id that is not there.
impl FromStr for KeyId {
    type Err = Error;

    fn from_str(raw: &str) -> Result<Self> {
        let digits = raw.strip_prefix("key_").filter(|rest| is_digits(rest));
        digits.map(Self::from_digits).ok_or_else(|| Self::not_found(raw))
    }
}

/// What a program may do, and where, once it has proved itself by a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Which key.
    pub id: KeyId,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub rights: Rights,
    /// What it opens.
    pub bound: Bound,
    /// How far what is written with it is trusted at most.
    pub trust: Trust,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked; it opens nothing any more, whatever a clock says.
    pub revoked_at: Option<Timestamp>,
    /// The key that took its place.
    pub replaced_by: Option<KeyId>,
}

impl Key {
    /// Returns whether it opens anything at a moment.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns whoever comes with it; what they do is recorded under the id of the key.
    pub fn caller(&self) -> Caller {
        let actor = Identifier::new(self.id.as_str()).expect("an id of a key is visible and short");
        Caller::opening(actor, self.bound.access())
            .with_rights(self.rights)
            .trusted_at_most(self.trust)
    }
}

/// A key that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDraft {
    /// What people will call it.
    pub name: String,
    /// What it may do.
    pub rights: Rights,
    /// What it opens; nothing for one that may administer the store, to which everything is open.
    pub bound: Bound,
    /// How far what is written with it is trusted at most.
    pub trust: Trust,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

impl KeyDraft {
    /// Asks for a key that may read and write, and never ends by itself.
    pub fn new(name: impl Into<String>, bound: Bound) -> Self {
        let rights = Rights::of(&[Right::Read, Right::Write]);
        Self { name: name.into(), rights, bound, trust: Trust::High, expires_at: None }
    }
}

/// One thing that happens to one key.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyChange {
    /// Keep a new key.
    Create {
        /// The key.
        key: Box<Key>,
        /// What its token is known by.
        hash: KeyHash,
    },
    /// Let a key open nothing any more.
    Revoke {
        /// Which key.
        id: KeyId,
    },
    /// Note which key takes the place of one, which ends at a moment unless it ends earlier.
    ///
    /// It is a conflict if another took its place before.
    Replace {
        /// Which key.
        id: KeyId,
        /// The one that takes its place.
        by: KeyId,
        /// When it ends.
        ends_at: Timestamp,
    },
}

/// Everything that happens to keys together or not at all.
#[derive(Debug, Clone)]
pub struct KeyCommit {
    /// Who does it.
    pub actor: Identifier,
    /// When.
    pub at: Timestamp,
    /// What happens.
    pub changes: Vec<KeyChange>,
    /// What is recorded of it.
    pub audit: Vec<AuditEvent>,
}
