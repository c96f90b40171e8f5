use std::fmt;
use std::str::FromStr;

use uuid::{ContextV7, Uuid};

use super::{Kind, Timestamp};
use crate::error::{Error, ErrorKind, Result};

/// The id of a memory: a prefix that names its kind, then a UUID of version 7.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(String);

impl MemoryId {
    /// Makes an id; with one context, later ids sort after earlier ones.
    pub(crate) fn generate(kind: Kind, now: Timestamp, context: &ContextV7) -> Self {
        Self(format!("{}_{}", kind.prefix(), unique_digits(now, context)))
    }

    /// Returns the kind that the prefix names.
    pub fn kind(&self) -> Option<Kind> {
        let prefix = self.0.split('_').next()?;
        Kind::ALL.iter().copied().find(|kind| kind.prefix() == prefix)
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Refuses what cannot be an id in the same words as an id that is not there.
impl FromStr for MemoryId {
    type Err = Error;

    fn from_str(raw: &str) -> Result<Self> {
        let known = raw.split_once('_').is_some_and(|(prefix, rest)| {
            Kind::ALL.iter().any(|kind| kind.prefix() == prefix) && is_digits(rest)
        });
        if known { Ok(Self(raw.to_owned())) } else { Err(Self::not_found(raw)) }
    }
}

impl MemoryId {
    /// Returns the error for an id that is not there, or not the caller's.
    pub fn not_found(id: &str) -> Error {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(48).collect();
        Error::new(ErrorKind::NotFound, format!("no memory {shown:?}"))
    }
}

/// Returns the 32 hexadecimal digits of a new UUID of version 7.
pub(crate) fn unique_digits(now: Timestamp, context: &ContextV7) -> String {
    let seconds = u64::try_from(now.as_second()).unwrap_or_default();
    let nanoseconds = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
    let time = uuid::Timestamp::from_unix(context, seconds, nanoseconds);
    Uuid::new_v7(time).simple().to_string()
}

/// Returns whether a text is 32 hexadecimal digits in lower case.
pub(super) fn is_digits(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
