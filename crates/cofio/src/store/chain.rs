//! The hash chain of the audit: what is hashed, and how a broken link is found.

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{AuditEntry, AuditRecord, ChangeKind, MemoryId};
use crate::text::hex;

/// The hash that the first entry follows.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Chains a record to the hash of the entry before it.
pub fn link(record: AuditRecord, previous: &str) -> AuditEntry {
    let hash = hash(&record, previous);
    AuditEntry { record, previous: previous.to_owned(), hash }
}

/// Returns the digest of a stretch of changes, so that an entry also vouches for them.
pub fn change_digest<'a>(
    changes: impl IntoIterator<Item = (u64, &'a MemoryId, ChangeKind)>,
) -> String {
    let mut hasher = Sha256::new();
    for (sequence, id, kind) in changes {
        hasher.update(format!("{sequence} {id} {kind}\n"));
    }
    hex(&hasher.finalize())
}

/// Checks that entries follow each other from `previous`, and returns the last hash.
pub fn verify<'a>(
    previous: &str,
    expected_sequence: u64,
    entries: impl IntoIterator<Item = &'a AuditEntry>,
) -> Result<String> {
    let mut previous = previous.to_owned();
    for (sequence, entry) in (expected_sequence..).zip(entries) {
        let follows = entry.record.sequence == sequence && entry.previous == previous;
        if !follows || entry.hash != hash(&entry.record, &previous) {
            return Err(broken(sequence));
        }
        previous.clone_from(&entry.hash);
    }
    Ok(previous)
}

/// Returns the error for a chain that does not hold at `sequence`.
pub fn broken(sequence: u64) -> Error {
    let message = format!("the audit was tampered with at or before entry {sequence}");
    Error::new(ErrorKind::Damaged, message).with("sequence", sequence)
}

fn hash(record: &AuditRecord, previous: &str) -> String {
    let changes = record.changes.as_ref();
    // An array has one order of its parts, and the map of details is sorted by name.
    let canonical = json!([
        previous,
        record.sequence,
        record.at.as_microsecond(),
        record.actor.as_str(),
        record.action.as_str(),
        record.scope,
        changes.map(|range| json!([range.first, range.last, range.digest])),
        record.details,
    ]);
    hex(&Sha256::digest(canonical.to_string()))
}
