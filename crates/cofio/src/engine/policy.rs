use std::collections::{HashMap, HashSet};

use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest;
use crate::model::{
    AuditAction, AuditEvent, Caller, Kind, Memory, MemoryId, Scope, Timestamp, ValueHash,
};

impl Engine {
    /// Returns those memories that say what somebody rejected before, however it is spelt.
    ///
    /// What was said in a conversation was said, so turns of it are never among them.
    pub(super) async fn rejected<'a>(
        &self,
        memories: impl Iterator<Item = &'a Memory>,
    ) -> Result<HashSet<MemoryId>> {
        let mut learnt: HashMap<&Scope, Vec<(&MemoryId, ValueHash)>> = HashMap::new();
        for memory in memories.filter(|memory| is_learnt(memory.kind)) {
            let value = ingest::value_hash(&memory.scope, memory.content.as_str());
            let values = learnt.entry(&memory.scope).or_default();
            values.extend(value.map(|value| (&memory.id, value)));
        }
        let mut rejected = HashSet::new();
        for (scope, learnt) in learnt {
            let values: Vec<ValueHash> = learnt.iter().map(|(_, value)| *value).collect();
            let found = self.store.are_rejected(scope, &values).await?;
            let found = learnt.iter().zip(found).filter(|(_, found)| *found);
            rejected.extend(found.map(|((id, _), _)| (*id).clone()));
        }
        Ok(rejected)
    }

    /// Passes a result on, after putting on record that a write was refused.
    pub(super) async fn recording_refusals<T>(
        &self,
        caller: &Caller,
        now: Timestamp,
        result: Result<T>,
    ) -> Result<T> {
        if let Err(error) = &result
            && let Some(event) = refusal(error)
        {
            self.commit(caller, now, Vec::new(), vec![event], None).await?;
        }
        result
    }
}

/// Returns what is recorded of an error, if it is a refusal.
pub(super) fn refusal(error: &Error) -> Option<AuditEvent> {
    (error.kind() == ErrorKind::Refused).then(|| {
        let mut event = AuditEvent::new(AuditAction::PoisoningAttemptBlocked);
        event.details.clone_from(error.details());
        event
    })
}

/// Makes the error for what somebody rejected before.
pub(super) fn was_rejected() -> Error {
    let message = "this was rejected before and is not learnt again";
    Error::new(ErrorKind::Refused, message).with("reason", "rejected")
}

/// Returns whether a memory of this kind claims that something is so.
fn is_learnt(kind: Kind) -> bool {
    !matches!(kind, Kind::Working | Kind::Episode)
}
