//! Commits that cannot be made, in the words of every store.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{KeyId, MemoryId, Outcome, Work};

/// Returns the error of a version that is no longer the one expected.
pub fn version_conflict(id: &MemoryId, expected: u64, found: u64) -> Error {
    let message = format!("{id} has version {found}, not {expected}: somebody changed it since");
    Error::new(ErrorKind::Conflict, message).with("expected", expected).with("found", found)
}

/// Refuses outcomes of a job's commit among which a change had nothing to change.
pub fn check_work(work: Option<&Work>, outcomes: &[Outcome]) -> Result<()> {
    match outcomes.iter().find(|outcome| !outcome.changed()) {
        Some(outcome) if work.is_some() => {
            let message = format!("{} is not as it was when the job was planned", outcome.id());
            Err(Error::new(ErrorKind::Conflict, message))
        }
        _ => Ok(()),
    }
}

/// Returns the error of a new key that has the id of another.
pub fn key_exists(id: &KeyId) -> Error {
    Error::new(ErrorKind::Conflict, format!("{id} is there already"))
}

/// Returns the error of a key that was replaced before.
pub fn key_replaced(id: &KeyId, by: &KeyId) -> Error {
    Error::new(ErrorKind::Conflict, format!("{id} was replaced by {by}"))
        .with("replacedBy", by.as_str())
}

/// Returns the error of an idempotency key that came back with another request.
pub fn key_conflict() -> Error {
    Error::new(ErrorKind::Conflict, "this idempotency key was used for another request")
}

/// Returns the error of a change that would make a memory say the same as another.
pub fn already_known(other: &MemoryId) -> Error {
    let message = format!("{other} says the same in the same scope");
    Error::new(ErrorKind::Conflict, message).with("existing", other.as_str())
}
