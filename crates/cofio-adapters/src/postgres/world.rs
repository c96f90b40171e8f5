//! What commits meet and what they leave behind, worked out without asking the database in between.
//!
//! Whoever writes has locked the head of the store, so that what was loaded stays as it is until the
//! transaction ends. So every change is decided here, one after the other; a commit that cannot be
//! made is taken back here; and what came of all of them is written in one go.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cofio::Result;
use cofio::model::{
    AuditEntry, Change, ChangeKind, ChangeRange, Commit, Fingerprint, Inherited, Memory, MemoryId,
    Outcome, Reading, Scope, Timestamp, ValueHash,
};
use cofio::store::change_digest;
use cofio::store::kit::{
    Ready, already_known, check_work, key_conflict, key_digest, version_conflict,
};

use super::audit::Head;
use super::slot::{Content, Identity, Queue, Slot, Stages, Version};

/// What is known of the store, and what will be different.
pub(super) struct World {
    pub(super) head: Head,
    /// The model that memories are embedded with.
    pub(super) model: Option<Fingerprint>,
    /// The numbers of scopes, by their texts.
    pub(super) scopes: HashMap<String, i64>,
    /// Where memories are that no change of theirs was loaded for.
    pub(super) elsewhere: HashMap<MemoryId, i64>,
    /// What was forgotten before.
    pub(super) forgotten: HashSet<MemoryId>,
    pub(super) slots: HashMap<MemoryId, Slot>,
    pub(super) holders: HashMap<(i64, Identity), MemoryId>,
    /// What was asked under a caller's key, and what came of it.
    pub(super) requests: HashMap<(String, String), (Vec<u8>, Vec<Outcome>)>,
    pub(super) written: Written,
    undo: Vec<Undo>,
}

/// What is written besides memories.
#[derive(Default)]
pub(super) struct Written {
    pub(super) scopes: Vec<(i64, Scope)>,
    /// Whether scopes are kept even if nothing is in them.
    announced: bool,
    pub(super) changes: Vec<Recorded>,
    pub(super) entries: Vec<AuditEntry>,
    pub(super) rejections: Vec<(i64, ValueHash, Timestamp)>,
    pub(super) requests: Vec<Request>,
    pub(super) work: Vec<Arc<Ready>>,
    pub(super) readings: Vec<Reading>,
}

/// A place in the sequence of changes.
pub(super) struct Recorded {
    pub(super) sequence: u64,
    pub(super) id: MemoryId,
    pub(super) scope: i64,
    pub(super) kind: ChangeKind,
    pub(super) version: u64,
    pub(super) at: Timestamp,
    pub(super) job: Option<String>,
}

/// What came of a request with a key.
pub(super) struct Request {
    pub(super) actor: String,
    pub(super) key: String,
    pub(super) digest: Vec<u8>,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) at: Timestamp,
}

/// What takes a step back.
enum Undo {
    Slot(MemoryId, Box<Option<Slot>>),
    Holder((i64, Identity), Option<MemoryId>),
}

impl World {
    /// Begins with nothing loaded.
    pub(super) fn new(head: Head, model: Option<Fingerprint>) -> Self {
        Self {
            head,
            model,
            scopes: HashMap::new(),
            elsewhere: HashMap::new(),
            forgotten: HashSet::new(),
            slots: HashMap::new(),
            holders: HashMap::new(),
            requests: HashMap::new(),
            written: Written::default(),
            undo: Vec::new(),
        }
    }

    /// Makes all changes of a commit and records them, or makes none.
    pub(super) fn commit(&mut self, ready: &Arc<Ready>) -> Result<Vec<Outcome>> {
        let commit = &ready.commit;
        if let Some(outcomes) = self.earlier(commit)? {
            return Ok(outcomes);
        }
        let (changes, rejections) = (self.written.changes.len(), self.written.rejections.len());
        let outcomes = self.make_all(ready).and_then(|outcomes| {
            check_work(commit.work.as_deref(), &outcomes)?;
            Ok(outcomes)
        });
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            Err(error) => {
                self.take_back();
                self.written.changes.truncate(changes);
                self.written.rejections.truncate(rejections);
                return Err(error);
            }
        };
        self.undo.clear();
        let range = self.place(changes, commit);
        if outcomes.iter().any(Outcome::changed) || commit.changes.is_empty() {
            for event in &commit.audit {
                let entry = self.head.enter(&commit.actor, commit.at, event, range.clone());
                self.written.entries.push(entry);
            }
        }
        if commit.work.is_some() {
            self.written.work.push(Arc::clone(ready));
        }
        self.remember(commit, &outcomes);
        Ok(outcomes)
    }

    /// Counts a reading and records it.
    pub(super) fn observe(&mut self, reading: &Reading) {
        let entry = self.head.enter(&reading.actor, reading.at, &reading.audit, None);
        self.written.entries.push(entry);
        self.written.readings.push(reading.clone());
    }

    /// Returns whether anything will be different.
    pub(super) fn is_changed(&self) -> bool {
        let Written { scopes, announced, entries, requests, work, changes, .. } = &self.written;
        let embedded = || self.slots.values().any(|slot| slot.embedded.is_some());
        !(entries.is_empty() && requests.is_empty() && work.is_empty() && changes.is_empty())
            || *announced && !scopes.is_empty()
            || embedded()
    }

    /// Returns what an actor's earlier commit with the same key was told.
    pub(super) fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
        let Some((key, request)) = &commit.idempotency else { return Ok(None) };
        match self.requests.get(&(commit.actor.to_string(), key_digest(key))) {
            None => Ok(None),
            Some((first, _)) if first != request => Err(key_conflict()),
            Some((_, outcomes)) => Ok(Some(outcomes.clone())),
        }
    }

    fn remember(&mut self, commit: &Commit, outcomes: &[Outcome]) {
        let Some((key, request)) = &commit.idempotency else { return };
        let (actor, key) = (commit.actor.to_string(), key_digest(key));
        let (digest, outcomes) = (request.to_vec(), outcomes.to_vec());
        self.requests.insert((actor.clone(), key.clone()), (digest.clone(), outcomes.clone()));
        self.written.requests.push(Request { actor, key, digest, outcomes, at: commit.at });
    }

    /// Gives changes their places in the sequence, and returns the stretch of places with its digest.
    fn place(&mut self, first: usize, commit: &Commit) -> Option<ChangeRange> {
        let job = commit.work.as_ref().map(|work| work.job.id.to_string());
        let changes = &mut self.written.changes[first..];
        for change in changes.iter_mut() {
            self.head.change += 1;
            change.sequence = self.head.change;
            change.job.clone_from(&job);
        }
        let (first, last) = (changes.first()?.sequence, changes.last()?.sequence);
        let parts = changes.iter().map(|change| (change.sequence, &change.id, change.kind));
        Some(ChangeRange { first, last, digest: change_digest(parts) })
    }

    fn make_all(&mut self, ready: &Arc<Ready>) -> Result<Vec<Outcome>> {
        (0..ready.commit.changes.len()).map(|place| self.make(ready, place)).collect()
    }

    fn make(&mut self, ready: &Arc<Ready>, place: usize) -> Result<Outcome> {
        let content = Content::new(ready, place);
        let at = ready.commit.at;
        match &ready.commit.changes[place] {
            Change::Create { identity, history, .. } => {
                self.create(&content, *identity, history, at)
            }
            Change::Update { identity, .. } => self.update(&content, *identity, at),
            Change::Forget { id, scope, version } => self.forget(id, scope, *version, at),
            Change::Reject { id, scope, value } => self.reject(id, scope, value, at),
            Change::Embed { id, version, fingerprint, .. } => {
                Ok(self.embed(id, *version, fingerprint, content))
            }
        }
    }

    fn create(
        &mut self,
        content: &Content,
        identity: Option<Identity>,
        history: &[Memory],
        at: Timestamp,
    ) -> Result<Outcome> {
        let memory = content.memory();
        let (id, scope) = (memory.id.clone(), self.scope_number(&memory.scope));
        if self.is_forgotten(&id) {
            return Ok(Outcome::Missing(id));
        }
        if let Some(taken) = self.whereabouts(&id) {
            // Whoever owns the id, this caller is told no more than of a forgotten one.
            return Ok(if taken == scope { Outcome::Existing(id) } else { Outcome::Missing(id) });
        }
        if let Some(known) = self.holder(memory, scope, identity, at)? {
            return Ok(Outcome::Existing(known));
        }
        self.head.memory += 1;
        let slot = Slot {
            number: self.head.memory,
            scope,
            version: memory.version,
            expires_at: memory.expires_at.map(Timestamp::as_microsecond),
            identity,
            assistant: memory.said_by_assistant(),
            stored: None,
            created: Some(content.clone()),
            earlier: history.iter().map(Version::of).collect(),
            content: Some(content.clone()),
            gone: None,
            outdated: false,
            embedded: None,
            queue: Queue::Again,
            stages: Stages::None,
        };
        self.note(ChangeKind::Created, &id, &slot, at);
        self.put(&id, slot);
        Ok(Outcome::Created(id))
    }

    fn update(
        &mut self,
        content: &Content,
        identity: Option<Identity>,
        at: Timestamp,
    ) -> Result<Outcome> {
        let memory = content.memory();
        let id = memory.id.clone();
        let Some(mut slot) = self.of_scope(&id, &memory.scope) else {
            return Ok(Outcome::Missing(id));
        };
        if slot.version + 1 != memory.version {
            let expected = memory.version.saturating_sub(1);
            return Err(version_conflict(&id, expected, slot.version));
        }
        if let Some(other) = self.holder(memory, slot.scope, identity, at)? {
            return Err(already_known(&other));
        }
        let (before, document) = slot.current()?;
        let same_text = memory.shares_vectors_with(&before);
        slot.earlier.push(Version {
            number: slot.version,
            written_at: before.written_at(),
            document,
        });
        slot.version = memory.version;
        slot.expires_at = memory.expires_at.map(Timestamp::as_microsecond);
        slot.identity = identity;
        slot.assistant = memory.said_by_assistant();
        slot.stages = slot.stages.max(if same_text { Stages::NotOfText } else { Stages::All });
        match memory.inherits_vectors(&before) {
            Inherited::Same => {}
            Inherited::Nothing => {
                slot.outdated = true;
                slot.embedded = None;
                slot.queue = slot.queue.waiting(same_text);
            }
            Inherited::Elsewhere(by) => {
                let wanted = self.model.as_ref().is_none_or(|model| *model == by);
                slot.outdated = true;
                slot.embedded = Some(content.clone());
                slot.queue = if wanted { Queue::Done } else { slot.queue.waiting(same_text) };
            }
        }
        slot.content = Some(content.clone());
        self.note(ChangeKind::Updated, &id, &slot, at);
        self.put(&id, slot);
        Ok(Outcome::Updated(id))
    }

    fn forget(
        &mut self,
        id: &MemoryId,
        scope: &Scope,
        version: Option<u64>,
        at: Timestamp,
    ) -> Result<Outcome> {
        let Some(slot) = self.of_scope(id, scope) else {
            return Ok(Outcome::Missing(id.clone()));
        };
        if let Some(expected) = version.filter(|version| *version != slot.version) {
            return Err(version_conflict(id, expected, slot.version));
        }
        self.note(ChangeKind::Deleted, id, &slot, at);
        self.put(id, Slot { gone: Some(at), identity: None, ..slot });
        Ok(Outcome::Forgotten(id.clone()))
    }

    fn reject(
        &mut self,
        id: &MemoryId,
        scope: &Scope,
        value: &ValueHash,
        at: Timestamp,
    ) -> Result<Outcome> {
        let outcome = self.forget(id, scope, None, at)?;
        if outcome.changed() {
            let scope = self.scope_number(scope);
            self.written.rejections.push((scope, *value, at));
        }
        Ok(outcome)
    }

    fn embed(
        &mut self,
        id: &MemoryId,
        version: u64,
        fingerprint: &Fingerprint,
        content: Content,
    ) -> Outcome {
        let slot = self.alive(id).filter(|slot| slot.version == version).cloned();
        let another = self.model.as_ref().is_some_and(|model| model != fingerprint);
        let Some(slot) = slot.filter(|_| !another) else { return Outcome::Missing(id.clone()) };
        self.put(id, Slot { embedded: Some(content), queue: Queue::Done, ..slot });
        Outcome::Embedded(id.clone())
    }

    /// Returns another memory that has an identity already; one that has ended gives way.
    fn holder(
        &mut self,
        memory: &Memory,
        scope: i64,
        identity: Option<Identity>,
        at: Timestamp,
    ) -> Result<Option<MemoryId>> {
        let Some(identity) = identity else { return Ok(None) };
        let Some(holder) = self.holders.get(&(scope, identity)).cloned() else { return Ok(None) };
        if holder == memory.id {
            return Ok(None);
        }
        let ended = |slot: &Slot| slot.expires_at.is_some_and(|end| end <= at.as_microsecond());
        if self.alive(&holder).is_some_and(ended) {
            self.forget(&holder, &memory.scope, None, at)?;
            return Ok(None);
        }
        Ok(Some(holder))
    }

    /// Keeps scopes in mind that nothing is in yet.
    pub(super) fn know(&mut self, scopes: &[Scope]) {
        for scope in scopes {
            self.scope_number(scope);
        }
        self.written.announced = true;
    }

    /// Returns the number of a scope, giving it one where it has none.
    pub(super) fn scope_number(&mut self, scope: &Scope) -> i64 {
        let text = scope.to_string();
        if let Some(number) = self.scopes.get(&text) {
            return *number;
        }
        self.head.scope += 1;
        self.scopes.insert(text, self.head.scope);
        self.written.scopes.push((self.head.scope, scope.clone()));
        self.head.scope
    }

    fn is_forgotten(&self, id: &MemoryId) -> bool {
        self.forgotten.contains(id) || self.slots.get(id).is_some_and(|slot| slot.gone.is_some())
    }

    /// Returns the scope that a memory is in, whosever it is.
    fn whereabouts(&self, id: &MemoryId) -> Option<i64> {
        self.alive(id).map(|slot| slot.scope).or_else(|| self.elsewhere.get(id).copied())
    }

    fn alive(&self, id: &MemoryId) -> Option<&Slot> {
        self.slots.get(id).filter(|slot| slot.gone.is_none())
    }

    /// Returns a memory if it is in this scope.
    fn of_scope(&self, id: &MemoryId, scope: &Scope) -> Option<Slot> {
        let number = *self.scopes.get(&scope.to_string())?;
        self.alive(id).filter(|slot| slot.scope == number).cloned()
    }

    fn note(&mut self, kind: ChangeKind, id: &MemoryId, slot: &Slot, at: Timestamp) {
        self.written.changes.push(Recorded {
            sequence: 0,
            id: id.clone(),
            scope: slot.scope,
            kind,
            version: slot.version,
            at,
            job: None,
        });
    }

    fn put(&mut self, id: &MemoryId, slot: Slot) {
        let before = self.slots.get(id).and_then(|before| Some((before.scope, before.identity?)));
        let after = slot.identity.map(|identity| (slot.scope, identity));
        if before != after {
            if let Some(key) = before {
                let holder = self.holders.remove(&key);
                self.undo.push(Undo::Holder(key, holder));
            }
            if let Some(key) = after {
                let holder = self.holders.insert(key, id.clone());
                self.undo.push(Undo::Holder(key, holder));
            }
        }
        let before = self.slots.insert(id.clone(), slot);
        self.undo.push(Undo::Slot(id.clone(), Box::new(before)));
    }

    fn take_back(&mut self) {
        for undo in std::mem::take(&mut self.undo).into_iter().rev() {
            match undo {
                Undo::Slot(id, before) => drop(restore(&mut self.slots, id, *before)),
                Undo::Holder(key, before) => drop(restore(&mut self.holders, key, before)),
            }
        }
    }
}

fn restore<K: std::hash::Hash + Eq, V>(
    map: &mut HashMap<K, V>,
    key: K,
    before: Option<V>,
) -> Option<V> {
    match before {
        Some(before) => map.insert(key, before),
        None => map.remove(&key),
    }
}
