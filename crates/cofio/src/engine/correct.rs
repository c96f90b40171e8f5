use std::slice;

use super::Engine;
use super::remember::create;
use crate::error::{Error, Result};
use crate::ingest::{self, Prepared, Redaction};
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Correction, Kind, Memory, MemoryId, Outcome, Right,
    Timestamp, microseconds,
};

/// A memory that was wrong, and what stands in its place.
#[derive(Debug, Clone)]
pub struct Corrected {
    /// What is held to be true now.
    pub memory: Memory,
    /// What was held to be true before.
    pub replaced: Memory,
    /// What was taken out of the new text before it was kept.
    pub redactions: Vec<Redaction>,
}

impl Engine {
    /// Puts another text in the place of a memory that is wrong.
    ///
    /// The old memory stays in the history and is found on request only; each names the other. It
    /// was never true, unless the correction says since when the new one holds.
    /// What is trusted less never replaces what is trusted more.
    pub async fn correct(
        &self,
        caller: &Caller,
        id: &MemoryId,
        correction: Correction,
    ) -> Result<Corrected> {
        self.correct_memory(caller, id, correction).await.map_err(|error| error.during("correct"))
    }

    async fn correct_memory(
        &self,
        caller: &Caller,
        id: &MemoryId,
        correction: Correction,
    ) -> Result<Corrected> {
        caller.require(Right::Write)?;
        let now = self.now();
        let old = self.load(caller, id, now).await?;
        let source = correction.source.clone().trusted_at_most(caller.trust());
        let correction = Correction { source, ..correction };
        let until = microseconds(ingest::true_until(&old, correction.since));
        let prepared = self.replacement(caller, &old, correction, now).await;
        let mut prepared = self.recording_refusals(caller, now, prepared).await?;
        let mut changes = self.redact_split(slice::from_mut(&mut prepared), now).await?;
        let replaced = ingest::superseded(&old, prepared.memory.id.clone(), until, now);
        changes.extend([update(&replaced), create(&prepared)]);
        let audit = audit(&old, &prepared);
        // Parts of secrets go from turns that were kept before, whatever the caller may delete.
        let caller = &caller.with_every_right();
        let outcomes = self.commit(caller, now, changes, audit, None).await?;
        self.announce();
        match outcomes.as_slice() {
            [.., Outcome::Updated(_), Outcome::Created(_)] => {
                let Prepared { memory, redactions, .. } = prepared;
                Ok(Corrected { memory, replaced, redactions })
            }
            [.., Outcome::Updated(_), Outcome::Existing(known)] => {
                self.hand_over(caller, replaced, until, prepared, known).await
            }
            _ => Err(MemoryId::not_found(id.as_str())),
        }
    }

    /// Puts what is to replace a memory under the rules that every write is under.
    async fn replacement(
        &self,
        caller: &Caller,
        old: &Memory,
        correction: Correction,
        now: Timestamp,
    ) -> Result<Prepared> {
        if correction.since.is_some_and(|since| since > now) {
            return Err(Error::invalid("what replaces a memory holds now, not at a later moment"));
        }
        let draft = ingest::replacement(old, correction)?;
        let prepared = self.prepare_all(caller, &[draft], now).await?;
        let mut prepared =
            prepared.into_iter().next().ok_or_else(|| Error::invalid("nothing to remember"))?;
        // A fact says what its text does, whatever was read from it.
        let same = old.kind == Kind::Fact || prepared.memory.triple == old.triple;
        if same && prepared.memory.content == old.content {
            return Err(Error::invalid(format!("{} says so already", old.id)));
        }
        if prepared.memory.triple.is_none() && old.decay_rate > 0.0 {
            // It states the same sort of thing.
            prepared.memory.decay_rate = old.decay_rate;
        }
        prepared.memory.provenance.supersedes = Some(old.id.clone());
        Ok(prepared)
    }

    /// Lets a memory stand for the new text that turned out to say it already.
    async fn hand_over(
        &self,
        caller: &Caller,
        replaced: Memory,
        until: Timestamp,
        prepared: Prepared,
        known: &MemoryId,
    ) -> Result<Corrected> {
        let now = self.now();
        let known = self.load(caller, known, now).await?;
        let memory = ingest::taken_over(&known, &prepared.memory, now);
        let replaced = ingest::superseded(&replaced, memory.id.clone(), until, now);
        let changes = vec![update(&replaced), update(&memory)];
        self.commit(caller, now, changes, audit(&replaced, &prepared), None).await?;
        Ok(Corrected { memory, replaced, redactions: prepared.redactions })
    }
}

fn update(memory: &Memory) -> Change {
    Change::Update { memory: Box::new(memory.clone()), identity: ingest::identity_of(memory) }
}

/// Returns what is recorded of a correction: sizes, ids and sources, never content.
fn audit(old: &Memory, prepared: &Prepared) -> Vec<AuditEvent> {
    let write =
        AuditEvent { scope: Some(old.scope.clone()), ..AuditEvent::new(AuditAction::Write) };
    let mut write = write
        .with("reason", "correct")
        .with("ids", vec![old.id.as_str(), prepared.memory.id.as_str()])
        .with("size", prepared.memory.content.as_str().len());
    write.details.extend(super::described(slice::from_ref(&prepared.memory).iter()));
    let mut events = vec![write];
    events.extend(super::redaction_event(prepared.redactions.iter()));
    events
}
