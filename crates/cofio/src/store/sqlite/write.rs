//! Writing: what one commit does, inside a transaction that others may share.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::rows::{self, Row};
use super::{
    audit, codes, entities, idempotency, index, jobs, pending, rejections, turns, unexpected,
    unshelved,
};
use crate::error::Result;
use crate::model::{
    Change, ChangeKind, ChangeRange, Fingerprint, Inherited, Memory, MemoryId, Outcome,
    PassageVector, Reading, Scope, Timestamp, ValueHash, Vectors,
};
use crate::store::kit::{Derived, Ready, already_known, check_work, version_conflict};
use crate::store::{chain, document};

/// What a commit did.
pub(super) struct Applied {
    pub(super) outcomes: Vec<Outcome>,
    /// Whether content was deleted, by itself or to make room.
    pub(super) deleted: bool,
    /// How far the sequence of changes went, if it did.
    pub(super) last: Option<u64>,
}

/// Makes every change of a commit, and records it.
pub(super) fn apply(connection: &Connection, ready: &Ready) -> Result<Applied> {
    let Ready { commit, derived } = ready;
    if let Some(outcomes) = idempotency::earlier(connection, commit)? {
        return Ok(Applied { outcomes, deleted: false, last: None });
    }
    let mut writing = Writing::new(connection, commit.at);
    let changes = commit.changes.iter().zip(derived);
    let outcomes: Vec<Outcome> =
        changes.map(|(change, derived)| writing.make(change, derived)).collect::<Result<_>>()?;
    check_work(commit.work.as_deref(), &outcomes)?;
    let job = commit.work.as_ref().map(|work| jobs::keep(connection, work)).transpose()?;
    let range = writing.record(job)?;
    if let (Some(job), Some(work)) = (job, &commit.work) {
        jobs::keep_stages(connection, job, work)?;
        work.dismissed.iter().try_for_each(|other| jobs::dismiss(connection, other))?;
    }
    if outcomes.iter().any(Outcome::changed) || commit.changes.is_empty() {
        for event in &commit.audit {
            audit::append(connection, &commit.actor, commit.at, event, range.clone())?;
        }
    }
    idempotency::keep(connection, commit, &outcomes)?;
    let deleted = writing.recorded.iter().any(|recorded| recorded.kind == ChangeKind::Deleted);
    Ok(Applied { outcomes, deleted, last: range.map(|range| range.last) })
}

/// Makes a commit and takes it back.
pub(super) fn rehearse(connection: &mut Connection, ready: &Ready) -> Result<Vec<Outcome>> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let applied = apply(&transaction, ready);
    transaction.rollback().map_err(unexpected)?;
    applied.map(|applied| applied.outcomes)
}

/// Counts a reading and records it.
pub(super) fn observe(connection: &Connection, reading: &Reading) -> Result<()> {
    let mut statement = connection
        .prepare_cached(
            "UPDATE memories SET access_count = min(access_count, 1 << 53) + 1, accessed_at = ?
             WHERE id = ?",
        )
        .map_err(unexpected)?;
    for id in &reading.ids {
        statement.execute((reading.at.as_microsecond(), id.as_str())).map_err(unexpected)?;
    }
    audit::append(connection, &reading.actor, reading.at, &reading.audit, None)
}

/// A commit under way.
pub(super) struct Writing<'a> {
    connection: &'a Connection,
    at: Timestamp,
    recorded: Vec<Recorded>,
}

/// What goes into the sequence of changes.
struct Recorded {
    kind: ChangeKind,
    id: MemoryId,
    scope: i64,
    number: i64,
    version: u64,
}

impl<'a> Writing<'a> {
    pub(super) fn new(connection: &'a Connection, at: Timestamp) -> Self {
        Self { connection, at, recorded: Vec::new() }
    }

    fn make(&mut self, change: &Change, derived: &Derived) -> Result<Outcome> {
        match change {
            Change::Create { memory, identity, history } => {
                self.create(memory, derived, identity.as_ref(), history)
            }
            Change::Update { memory, identity } => self.update(memory, derived, identity.as_ref()),
            Change::Forget { id, scope, version } => self.forget(id, scope, *version),
            Change::Reject { id, scope, value } => self.reject(id, scope, value),
            Change::Embed { id, version, fingerprint, vectors } => {
                self.embed(id, *version, fingerprint, vectors)
            }
        }
    }

    fn create(
        &mut self,
        memory: &Memory,
        derived: &Derived,
        identity: Option<&[u8; 32]>,
        history: &[Memory],
    ) -> Result<Outcome> {
        let id = &memory.id;
        if rows::is_forgotten(self.connection, id)? {
            return Ok(Outcome::Missing(id.clone()));
        }
        let scope = rows::scope_number(self.connection, &memory.scope)?;
        if let Some(row) = rows::find(self.connection, id)? {
            let outcome = if row.scope == scope { Outcome::Existing } else { Outcome::Missing };
            return Ok(outcome(id.clone()));
        }
        if let Some(known) = self.holder(memory, scope, identity)? {
            return Ok(Outcome::Existing(known));
        }
        let number = rows::insert(self.connection, None, scope, memory, derived, identity)?;
        rows::insert_parents(self.connection, number, memory)?;
        derive(self.connection, number, scope, memory, derived)?;
        pending::add(self.connection, number, scope)?;
        for earlier in history {
            let document = document::encode(earlier);
            rows::keep_version(self.connection, number, earlier.version, &document)?;
        }
        self.note(ChangeKind::Created, id, scope, number, memory.version);
        Ok(Outcome::Created(id.clone()))
    }

    fn update(
        &mut self,
        memory: &Memory,
        derived: &Derived,
        identity: Option<&[u8; 32]>,
    ) -> Result<Outcome> {
        let id = &memory.id;
        let Some(row) = rows::find_in(self.connection, id, &memory.scope)? else {
            return Ok(Outcome::Missing(id.clone()));
        };
        if row.version + 1 != memory.version {
            return Err(version_conflict(id, memory.version.saturating_sub(1), row.version));
        }
        if let Some(other) = self.holder(memory, row.scope, identity)? {
            return Err(already_known(&other));
        }
        rows::keep_version(self.connection, row.number, row.version, &row.document)?;
        rows::replace(self.connection, row.number, memory, derived, identity)?;
        rows::remove_parents(self.connection, row.number)?;
        rows::insert_parents(self.connection, row.number, memory)?;
        let before = underive(self.connection, &row)?;
        derive(self.connection, row.number, row.scope, memory, derived)?;
        let same_text = memory.shares_vectors_with(&before);
        jobs::begin_again(self.connection, row.number, same_text)?;
        match memory.inherits_vectors(&before) {
            Inherited::Same => {}
            Inherited::Nothing => self.drop_vectors(&row, same_text, None)?,
            Inherited::Elsewhere(by) => self.drop_vectors(&row, same_text, Some(&by))?,
        }
        self.note(ChangeKind::Updated, id, row.scope, row.number, memory.version);
        Ok(Outcome::Updated(id.clone()))
    }

    /// Removes the vectors that are kept beside a memory, of which others may stand elsewhere.
    ///
    /// Whoever embeds the same text goes on with it.
    fn drop_vectors(
        &self,
        row: &Row,
        same_text: bool,
        elsewhere: Option<&Fingerprint>,
    ) -> Result<()> {
        let (connection, number) = (self.connection, row.number);
        codes::remove(connection, row.scope, number)?;
        rows::mark_embedded(connection, number, elsewhere)?;
        let adopted = pending::adopted(connection)?;
        let waits = elsewhere.is_none() || adopted.is_some_and(|model| Some(&model) != elsewhere);
        if !waits || !same_text {
            pending::remove(connection, number)?;
        }
        if waits && !pending::contains(connection, number)? {
            pending::add(connection, number, row.scope)?;
        }
        Ok(())
    }

    fn forget(&mut self, id: &MemoryId, scope: &Scope, version: Option<u64>) -> Result<Outcome> {
        let Some(row) = rows::find_in(self.connection, id, scope)? else {
            return Ok(Outcome::Missing(id.clone()));
        };
        if let Some(expected) = version.filter(|version| *version != row.version) {
            return Err(version_conflict(id, expected, row.version));
        }
        underive(self.connection, &row)?;
        codes::remove(self.connection, row.scope, row.number)?;
        unshelved::note(self.connection, &row)?;
        rows::bury(self.connection, &row, id, self.at)?;
        self.note(ChangeKind::Deleted, id, row.scope, row.number, row.version);
        Ok(Outcome::Forgotten(id.clone()))
    }

    fn reject(&mut self, id: &MemoryId, scope: &Scope, value: &ValueHash) -> Result<Outcome> {
        let outcome = self.forget(id, scope, None)?;
        if outcome.changed() {
            let scope = rows::scope_number(self.connection, scope)?;
            rejections::add(self.connection, scope, value, self.at)?;
        }
        Ok(outcome)
    }

    fn embed(
        &self,
        id: &MemoryId,
        version: u64,
        fingerprint: &Fingerprint,
        vectors: &Vectors,
    ) -> Result<Outcome> {
        let row = rows::find(self.connection, id)?.filter(|row| row.version == version);
        let Some(row) = row else { return Ok(Outcome::Missing(id.clone())) };
        if pending::adopted(self.connection)?.is_some_and(|adopted| adopted != *fingerprint) {
            return Ok(Outcome::Missing(id.clone()));
        }
        let memory = document::decode(&row.document)?;
        let (connection, scope, number) = (self.connection, row.scope, row.number);
        match (vectors, memory.content.has_vectors_elsewhere()) {
            (Vectors::Here(vectors), false) => {
                let assistant = memory.said_by_assistant();
                keep_vectors(connection, (scope, number), assistant, fingerprint, vectors)?;
            }
            (Vectors::Elsewhere { dimensions }, true) => {
                if let Some(dimensions) = dimensions {
                    codes::model_number(connection, fingerprint, *dimensions)?;
                }
            }
            _ => return Ok(Outcome::Missing(id.clone())),
        }
        rows::mark_embedded(connection, number, Some(fingerprint))?;
        pending::remove(connection, number)?;
        Ok(Outcome::Embedded(id.clone()))
    }

    /// Returns another memory that has an identity already; one that has ended gives way.
    fn holder(
        &mut self,
        memory: &Memory,
        scope: i64,
        identity: Option<&[u8; 32]>,
    ) -> Result<Option<MemoryId>> {
        let Some(identity) = identity else { return Ok(None) };
        match rows::holder(self.connection, scope, identity)? {
            Some(holder) if holder.id == memory.id => Ok(None),
            Some(holder) if holder.expires_at.is_some_and(|end| end <= self.at) => {
                self.forget(&holder.id, &memory.scope, None)?;
                Ok(None)
            }
            holder => Ok(holder.map(|holder| holder.id)),
        }
    }

    /// Takes note of a change that was made.
    pub(super) fn note(
        &mut self,
        kind: ChangeKind,
        id: &MemoryId,
        scope: i64,
        number: i64,
        version: u64,
    ) {
        self.recorded.push(Recorded { kind, id: id.clone(), scope, number, version });
    }

    /// Gives each change of a job, or of nobody's, its place, and returns the stretch of places with its digest.
    pub(super) fn record(&self, job: Option<i64>) -> Result<Option<ChangeRange>> {
        let mut places = Vec::with_capacity(self.recorded.len());
        let mut insert = self
            .connection
            .prepare_cached(
                "INSERT INTO changes (id, scope, kind, version, at, memory, job)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
            )
            .map_err(unexpected)?;
        for change in &self.recorded {
            let (id, kind) = (change.id.as_str(), change.kind.as_str());
            let (at, number) = (self.at.as_microsecond(), change.number);
            let values = params![id, change.scope, kind, change.version, at, number, job];
            let place = insert.insert(values).map_err(unexpected)?;
            places.push((place.unsigned_abs(), &change.id, change.kind));
        }
        let (Some(&(first, ..)), Some(&(last, ..))) = (places.first(), places.last()) else {
            return Ok(None);
        };
        Ok(Some(ChangeRange { first, last, digest: chain::change_digest(places) }))
    }
}

/// Keeps everything that a memory is found through.
pub(super) fn derive(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
    derived: &Derived,
) -> Result<()> {
    index::insert(connection, number, scope, &derived.analysed)?;
    turns::insert(connection, number, scope, memory, &derived.analysed)?;
    entities::link(connection, number, scope, memory, &derived.named)?;
    match &memory.triple {
        Some(triple) => rows::insert_statement(connection, number, scope, triple),
        None => Ok(()),
    }
}

fn keep_vectors(
    connection: &Connection,
    (scope, number): (i64, i64),
    assistant: bool,
    fingerprint: &Fingerprint,
    vectors: &[PassageVector],
) -> Result<()> {
    let Some(first) = vectors.first() else { return Ok(()) };
    let model = codes::model_number(connection, fingerprint, first.vector.len())?;
    let flags = if assistant { codes::ASSISTANT } else { 0 };
    let passages: Vec<codes::Passage<'_>> =
        (0..).zip(vectors).map(|(place, known)| (place, known.hash, &known.vector[..])).collect();
    codes::insert(connection, scope, model, number, flags, &passages)
}

/// Removes everything that a memory was found through, except its vectors, and returns the memory.
pub(super) fn underive(connection: &Connection, row: &Row) -> Result<Memory> {
    let (memory, analysed) = document::decode_analysed(&row.document)?;
    index::remove(connection, row.number, row.scope, &analysed)?;
    turns::remove(connection, row.number, row.scope)?;
    entities::unlink(connection, row.number, row.scope)?;
    rows::remove_statement(connection, row.number)?;
    Ok(memory)
}
