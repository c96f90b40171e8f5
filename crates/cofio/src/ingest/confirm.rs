//! What becomes of a memory that somebody vouches for.

use super::prepare::refuse_lower_trust;
use super::replace::refuse_superseded;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Confirmation, Fraction, Memory, State, Timestamp, Trust};

/// Returns the next version of a memory, certain and never fading, or nothing if it is so already.
pub fn confirmed(
    memory: &Memory,
    confirmation: &Confirmation,
    now: Timestamp,
) -> Result<Option<Memory>> {
    refuse_superseded(memory)?;
    refuse_other_text(memory, confirmation)?;
    refuse_strangers(memory, confirmation)?;
    let mut confirmed = memory.clone();
    if memory.state == State::Pending {
        confirmed.source = memory.source.clone().confirmed();
        confirmed.instructs = false;
    }
    confirmed.metadata.confidence = Some(Fraction::ONE);
    confirmed.decay_rate = 0.0;
    confirmed.state = State::Active;
    confirmed.valid_until = None;
    if confirmed == *memory {
        return Ok(None);
    }
    Ok(Some(Memory { version: memory.version + 1, updated_at: now, ..confirmed }))
}

/// Refuses to confirm what nobody has read.
fn refuse_other_text(memory: &Memory, confirmation: &Confirmation) -> Result<()> {
    if confirmation.text.as_deref().is_none_or(|read| read == memory.content.as_str()) {
        return Ok(());
    }
    let message = format!("{} says something else: read it again", memory.id);
    Err(Error::new(ErrorKind::Conflict, message).with("version", memory.version))
}

/// Refuses those who may not vouch for a memory.
fn refuse_strangers(memory: &Memory, confirmation: &Confirmation) -> Result<()> {
    let owner_read_it = confirmation.source.trust() == Trust::High && confirmation.text.is_some();
    if memory.state == State::Pending && !owner_read_it {
        return Err(awaits_owner(memory));
    }
    refuse_lower_trust(memory, confirmation.source.trust())
}

/// Returns the error for somebody who confirms in place of the owner.
pub fn awaits_owner(memory: &Memory) -> Error {
    let message = format!("{} waits until its owner has read and confirmed it", memory.id);
    Error::new(ErrorKind::ConfirmationRequired, message).with("reason", "pending")
}
