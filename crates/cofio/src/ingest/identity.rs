//! What makes two memories, or two requests, the same one.

use sha2::{Digest, Sha256};

use crate::model::{Draft, IdempotencyKey, Kind, Memory, State, Timestamp};

/// Returns what a memory has in common with its exact duplicates in the same scope.
///
/// A memory by key is the same as any other of its kind under that key. Turns of a conversation
/// that is going on are never the same. An episode is the same only if the same person said it at
/// the same time, where a time was given; everything else is the same if it says the same.
/// What was replaced is the same as nothing, so that it can be learnt again.
pub fn identity(memory: &Memory, said_at: Option<Timestamp>) -> Option<[u8; 32]> {
    if memory.state == State::Superseded {
        return None;
    }
    let mut hash = Fields::new(memory.kind.as_str());
    if let Some(key) = &memory.key {
        return Some(hash.add("key").add(key).finish());
    }
    match memory.kind {
        Kind::Working => return None,
        Kind::Episode => {
            let source = &memory.source;
            let said_at = said_at.map(|moment| moment.as_microsecond().to_string());
            hash.optional(source.session.as_ref().map(ToString::to_string).as_deref())
                .optional(source.message.as_deref())
                .optional(source.role.as_deref())
                .optional(memory.metadata.author.as_deref())
                .optional(said_at.as_deref());
        }
        Kind::Procedure => {
            if let Some(triple) = &memory.triple {
                hash.add(&triple.fact_type).add(&triple.subject);
                hash.add(&triple.predicate).add(&triple.object);
            }
        }
        Kind::Context | Kind::Fact | Kind::Reflection => {}
    }
    Some(hash.add(memory.content.as_str()).finish())
}

/// Returns what a repeated request has in common with the first.
///
/// The key is part of it and is not stored, so that nobody can guess from it what was forgotten.
pub fn request_hash(key: &IdempotencyKey, drafts: &[Draft]) -> [u8; 32] {
    let mut hash = Fields::new("remember");
    hash.add(key.as_str());
    for draft in drafts {
        hash.add(&draft.scope.to_string()).add(draft.kind.as_str()).add(&draft.content);
        hash.add(&format!("{:?}", draft.metadata)).optional(draft.key.as_deref());
        hash.add(&format!("{:?} {:?} {:?}", draft.triple, draft.event_at, draft.lifetime));
        hash.add(&format!("{:?} {:?}", draft.source, draft.access_policy));
        hash.add(&format!("{:?}", draft.derived_from));
    }
    hash.finish()
}

/// Hashes fields so that moving a character from one to the next changes the hash.
struct Fields(Sha256);

impl Fields {
    fn new(purpose: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.add(purpose);
        fields
    }

    fn add(&mut self, field: &str) -> &mut Self {
        self.0.update((field.len() as u64).to_le_bytes());
        self.0.update(field);
        self
    }

    fn optional(&mut self, field: Option<&str>) -> &mut Self {
        match field {
            Some(field) => self.add("some").add(field),
            None => self.add("none"),
        }
    }

    fn finish(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }
}
