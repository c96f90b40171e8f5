//! Writing: what one commit does, inside a transaction that others may share.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::{audit, entities, idempotency, index, read, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Change, ChangeKind, ChangeRange, Commit, Embedding, Fingerprint, Identifier, Layer, Memory,
    MemoryId, Outcome, Reading, Scope, Timestamp,
};
use crate::store::{Order, chain, document, version_conflict};
use crate::text::fold;

/// Makes every change of a commit, and records it.
pub(super) fn apply(connection: &Connection, commit: &Commit) -> Result<Vec<Outcome>> {
    if let Some(outcomes) = idempotency::earlier(connection, commit)? {
        return Ok(outcomes);
    }
    let mut outcomes = Vec::with_capacity(commit.changes.len());
    let mut recorded = Vec::new();
    for change in &commit.changes {
        outcomes.push(make(connection, change, commit.at, &mut recorded)?);
    }
    let range = record_changes(connection, &recorded, commit.at)?;
    if outcomes.iter().any(Outcome::changed) || commit.changes.is_empty() {
        for event in &commit.audit {
            audit::append(connection, &commit.actor, commit.at, event, range.clone())?;
        }
    }
    idempotency::keep(connection, commit, &outcomes)?;
    Ok(outcomes)
}

/// Makes a commit and takes it back.
pub(super) fn rehearse(connection: &mut Connection, commit: &Commit) -> Result<Vec<Outcome>> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let outcomes = apply(&transaction, commit);
    transaction.rollback().map_err(unexpected)?;
    outcomes
}

/// Counts a reading and records it.
pub(super) fn observe(connection: &Connection, reading: &Reading) -> Result<()> {
    let mut statement = connection
        .prepare_cached(
            "UPDATE memories SET access_count = access_count + 1, accessed_at = ? WHERE id = ?",
        )
        .map_err(unexpected)?;
    for id in &reading.ids {
        statement.execute((reading.at.as_microsecond(), id.as_str())).map_err(unexpected)?;
    }
    audit::append(connection, &reading.actor, reading.at, &reading.audit, None)
}

/// A memory as the database knows it.
struct Row {
    number: i64,
    scope: i64,
    version: u64,
    document: String,
}

/// What goes into the sequence of changes.
struct Recorded {
    id: MemoryId,
    scope: i64,
    kind: ChangeKind,
    version: u64,
}

fn make(
    connection: &Connection,
    change: &Change,
    at: Timestamp,
    recorded: &mut Vec<Recorded>,
) -> Result<Outcome> {
    match change {
        Change::Create { memory, identity, history } => {
            create(connection, memory, identity.as_ref(), history, at, recorded)
        }
        Change::Update { memory, identity } => {
            update(connection, memory, identity.as_ref(), at, recorded)
        }
        Change::Forget { id, scope } => forget(connection, id, scope, at, recorded),
        Change::Embed { id, version, fingerprint, vector } => {
            embed(connection, id, *version, fingerprint, vector)
        }
    }
}

/// Forgets another memory that has an identity already, if it has ended by itself.
fn clear_ended(
    connection: &Connection,
    memory: &Memory,
    identity: Option<&[u8; 32]>,
    at: Timestamp,
    recorded: &mut Vec<Recorded>,
) -> Result<()> {
    let Some(identity) = identity else { return Ok(()) };
    let ended: Option<String> = connection
        .prepare_cached(
            "SELECT id FROM memories
             WHERE scope = (SELECT scope FROM scopes WHERE text = ?) AND identity = ?
               AND expires_at <= ? AND id <> ?",
        )
        .and_then(|mut select| {
            let (scope, id) = (memory.scope.to_string(), memory.id.as_str());
            let values = (scope, identity, at.as_microsecond(), id);
            select.query_row(values, |row| row.get(0)).optional()
        })
        .map_err(unexpected)?;
    if let Some(id) = ended {
        forget(connection, &id.parse()?, &memory.scope, at, recorded)?;
    }
    Ok(())
}

fn create(
    connection: &Connection,
    memory: &Memory,
    identity: Option<&[u8; 32]>,
    history: &[Memory],
    at: Timestamp,
    recorded: &mut Vec<Recorded>,
) -> Result<Outcome> {
    let id = &memory.id;
    if forgotten(connection, id)? {
        return Ok(Outcome::Missing(id.clone()));
    }
    let scope = scope_number(connection, &memory.scope)?;
    if let Some(row) = find(connection, id)? {
        let outcome = if row.scope == scope { Outcome::Existing } else { Outcome::Missing };
        return Ok(outcome(id.clone()));
    }
    clear_ended(connection, memory, identity, at, recorded)?;
    if let Some(existing) = same(connection, scope, identity)? {
        return Ok(Outcome::Existing(existing));
    }
    connection
        .prepare_cached(
            "INSERT INTO memories (id, scope, kind, state, trust, session, key, confidence, event_at,
                                   created_at, expires_at, version, identity, document,
                                   access_count, accessed_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                id.as_str(),
                scope,
                memory.kind.as_str(),
                memory.state.as_str(),
                memory.source.trust() as i64,
                memory.source.session.as_ref().map(Identifier::as_str),
                memory.key,
                Order::Confidence.position(memory).key,
                memory.event_at.as_microsecond(),
                memory.created_at.as_microsecond(),
                memory.expires_at.map(Timestamp::as_microsecond),
                memory.version,
                identity,
                document::encode(memory),
                memory.accesses.count,
                memory.accesses.last_at.map(Timestamp::as_microsecond),
            ])
        })
        .map_err(unexpected)?;
    let number = connection.last_insert_rowid();
    index::insert(connection, number, scope, memory)?;
    derive(connection, number, scope, memory)?;
    for earlier in history {
        keep_version(connection, number, earlier.version, &document::encode(earlier))?;
    }
    let (kind, version) = (ChangeKind::Created, memory.version);
    recorded.push(Recorded { id: id.clone(), scope, kind, version });
    Ok(Outcome::Created(id.clone()))
}

fn update(
    connection: &Connection,
    memory: &Memory,
    identity: Option<&[u8; 32]>,
    at: Timestamp,
    recorded: &mut Vec<Recorded>,
) -> Result<Outcome> {
    let id = &memory.id;
    let scope = scope_number(connection, &memory.scope)?;
    let Some(row) = find(connection, id)?.filter(|row| row.scope == scope) else {
        return Ok(Outcome::Missing(id.clone()));
    };
    if row.version + 1 != memory.version {
        return Err(version_conflict(id, memory.version.saturating_sub(1), row.version));
    }
    clear_ended(connection, memory, identity, at, recorded)?;
    if let Some(other) = same(connection, scope, identity)?.filter(|other| other != id) {
        return Err(already_known(&other));
    }
    keep_version(connection, row.number, row.version, &row.document)?;
    replace(connection, &row, memory, identity)?;
    let (kind, version) = (ChangeKind::Updated, memory.version);
    recorded.push(Recorded { id: id.clone(), scope, kind, version });
    Ok(Outcome::Updated(id.clone()))
}

fn keep_version(connection: &Connection, number: i64, version: u64, document: &str) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO versions (memory, version, document) VALUES (?, ?, ?)")
        .and_then(|mut insert| insert.execute((number, version, document)))
        .map(drop)
        .map_err(unexpected)
}

fn replace(
    connection: &Connection,
    row: &Row,
    memory: &Memory,
    identity: Option<&[u8; 32]>,
) -> Result<()> {
    let fingerprint = match &memory.embedding {
        Embedding::Pending => None,
        Embedding::Ready(fingerprint) => Some(fingerprint.as_str()),
    };
    connection
        .prepare_cached(
            "UPDATE memories SET kind = ?, state = ?, trust = ?, session = ?, key = ?,
                    confidence = ?, event_at = ?, expires_at = ?, version = ?, identity = ?,
                    document = ?, fingerprint = ?
             WHERE memory = ?",
        )
        .and_then(|mut update| {
            update.execute(params![
                memory.kind.as_str(),
                memory.state.as_str(),
                memory.source.trust() as i64,
                memory.source.session.as_ref().map(Identifier::as_str),
                memory.key,
                Order::Confidence.position(memory).key,
                memory.event_at.as_microsecond(),
                memory.expires_at.map(Timestamp::as_microsecond),
                memory.version,
                identity,
                document::encode(memory),
                fingerprint,
                row.number,
            ])
        })
        .map_err(unexpected)?;
    if fingerprint.is_none() {
        execute(connection, "DELETE FROM vectors WHERE memory = ?", row.number)?;
    }
    let old = document::decode(&row.document)?;
    if old.searchable() != memory.searchable() {
        index::remove(connection, row.number, row.scope, &old)?;
        index::insert(connection, row.number, row.scope, memory)?;
    }
    entities::unlink(connection, row.number)?;
    execute(connection, "DELETE FROM triples WHERE memory = ?", row.number)?;
    derive(connection, row.number, row.scope, memory)
}

/// Keeps what is found through other tables: entities and the parts of a statement.
pub(super) fn derive(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
) -> Result<()> {
    entities::link(connection, number, scope, memory)?;
    let Some(triple) = &memory.triple else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO triples (memory, scope, fact_type, subject, predicate, object)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.execute((
                number,
                scope,
                fold(&triple.fact_type),
                fold(&triple.subject),
                fold(&triple.predicate),
                fold(&triple.object),
            ))
        })
        .map(drop)
        .map_err(unexpected)
}

fn forget(
    connection: &Connection,
    id: &MemoryId,
    scope: &Scope,
    at: Timestamp,
    recorded: &mut Vec<Recorded>,
) -> Result<Outcome> {
    let scope = scope_number(connection, scope)?;
    let Some(row) = find(connection, id)?.filter(|row| row.scope == scope) else {
        return Ok(Outcome::Missing(id.clone()));
    };
    index::remove(connection, row.number, scope, &document::decode(&row.document)?)?;
    entities::unlink(connection, row.number)?;
    execute(connection, "DELETE FROM memories WHERE memory = ?", row.number)?;
    connection
        .prepare_cached("INSERT INTO tombstones (id, scope, at) VALUES (?, ?, ?)")
        .and_then(|mut insert| insert.execute((id.as_str(), scope, at.as_microsecond())))
        .map_err(unexpected)?;
    let (kind, version) = (ChangeKind::Deleted, row.version);
    recorded.push(Recorded { id: id.clone(), scope, kind, version });
    Ok(Outcome::Forgotten(id.clone()))
}

fn embed(
    connection: &Connection,
    id: &MemoryId,
    version: u64,
    fingerprint: &Fingerprint,
    vector: &[f32],
) -> Result<Outcome> {
    let Some(row) = find(connection, id)?.filter(|row| row.version == version) else {
        return Ok(Outcome::Missing(id.clone()));
    };
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    connection
        .prepare_cached(
            "INSERT INTO vectors (memory, fingerprint, vector) VALUES (?, ?, ?)
             ON CONFLICT (memory) DO UPDATE
             SET fingerprint = excluded.fingerprint, vector = excluded.vector",
        )
        .and_then(|mut insert| insert.execute((row.number, fingerprint.as_str(), bytes)))
        .map_err(unexpected)?;
    connection
        .prepare_cached("UPDATE memories SET fingerprint = ? WHERE memory = ?")
        .and_then(|mut update| update.execute((fingerprint.as_str(), row.number)))
        .map_err(unexpected)?;
    Ok(Outcome::Embedded(id.clone()))
}

/// Gives each change its place, and returns the stretch of places with its digest.
fn record_changes(
    connection: &Connection,
    recorded: &[Recorded],
    at: Timestamp,
) -> Result<Option<ChangeRange>> {
    let mut places = Vec::with_capacity(recorded.len());
    let mut insert = connection
        .prepare_cached("INSERT INTO changes (id, scope, kind, version, at) VALUES (?, ?, ?, ?, ?)")
        .map_err(unexpected)?;
    for change in recorded {
        let place = insert
            .insert(params![
                change.id.as_str(),
                change.scope,
                change.kind.as_str(),
                change.version,
                at.as_microsecond()
            ])
            .map_err(unexpected)?;
        places.push((place.unsigned_abs(), &change.id, change.kind));
    }
    let (Some(&(first, ..)), Some(&(last, ..))) = (places.first(), places.last()) else {
        return Ok(None);
    };
    Ok(Some(ChangeRange { first, last, digest: chain::change_digest(places) }))
}

fn find(connection: &Connection, id: &MemoryId) -> Result<Option<Row>> {
    connection
        .prepare_cached("SELECT memory, scope, version, document FROM memories WHERE id = ?")
        .and_then(|mut select| {
            select
                .query_row([id.as_str()], |row| {
                    Ok(Row {
                        number: row.get(0)?,
                        scope: row.get(1)?,
                        version: row.get(2)?,
                        document: row.get(3)?,
                    })
                })
                .optional()
        })
        .map_err(unexpected)
}

/// Returns the memory in a scope that has an identity already.
fn same(
    connection: &Connection,
    scope: i64,
    identity: Option<&[u8; 32]>,
) -> Result<Option<MemoryId>> {
    let Some(identity) = identity else { return Ok(None) };
    let id: Option<String> = connection
        .prepare_cached("SELECT id FROM memories WHERE scope = ? AND identity = ?")
        .and_then(|mut select| select.query_row((scope, identity), |row| row.get(0)).optional())
        .map_err(unexpected)?;
    id.map(|id| id.parse()).transpose()
}

fn forgotten(connection: &Connection, id: &MemoryId) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM tombstones WHERE id = ?")
        .and_then(|mut select| select.exists([id.as_str()]))
        .map_err(unexpected)
}

fn scope_number(connection: &Connection, scope: &Scope) -> Result<i64> {
    if let Some(&number) = read::scope_numbers(connection, std::slice::from_ref(scope))?.first() {
        return Ok(number);
    }
    let name = |layer| scope.identifiers().get(layer).map(Identifier::as_str);
    connection
        .prepare_cached(
            "INSERT INTO scopes (text, layer, agent, user, session, project, team, org, company)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.insert(params![
                scope.to_string(),
                scope.layer().as_str(),
                name(Layer::Agent),
                name(Layer::User),
                name(Layer::Session),
                name(Layer::Project),
                name(Layer::Team),
                name(Layer::Org),
                name(Layer::Company),
            ])
        })
        .map_err(unexpected)
}

fn already_known(id: &MemoryId) -> Error {
    let message = format!("{id} says the same in the same scope");
    Error::new(ErrorKind::Conflict, message).with("existing", id.as_str())
}

fn execute(connection: &Connection, sql: &str, number: i64) -> Result<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute([number]))
        .map(drop)
        .map_err(unexpected)
}
