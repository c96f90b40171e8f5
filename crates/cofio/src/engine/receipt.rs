use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Engine;
use crate::error::Result;
use crate::model::{
    AuditAction, AuditEvent, Identifier, MemoryId, Scope, Timestamp, unique_digits,
};
use crate::store::Entries;

/// How many ids an audit entry names; of more, the sequence of changes has them.
const NAMED: usize = 100;

/// How many audit entries are looked through at a time.
const PIECE: usize = 100;

/// That memories were forgotten: what is safe to keep of it, and nothing to guess their text by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Tells it from others.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// Who asked for it.
    pub actor: Identifier,
    /// How the memories were chosen.
    pub reason: ForgetReason,
    /// The memories that are gone, with whose they were.
    pub memories: Vec<(MemoryId, Scope)>,
    /// How many of them were concluded from the others.
    pub derived: usize,
    /// Where the audit has it.
    pub audit: AuditPlace,
}

/// An entry of the audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPlace {
    /// Its place.
    pub sequence: u64,
    /// Its hash, in hexadecimal.
    pub hash: String,
}

/// How memories were chosen that were forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForgetReason {
    /// By id.
    Id,
    /// By what they are like.
    Filter,
    /// By where they came from.
    Source,
    /// From what a search for a topic found.
    Topic,
    /// They no longer fit into the window of a conversation.
    Window,
}

impl ForgetReason {
    /// Returns the name that records use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Filter => "filter",
            Self::Source => "source",
            Self::Topic => "topic",
            Self::Window => "window",
        }
    }
}

impl Engine {
    /// Returns the place of the last audit entry.
    pub(super) async fn audit_end(&self) -> Result<u64> {
        let last = self.store.audit(None, Entries::Latest, 1).await?;
        Ok(last.last().map_or(0, |entry| entry.record.sequence))
    }

    /// Finds the audit entry of a receipt among those after a place.
    pub(super) async fn place_of(
        &self,
        receipt: &str,
        mut after: u64,
    ) -> Result<Option<AuditPlace>> {
        loop {
            let entries = self.store.audit(None, Entries::After(after), PIECE).await?;
            let Some(last) = entries.last() else { return Ok(None) };
            after = last.record.sequence;
            let named = |details: &Map<String, Value>| {
                details.get("receipt").and_then(Value::as_str) == Some(receipt)
            };
            if let Some(entry) = entries.into_iter().find(|entry| named(&entry.record.details)) {
                let sequence = entry.record.sequence;
                return Ok(Some(AuditPlace { sequence, hash: entry.hash }));
            }
        }
    }

    pub(super) fn new_receipt(&self, now: Timestamp) -> String {
        let context = self.ids.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        format!("receipt_{}", unique_digits(now, &context))
    }
}

/// Returns what is recorded of a deletion: which memories or how many, and why; never content.
pub(super) fn deletion(whose: &[(MemoryId, Scope)], reason: ForgetReason) -> AuditEvent {
    let action = if whose.len() == 1 { AuditAction::Delete } else { AuditAction::BulkDelete };
    let mut scopes: Vec<&Scope> = whose.iter().map(|(_, scope)| scope).collect();
    scopes.dedup();
    let scope = if let [one] = scopes[..] { Some(one.clone()) } else { None };
    let event = AuditEvent { scope, ..AuditEvent::new(action) }
        .with("count", whose.len())
        .with("reason", reason.as_str())
        .with("kinds", kinds(whose));
    if whose.len() > NAMED {
        return event;
    }
    let ids: Vec<&str> = whose.iter().map(|(id, _)| id.as_str()).collect();
    event.with("ids", ids)
}

/// Returns how many memories there are of each kind.
pub(super) fn kinds(whose: &[(MemoryId, Scope)]) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, _) in whose {
        *counts.entry(id.kind().map_or("unknown", |kind| kind.as_str())).or_default() += 1;
    }
    counts.into_iter().map(|(kind, count)| (kind.to_owned(), Value::from(count))).collect()
}
