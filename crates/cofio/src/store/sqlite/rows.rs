//! The rows of a memory: one statement each, and nothing decided.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{read, unexpected};
use crate::error::Result;
use crate::model::{Fingerprint, Identifier, Layer, Memory, MemoryId, Scope, Timestamp, Triple};
use crate::store::kit::Derived;
use crate::store::{Order, document};
use crate::text::fold;

/// A memory as the database knows it.
pub(super) struct Row {
    pub(super) number: i64,
    pub(super) scope: i64,
    pub(super) version: u64,
    pub(super) document: String,
}

/// The memory that has an identity.
pub(super) struct Holder {
    pub(super) id: MemoryId,
    pub(super) expires_at: Option<Timestamp>,
}

/// Finds a memory, whosever it is.
pub(super) fn find(connection: &Connection, id: &MemoryId) -> Result<Option<Row>> {
    connection
        .prepare_cached("SELECT memory, scope, version, document FROM memories WHERE id = ?")
        .and_then(|mut select| select.query_row([id.as_str()], row).optional())
        .map_err(unexpected)
}

/// Finds a memory by its number.
pub(super) fn find_by_number(connection: &Connection, number: i64) -> Result<Option<Row>> {
    connection
        .prepare_cached("SELECT memory, scope, version, document FROM memories WHERE memory = ?")
        .and_then(|mut select| select.query_row([number], row).optional())
        .map_err(unexpected)
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row { number: row.get(0)?, scope: row.get(1)?, version: row.get(2)?, document: row.get(3)? })
}

/// Finds a memory if it is in this scope.
pub(super) fn find_in(
    connection: &Connection,
    id: &MemoryId,
    scope: &Scope,
) -> Result<Option<Row>> {
    let numbers = read::scope_numbers(connection, std::slice::from_ref(scope))?;
    Ok(find(connection, id)?.filter(|row| numbers.contains(&row.scope)))
}

/// Finds the memory of a scope that has an identity.
pub(super) fn holder(
    connection: &Connection,
    scope: i64,
    identity: &[u8; 32],
) -> Result<Option<Holder>> {
    let found: Option<(String, Option<i64>)> = connection
        .prepare_cached("SELECT id, expires_at FROM memories WHERE scope = ? AND identity = ?")
        .and_then(|mut select| {
            let both = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            select.query_row((scope, identity), both).optional()
        })
        .map_err(unexpected)?;
    let Some((id, expires_at)) = found else { return Ok(None) };
    let expires_at = expires_at.map(document::moment).transpose()?;
    Ok(Some(Holder { id: id.parse()?, expires_at }))
}

/// Returns whether an id was forgotten.
pub(super) fn is_forgotten(connection: &Connection, id: &MemoryId) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM tombstones WHERE id = ?")
        .and_then(|mut select| select.exists([id.as_str()]))
        .map_err(unexpected)
}

/// Returns the number of a scope, giving it one where it has none.
pub(super) fn scope_number(connection: &Connection, scope: &Scope) -> Result<i64> {
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

/// Adds a memory, under a number of its own or the next, and returns its number.
pub(super) fn insert(
    connection: &Connection,
    number: Option<i64>,
    scope: i64,
    memory: &Memory,
    derived: &Derived,
    identity: Option<&[u8; 32]>,
) -> Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO memories (memory, id, scope, kind, state, trust, session, key, confidence,
                                   event_at, created_at, expires_at, version, bytes, identity,
                                   document, access_count, accessed_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.insert(params![
                number,
                memory.id.as_str(),
                scope,
                memory.kind.as_str(),
                memory.state.as_str(),
                memory.source.trust() as i64,
                memory.conversation(),
                memory.key,
                Order::Confidence.position(memory).key,
                memory.event_at.as_microsecond(),
                memory.created_at.as_microsecond(),
                memory.expires_at.map(Timestamp::as_microsecond),
                memory.version,
                memory.content.bytes() as u64,
                identity,
                derived.document,
                memory.accesses.count,
                memory.accesses.last_at.map(Timestamp::as_microsecond),
            ])
        })
        .map_err(unexpected)
}

/// Puts the next version in the place of a memory.
pub(super) fn replace(
    connection: &Connection,
    number: i64,
    memory: &Memory,
    derived: &Derived,
    identity: Option<&[u8; 32]>,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE memories SET kind = ?, state = ?, trust = ?, session = ?, key = ?,
                    confidence = ?, event_at = ?, created_at = ?, expires_at = ?, version = ?,
                    bytes = ?, identity = ?, document = ?
             WHERE memory = ?",
        )
        .and_then(|mut update| {
            update.execute(params![
                memory.kind.as_str(),
                memory.state.as_str(),
                memory.source.trust() as i64,
                memory.conversation(),
                memory.key,
                Order::Confidence.position(memory).key,
                memory.event_at.as_microsecond(),
                memory.created_at.as_microsecond(),
                memory.expires_at.map(Timestamp::as_microsecond),
                memory.version,
                memory.content.bytes() as u64,
                identity,
                derived.document,
                number,
            ])
        })
        .map(drop)
        .map_err(unexpected)
}

/// Keeps an earlier version.
pub(super) fn keep_version(
    connection: &Connection,
    number: i64,
    version: u64,
    document: &str,
) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO versions (memory, version, document) VALUES (?, ?, ?)")
        .and_then(|mut insert| insert.execute((number, version, document)))
        .map(drop)
        .map_err(unexpected)
}

/// Marks a memory as having vectors of a model, or none.
pub(super) fn mark_embedded(
    connection: &Connection,
    number: i64,
    fingerprint: Option<&Fingerprint>,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE memories SET fingerprint = ? WHERE memory = ?")
        .and_then(|mut update| update.execute((fingerprint.map(Fingerprint::as_str), number)))
        .map(drop)
        .map_err(unexpected)
}

/// Removes a memory with everything that hangs on its row, and marks its id as forgotten.
pub(super) fn bury(connection: &Connection, row: &Row, id: &MemoryId, at: Timestamp) -> Result<()> {
    delete(connection, row.number)?;
    connection
        .prepare_cached("INSERT INTO tombstones (id, scope, at) VALUES (?, ?, ?)")
        .and_then(|mut insert| insert.execute((id.as_str(), row.scope, at.as_microsecond())))
        .map(drop)
        .map_err(unexpected)
}

/// Removes a memory with everything that hangs on its row.
pub(super) fn delete(connection: &Connection, number: i64) -> Result<()> {
    remove(connection, "DELETE FROM memories WHERE memory = ?", number)
}

/// Keeps what a memory was concluded from.
pub(super) fn insert_parents(connection: &Connection, number: i64, memory: &Memory) -> Result<()> {
    for parent in &memory.provenance.derived_from {
        connection
            .prepare_cached(
                "INSERT INTO derivations (parent, memory) VALUES (?, ?) ON CONFLICT DO NOTHING",
            )
            .and_then(|mut insert| insert.execute((parent.as_str(), number)))
            .map_err(unexpected)?;
    }
    Ok(())
}

/// Removes what a memory was concluded from.
pub(super) fn remove_parents(connection: &Connection, number: i64) -> Result<()> {
    remove(connection, "DELETE FROM derivations WHERE memory = ?", number)
}

/// Keeps the parts of a statement, folded for comparison.
pub(super) fn insert_statement(
    connection: &Connection,
    number: i64,
    scope: i64,
    triple: &Triple,
) -> Result<()> {
    let [fact_type, subject, predicate, object] =
        [&triple.fact_type, &triple.subject, &triple.predicate, &triple.object]
            .map(|part| fold(part));
    connection
        .prepare_cached(
            "INSERT INTO triples (memory, scope, fact_type, subject, predicate, object)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.execute((number, scope, fact_type, subject, predicate, object))
        })
        .map(drop)
        .map_err(unexpected)
}

/// Removes the parts of a statement.
pub(super) fn remove_statement(connection: &Connection, number: i64) -> Result<()> {
    remove(connection, "DELETE FROM triples WHERE memory = ?", number)
}

fn remove(connection: &Connection, sql: &str, number: i64) -> Result<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute([number]))
        .map(drop)
        .map_err(unexpected)
}
