//! When a conversation began, as far as one caller is concerned.
//!
//! A block for a prompt has what was known at that moment, so the moment must outlive the process,
//! and it is no memory: nobody should list, find, count, export or embed it. The one thing that a
//! store keeps apart from memories is what came of a request with an idempotency key, so the first
//! question of a conversation is such a request. It asks to forget a memory that never was, which
//! changes nothing and is put on no record, and the id of that memory tells the time.

use sha2::{Digest as _, Sha256};

use super::Engine;
use crate::error::Result;
use crate::model::{
    Caller, Change, Commit, IdempotencyKey, Identifier, Kind, Layer, MemoryId, Scope, Timestamp,
};
use crate::retrieval::Selection;
use crate::text::hex;

impl Engine {
    /// Returns when this was first asked of a conversation; without one, now.
    ///
    /// That it is asked for the first time is put down soon: a question waits for nobody who writes,
    /// and a store that cannot be written to still answers.
    pub(super) async fn began_at(
        &self,
        caller: &Caller,
        selection: &Selection,
        session: Option<&Identifier>,
    ) -> Result<Timestamp> {
        let now = self.now();
        // Whoever asks what was known earlier does not begin a conversation.
        let session = session.filter(|_| selection.criteria.as_of.is_none());
        let Some(session) = session else { return Ok(now) };
        let identifiers = selection.identifiers.clone().with(Layer::Session, session.clone());
        // Whose conversation it is has to be known to tell it from others of the same name.
        let Ok(scope) = Scope::new(Layer::Session, &identifiers) else { return Ok(now) };
        let question = first_question(caller, scope, now)?;
        let Some(first) = self.store.earlier(&question).await? else {
            self.store.commit_soon(question);
            return Ok(now);
        };
        Ok(first.first().and_then(|first| told_by(first.id())).unwrap_or(now))
    }
}

/// Returns the request that is made with the first question.
fn first_question(caller: &Caller, session: Scope, now: Timestamp) -> Result<Commit> {
    let digest = Sha256::digest(session.to_string());
    let key = IdempotencyKey::new(format!("cofio.conversation-began:{}", hex(&digest)))?;
    let changes = vec![Change::Forget { id: telling(now)?, scope: session, version: None }];
    let (actor, idempotency) = (caller.actor().clone(), Some((key, digest.into())));
    Ok(Commit { actor, at: now, changes, audit: Vec::new(), idempotency, work: None })
}

/// Returns an id that tells a moment; no memory has it, as those of memories are of version 7.
fn telling(moment: Timestamp) -> Result<MemoryId> {
    let microseconds = moment.as_microsecond().cast_unsigned();
    format!("{}_{microseconds:032x}", Kind::Working.prefix()).parse()
}

/// Returns the moment that an id tells.
fn told_by(id: &MemoryId) -> Option<Timestamp> {
    let (_, digits) = id.as_str().split_once('_')?;
    let microseconds = u64::from_str_radix(digits, 16).ok()?;
    Timestamp::from_microsecond(microseconds.cast_signed()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_moment_to_the_microsecond() {
        for text in ["2026-03-01T12:00:00.000001Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z"]
        {
            let moment: Timestamp = text.parse().unwrap();
            assert_eq!(told_by(&telling(moment).unwrap()), Some(moment));
        }
    }
}
