//! Commits: every change in turn, and everything taken back if one cannot be made.

use std::sync::Arc;

use super::contents::{Contents, Request, ScopeKey};
use super::embedding::Claim;
use super::journal::Unplaced;
use super::kept::{Kept, version};
use super::vectors;
use crate::error::Result;
use crate::model::{
    AuditEvent, Change, ChangeKind, Commit, Embedding, Fingerprint, IdempotencyKey, Identifier,
    MemoryId, Outcome, Scope, Timestamp, ValueHash, Vectors, Work,
};
use crate::store::kit::{already_known, check_work, key_conflict, key_digest, version_conflict};
use crate::store::{Rejection, Tombstone};

/// A commit whose texts are analysed, which needs no lock.
pub(super) struct Prepared {
    actor: Identifier,
    at: Timestamp,
    changes: Vec<PreparedChange>,
    audit: Vec<AuditEvent>,
    idempotency: Option<(IdempotencyKey, [u8; 32])>,
    work: Option<Box<Work>>,
}

enum PreparedChange {
    Create(Kept),
    Update(Kept),
    Forget { id: MemoryId, scope: Scope, version: Option<u64> },
    Reject { id: MemoryId, scope: Scope, value: ValueHash },
    Embed { id: MemoryId, version: u64, fingerprint: Fingerprint, vectors: Vectors },
}

/// Analyses the texts of a commit.
pub(super) fn prepare(commit: Commit) -> Prepared {
    let Commit { actor, at, changes, audit, idempotency, work } = commit;
    let changes = changes.into_iter().map(|change| match change {
        Change::Create { memory, identity, history } => {
            let history = history.into_iter().map(version).collect();
            PreparedChange::Create(Kept { history, ..Kept::new(*memory, identity) })
        }
        Change::Update { memory, identity } => PreparedChange::Update(Kept::new(*memory, identity)),
        Change::Forget { id, scope, version } => PreparedChange::Forget { id, scope, version },
        Change::Reject { id, scope, value } => PreparedChange::Reject { id, scope, value },
        Change::Embed { id, version, fingerprint, vectors } => {
            PreparedChange::Embed { id, version, fingerprint, vectors }
        }
    });
    Prepared { actor, at, changes: changes.collect(), audit, idempotency, work }
}

impl Contents {
    /// Makes all changes of a commit and records them, or makes none.
    pub fn commit(&mut self, commit: Prepared) -> Result<Vec<Outcome>> {
        if let Some(earlier) = self.earlier(&commit.actor, commit.idempotency.as_ref()) {
            return earlier;
        }
        let Prepared { actor, at, changes, audit, idempotency, work } = commit;
        let only_audit = changes.is_empty();
        let mut attempt = Attempt::new(self, at);
        let outcomes = attempt.make_all(changes)?;
        if let Err(error) = check_work(work.as_deref(), &outcomes) {
            attempt.take_back();
            return Err(error);
        }
        let recorded = attempt.recorded;
        if only_audit || outcomes.iter().any(Outcome::changed) {
            let job = work.as_ref().map(|work| &work.job.id);
            let range = self.journal.record(recorded, at, job);
            for event in audit {
                self.journal.enter(&actor, at, event, range.clone());
            }
        }
        if let Some(work) = work {
            self.keep_work(*work);
        }
        if let Some((key, request)) = idempotency {
            let request = Request { digest: request, outcomes: outcomes.clone(), at };
            self.requests.insert((actor, key_digest(&key)), request);
        }
        Ok(outcomes)
    }

    /// Makes all changes of a commit and takes them back.
    pub fn rehearse(&mut self, commit: Prepared) -> Result<Vec<Outcome>> {
        if let Some(earlier) = self.earlier(&commit.actor, commit.idempotency.as_ref()) {
            return earlier;
        }
        let mut attempt = Attempt::new(self, commit.at);
        let outcomes = attempt.make_all(commit.changes);
        attempt.take_back();
        outcomes
    }

    /// Returns what an actor's earlier commit with the same key was told.
    pub fn earlier(
        &self,
        actor: &Identifier,
        idempotency: Option<&(IdempotencyKey, [u8; 32])>,
    ) -> Option<Result<Vec<Outcome>>> {
        let (key, request) = idempotency?;
        let first = self.requests.get(&(actor.clone(), key_digest(key)))?;
        Some(if first.digest == *request {
            Ok(first.outcomes.clone())
        } else {
            Err(key_conflict())
        })
    }
}

/// Changes under way, with how each is taken back.
struct Attempt<'a> {
    contents: &'a mut Contents,
    at: Timestamp,
    undo: Vec<(MemoryId, Option<Arc<Kept>>)>,
    /// What was rejected in this attempt and not before.
    rejected: Vec<(ScopeKey, ValueHash)>,
    recorded: Vec<Unplaced>,
    /// How many texts were noted as unshelved before.
    unshelved: usize,
}

impl<'a> Attempt<'a> {
    fn new(contents: &'a mut Contents, at: Timestamp) -> Self {
        let (undo, rejected, recorded) = (Vec::new(), Vec::new(), Vec::new());
        let unshelved = contents.unshelved.len();
        Self { contents, at, undo, rejected, recorded, unshelved }
    }

    fn make_all(&mut self, changes: Vec<PreparedChange>) -> Result<Vec<Outcome>> {
        let outcomes: Result<_> = changes.into_iter().map(|change| self.make(change)).collect();
        if outcomes.is_err() {
            self.take_back();
        }
        outcomes
    }

    fn make(&mut self, change: PreparedChange) -> Result<Outcome> {
        match change {
            PreparedChange::Create(next) => Ok(self.create(next)),
            PreparedChange::Update(next) => self.update(next),
            PreparedChange::Forget { id, scope, version } => {
                self.forget_version(id, &scope, version)
            }
            PreparedChange::Reject { id, scope, value } => Ok(self.reject(id, scope, value)),
            PreparedChange::Embed { id, version, fingerprint, vectors } => {
                Ok(self.embed(id, version, fingerprint, vectors))
            }
        }
    }

    /// Forgets another memory that has the identity already, if it has ended by itself.
    fn clear_ended(&mut self, next: &Kept) {
        let Some(holder) = self.holder(next).filter(|holder| *holder != next.memory.id) else {
            return;
        };
        if self.contents.find(&holder).is_some_and(|kept| kept.memory.expired(self.at)) {
            self.forget(holder, &next.memory.scope);
        }
    }

    fn create(&mut self, next: Kept) -> Outcome {
        let id = next.memory.id.clone();
        if self.contents.tombstones.contains_key(&id) {
            return Outcome::Missing(id);
        }
        match self.contents.find(&id) {
            Some(taken) if taken.memory.scope == next.memory.scope => return Outcome::Existing(id),
            // Whoever owns the id, this caller is told no more than of a forgotten one.
            Some(_) => return Outcome::Missing(id),
            None => {}
        }
        self.clear_ended(&next);
        if let Some(existing) = self.holder(&next) {
            return Outcome::Existing(existing);
        }
        self.recorded.push(Unplaced::new(ChangeKind::Created, &next.memory));
        let number = self.contents.next_number();
        self.put(&id, Some(Kept { number, ..next }));
        Outcome::Created(id)
    }

    fn update(&mut self, next: Kept) -> Result<Outcome> {
        let id = next.memory.id.clone();
        let Some(before) = self.of_scope(&id, &next.memory.scope) else {
            return Ok(Outcome::Missing(id));
        };
        let (expected, found) = (next.memory.version.saturating_sub(1), before.memory.version);
        if expected != found {
            return Err(version_conflict(&id, expected, found));
        }
        self.clear_ended(&next);
        if let Some(holder) = self.holder(&next).filter(|holder| *holder != id) {
            return Err(already_known(&holder));
        }
        self.recorded.push(Unplaced::new(ChangeKind::Updated, &next.memory));
        self.put(&id, Some(next.after(&before)));
        Ok(Outcome::Updated(id))
    }

    fn forget_version(
        &mut self,
        id: MemoryId,
        scope: &Scope,
        version: Option<u64>,
    ) -> Result<Outcome> {
        let found = self.of_scope(&id, scope).map(|before| before.memory.version);
        match (version, found) {
            (Some(expected), Some(found)) if expected != found => {
                Err(version_conflict(&id, expected, found))
            }
            _ => Ok(self.forget(id, scope)),
        }
    }

    fn forget(&mut self, id: MemoryId, scope: &Scope) -> Outcome {
        let Some(before) = self.of_scope(&id, scope) else { return Outcome::Missing(id) };
        self.recorded.push(Unplaced::new(ChangeKind::Deleted, &before.memory));
        self.put(&id, None);
        self.contents.unshelved.extend(before.unshelved());
        let tombstone = Tombstone { id: id.clone(), scope: scope.clone(), at: self.at };
        self.contents.tombstones.insert(id.clone(), tombstone);
        Outcome::Forgotten(id)
    }

    fn reject(&mut self, id: MemoryId, scope: Scope, value: ValueHash) -> Outcome {
        let outcome = self.forget(id, &scope);
        let key = (scope.to_string(), value);
        if outcome.changed() && !self.contents.rejections.contains_key(&key) {
            let rejection = Rejection { scope, value, at: self.at };
            self.contents.rejections.insert(key.clone(), rejection);
            self.rejected.push(key);
        }
        outcome
    }

    fn embed(
        &mut self,
        id: MemoryId,
        version: u64,
        fingerprint: Fingerprint,
        vectors: Vectors,
    ) -> Outcome {
        let current = self.contents.find(&id).filter(|kept| kept.memory.version == version);
        let Some(current) = current else { return Outcome::Missing(id) };
        if self.contents.embeds_with_another(&fingerprint) {
            return Outcome::Missing(id);
        }
        let elsewhere = current.memory.content.has_vectors_elsewhere();
        let (vectors, dimensions) = match vectors {
            Vectors::Here(vectors) if !elsewhere => (vectors::Vectors::new(&vectors), None),
            Vectors::Elsewhere { dimensions } if elsewhere => {
                (vectors::Vectors::default(), dimensions)
            }
            _ => return Outcome::Missing(id),
        };
        let mut next = Kept { vectors, claim: Claim::default(), ..Kept::clone(current) };
        if let Some(dimensions) = dimensions {
            self.contents.dimensions_elsewhere.insert(fingerprint.clone(), dimensions);
        }
        next.memory.embedding = Embedding::Ready(fingerprint);
        self.put(&id, Some(next));
        Outcome::Embedded(id)
    }

    /// Returns a memory if it is in this scope.
    fn of_scope(&self, id: &MemoryId, scope: &Scope) -> Option<Arc<Kept>> {
        self.contents.find(id).filter(|kept| kept.memory.scope == *scope).cloned()
    }

    /// Returns the memory that has the identity already.
    fn holder(&self, next: &Kept) -> Option<MemoryId> {
        self.contents.identified(&next.memory.scope, next.identity?).cloned()
    }

    fn put(&mut self, id: &MemoryId, next: Option<Kept>) {
        let before = self.contents.replace(id, next.map(Arc::new));
        self.undo.push((id.clone(), before));
    }

    fn take_back(&mut self) {
        self.contents.unshelved.truncate(self.unshelved);
        for (id, before) in self.undo.drain(..).rev() {
            // Only what was there before can have been forgotten in this attempt.
            if before.is_some() {
                self.contents.tombstones.remove(&id);
            }
            self.contents.replace(&id, before);
        }
        for key in self.rejected.drain(..) {
            self.contents.rejections.remove(&key);
        }
    }
}
