//! What becomes of a memory that turned out to be wrong, and what takes its place.

use super::prepare::refuse_lower_trust;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Correction, Draft, Lifetime, Memory, MemoryId, Metadata, Provenance, State, Timestamp,
};

/// Returns what is to be remembered in place of a memory.
///
/// It is the same sort of memory with the same labels; what was known of the old text in
/// particular, such as how certain it is, is not known of the new one. It holds since the world
/// changed or, where it did not, in place of the old one from the beginning.
pub fn replacement(memory: &Memory, correction: Correction) -> Result<Draft> {
    refuse_superseded(memory)?;
    refuse_lower_trust(memory, correction.source.trust())?;
    let Correction { content, source, triple, since, doubt } = correction;
    let old = memory.metadata.clone();
    Ok(Draft {
        metadata: Metadata { author: None, confidence: None, knowledge: None, ..old },
        access_policy: memory.access_policy,
        event_at: Some(since.unwrap_or(memory.event_at)),
        lifetime: memory.expires_at.map_or(Lifetime::ByKind, Lifetime::Until),
        triple,
        key: memory.key.clone(),
        doubt,
        ..Draft::new(memory.scope.clone(), memory.kind, content, source)
    })
}

/// Returns until when a memory was true that is to be replaced by what holds since a moment; without
/// one it never was, so that it ended as it began.
pub fn true_until(memory: &Memory, since: Option<Timestamp>) -> Timestamp {
    let Some(since) = since else { return memory.event_at };
    memory.valid_until.map_or(since, |end| end.min(since))
}

/// Returns the next version of a memory that another one replaces and that was true until a moment.
pub fn superseded(memory: &Memory, by: MemoryId, until: Timestamp, now: Timestamp) -> Memory {
    let provenance = Provenance { superseded_by: Some(by), ..memory.provenance.clone() };
    let (state, version) = (State::Superseded, memory.version + 1);
    let valid_until = Some(until);
    Memory { state, version, valid_until, provenance, updated_at: now, ..memory.clone() }
}

/// Returns the next version of a memory that says already what was to replace another.
///
/// It is in use again if the one who says so now is trusted enough to have said it anew.
pub fn taken_over(known: &Memory, said: &Memory, now: Timestamp) -> Memory {
    let provenance =
        Provenance { supersedes: said.provenance.supersedes.clone(), ..known.provenance.clone() };
    let (event_at, version) = (known.event_at.min(said.event_at), known.version + 1);
    let mut memory = Memory { provenance, event_at, version, updated_at: now, ..known.clone() };
    if said.source.trust() > known.source.trust() {
        memory.source = said.source.clone();
        memory.instructs = said.instructs;
    }
    if said.state == State::Active {
        memory.state = State::Active;
        memory.valid_until = None;
    }
    memory
}

/// Refuses a memory that another one has replaced already.
pub(super) fn refuse_superseded(memory: &Memory) -> Result<()> {
    if memory.state != State::Superseded {
        return Ok(());
    }
    let (id, by) = (&memory.id, memory.provenance.superseded_by.as_ref());
    let message = match by {
        Some(by) => format!("{id} was replaced by {by}"),
        None => format!("{id} was replaced"),
    };
    let error = Error::new(ErrorKind::Conflict, message);
    Err(by.into_iter().fold(error, |error, by| error.with("supersededBy", by.as_str())))
}
