use std::collections::HashMap;

use super::{Engine, check_batch, check_open};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Prepared, Redaction};
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Draft, IdempotencyKey, Memory, MemoryId, Outcome,
    Right, Source, State, Timestamp, Trust,
};
use crate::processors::share;

/// What became of something to remember.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The memory as it is kept.
    pub memory: Memory,
    /// Whether it was there already.
    pub existing: bool,
    /// What was taken out of the text before it was kept.
    pub redactions: Vec<Redaction>,
}

impl Engine {
    /// Keeps something, unless it is known already.
    ///
    /// When it returns, the memory survives a crash and is found by its words.
    pub async fn remember(&self, caller: &Caller, draft: Draft) -> Result<Remembered> {
        let remembered = self.remember_all(caller, vec![draft]).await?;
        remembered.into_iter().next().ok_or_else(|| Error::invalid("nothing to remember"))
    }

    /// Keeps several things, or none of them if one is refused.
    ///
    /// The idempotency key of the first draft stands for the whole request.
    pub async fn remember_all(
        &self,
        caller: &Caller,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Remembered>> {
        self.remember_drafts(caller, drafts).await.map_err(|error| error.during("add"))
    }

    /// Fails as `remember_all` would because of what drafts say, and keeps nothing but the record of
    /// a refusal.
    pub async fn check(&self, caller: &Caller, drafts: &[Draft]) -> Result<()> {
        let now = self.now();
        let prepared = self.prepare_all(caller, drafts, now).await;
        let prepared = self.recording_refusals(caller, now, prepared).await;
        prepared.map(drop).map_err(|error| error.during("add"))
    }

    async fn remember_drafts(
        &self,
        caller: &Caller,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Remembered>> {
        check_batch(drafts.len(), self.config.limits.batch)?;
        let now = self.now();
        if drafts.iter().skip(1).any(|draft| draft.idempotency_key.is_some()) {
            return Err(Error::invalid("a request has one idempotency key, with its first draft"));
        }
        let prepared = self.prepare_all(caller, &drafts, now).await;
        let prepared = self.recording_refusals(caller, now, prepared).await?;
        let key = drafts.first().and_then(|draft| draft.idempotency_key.clone());
        let idempotency = key.map(|key| {
            let request = ingest::request_hash(&key, &drafts);
            (key, request)
        });
        self.keep(caller, prepared, idempotency, now).await
    }

    /// Commits what may be kept.
    pub(super) async fn keep(
        &self,
        caller: &Caller,
        mut prepared: Vec<Prepared>,
        idempotency: Option<(IdempotencyKey, [u8; 32])>,
        now: Timestamp,
    ) -> Result<Vec<Remembered>> {
        let rewritten = self.redact_split(&mut prepared, now).await?;
        let changes = rewritten.into_iter().chain(prepared.iter().map(create)).collect();
        let audit = audit(&prepared);
        // Parts of secrets go from turns that were kept before, whatever the caller may delete.
        let unhindered = caller.with_every_right();
        let mut outcomes = self.commit(&unhindered, now, changes, audit, idempotency).await?;
        // What became of turns that were rewritten is nobody's question.
        let outcomes = outcomes.split_off(outcomes.len().saturating_sub(prepared.len()));
        self.announce();
        self.remembered(caller, prepared, outcomes).await
    }

    /// Puts drafts under the rules that every write is under, all of them or none.
    pub(super) async fn prepare_all(
        &self,
        caller: &Caller,
        drafts: &[Draft],
        now: Timestamp,
    ) -> Result<Vec<Prepared>> {
        self.prepare_each(caller, drafts, now).await?.into_iter().collect()
    }

    /// Puts each draft under the rules that every write is under.
    pub(super) async fn prepare_each(
        &self,
        caller: &Caller,
        drafts: &[Draft],
        now: Timestamp,
    ) -> Result<Vec<Result<Prepared>>> {
        caller.require(Right::Write)?;
        let parents = self.parents(caller, drafts).await?;
        let mut admitted = Vec::with_capacity(drafts.len());
        for (index, draft) in drafts.iter().enumerate() {
            check_open(caller, &draft.scope)?;
            let source = draft.source.clone().trusted_at_most(caller.trust());
            let source = no_better_than(source, &draft.derived_from, &parents)?;
            admitted.push((index, self.new_id(draft.kind, now), source));
        }
        let mut prepared = share(&admitted, |(index, id, source)| {
            let draft = Draft { source: source.clone(), ..drafts[*index].clone() };
            let one = ingest::prepare(draft, id.clone(), &self.config, now);
            one.map_err(|error| error.with("index", *index))
        });
        let may_be_kept = prepared.iter().flatten().map(|one| &one.memory);
        let rejected = self.rejected(may_be_kept).await?;
        for (index, one) in prepared.iter_mut().enumerate() {
            if one.as_ref().is_ok_and(|one| rejected.contains(&one.memory.id)) {
                *one = Err(super::policy::was_rejected().with("index", index));
            }
        }
        Ok(prepared)
    }

    /// Loads the memories that the drafts are derived from.
    async fn parents(&self, caller: &Caller, drafts: &[Draft]) -> Result<HashMap<MemoryId, Trust>> {
        let ids: Vec<MemoryId> =
            drafts.iter().flat_map(|draft| &draft.derived_from).cloned().collect();
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        check_batch(ids.len(), self.config.limits.batch)?;
        let parents = self.store.get(caller.access(), &ids).await?;
        Ok(parents.into_iter().map(|parent| (parent.id, parent.source.trust())).collect())
    }

    /// Pairs what was prepared with what became of it.
    ///
    /// Of a memory that was there already, somebody who may not read learns no more than its id.
    async fn remembered(
        &self,
        caller: &Caller,
        prepared: Vec<Prepared>,
        outcomes: Vec<Outcome>,
    ) -> Result<Vec<Remembered>> {
        let known: Vec<MemoryId> = prepared
            .iter()
            .zip(&outcomes)
            .filter(|(one, outcome)| one.memory.id != *outcome.id())
            .map(|(_, outcome)| outcome.id().clone())
            .collect();
        let mut loaded: HashMap<MemoryId, Memory> = HashMap::new();
        if !known.is_empty() {
            let memories = self.store.get(caller.access(), &known).await?;
            loaded = memories.into_iter().map(|memory| (memory.id.clone(), memory)).collect();
        }
        for (one, outcome) in prepared.iter().zip(&outcomes) {
            if let Some(known) = loaded.get_mut(outcome.id())
                && known.state == State::Pending
                && one.memory.state == State::Active
                && one.memory.source.trust() == Trust::High
                && one.memory.content == known.content
            {
                let text = known.content.as_str().to_owned();
                *known = self.approve(&caller.with_every_right(), outcome.id(), &text).await?;
            }
        }
        let pair = |(one, outcome): (Prepared, Outcome)| {
            let existing = matches!(outcome, Outcome::Existing(_));
            let memory = if one.memory.id == *outcome.id() {
                one.memory
            } else if !caller.rights().contains(Right::Read) {
                Memory { id: outcome.id().clone(), ..one.memory }
            } else {
                loaded.get(outcome.id()).cloned().ok_or_else(forgotten_meanwhile)?
            };
            Ok(Remembered { memory, existing, redactions: one.redactions })
        };
        prepared.into_iter().zip(outcomes).map(pair).collect()
    }
}

/// Returns a source trusted no further than any memory that the draft is derived from.
fn no_better_than(
    source: Source,
    derived_from: &[MemoryId],
    parents: &HashMap<MemoryId, Trust>,
) -> Result<Source> {
    derived_from.iter().try_fold(source, |source, id| match parents.get(id) {
        Some(&trust) => Ok(source.trusted_at_most(trust)),
        None => Err(MemoryId::not_found(id.as_str())),
    })
}

pub(super) fn create(prepared: &Prepared) -> Change {
    let memory = Box::new(prepared.memory.clone());
    Change::Create { memory, identity: prepared.identity, history: Vec::new() }
}

/// Returns what is recorded of a write: sizes, kinds and sources, never content.
fn audit(prepared: &[Prepared]) -> Vec<AuditEvent> {
    let bytes: usize = prepared.iter().map(|one| one.memory.content.as_str().len()).sum();
    let mut write =
        AuditEvent::new(AuditAction::Write).with("count", prepared.len()).with("size", bytes);
    write.details.extend(super::described(prepared.iter().map(|one| &one.memory)));
    let mut scopes = prepared.iter().map(|one| &one.memory.scope);
    if let Some(first) = scopes.next()
        && scopes.all(|scope| scope == first)
    {
        write.scope = Some(first.clone());
    }
    let mut events = vec![write];
    events.extend(super::redaction_event(prepared.iter().flat_map(|one| &one.redactions)));
    events
}

fn forgotten_meanwhile() -> Error {
    Error::new(ErrorKind::Conflict, "somebody forgot this memory while it was being repeated")
}
