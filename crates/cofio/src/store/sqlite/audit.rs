//! The audit: a chain of entries, its head kept outside the table.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::{Map, Value};

use super::read::{bounded, collect};
use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    AuditEntry, AuditEvent, AuditRecord, ChangeKind, ChangeRange, Identifier, MemoryId, Timestamp,
};
use crate::store::document::moment;
use crate::store::{Entries, GENESIS, chain};

/// Chains an entry to the audit, and keeps the head outside the table.
pub(super) fn append(
    connection: &Connection,
    actor: &Identifier,
    at: Timestamp,
    event: &AuditEvent,
    changes: Option<ChangeRange>,
) -> Result<()> {
    let (last, head) = head(connection)?;
    let record = AuditRecord {
        sequence: last + 1,
        at,
        actor: actor.clone(),
        action: event.action,
        scope: event.scope.as_ref().map(ToString::to_string),
        changes,
        details: event.details.clone(),
    };
    let entry = chain::link(record, &head);
    let (record, changes) = (&entry.record, entry.record.changes.as_ref());
    connection
        .prepare_cached("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .and_then(|mut insert| {
            insert.execute(params![
                record.sequence,
                at.as_microsecond(),
                actor.as_str(),
                record.action.as_str(),
                record.scope,
                changes.map(|range| range.first),
                changes.map(|range| range.last),
                changes.map(|range| range.digest.as_str()),
                Value::from(record.details.clone()).to_string(),
                entry.previous,
                entry.hash,
            ])
        })
        .map_err(unexpected)?;
    connection
        .prepare_cached(
            "INSERT INTO settings (name, value) VALUES ('audit_head', ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .and_then(|mut update| update.execute([format!("{} {}", record.sequence, entry.hash)]))
        .map(drop)
        .map_err(unexpected)
}

pub(super) fn list(
    connection: &Connection,
    actor: Option<&Identifier>,
    which: Entries,
    limit: usize,
) -> Result<Vec<AuditEntry>> {
    let (after, direction) = match which {
        Entries::After(sequence) => (sequence, "ASC"),
        Entries::Latest => (0, "DESC"),
    };
    let sql = format!(
        "SELECT sequence, at, actor, action, scope, first_change, last_change, digest,
                details, previous, hash
         FROM audit WHERE sequence > ? AND coalesce(actor = ?, true)
         ORDER BY sequence {direction} LIMIT ?"
    );
    let actor = actor.map_or(Sql::Null, |actor| actor.as_str().to_owned().into());
    let values = [bounded(after), actor, bounded(limit as u64)];
    let mut entries = collect(connection, &sql, values, audit_entry)?;
    if which == Entries::Latest {
        entries.reverse();
    }
    Ok(entries)
}

fn audit_entry(row: &Row<'_>) -> Result<AuditEntry> {
    let text = |column| row.get::<_, String>(column).map_err(unexpected);
    let first: Option<u64> = row.get(5).map_err(unexpected)?;
    let changes = match first {
        Some(first) => {
            Some(ChangeRange { first, last: row.get(6).map_err(unexpected)?, digest: text(7)? })
        }
        None => None,
    };
    let details: Map<String, Value> = serde_json::from_str(&text(8)?).map_err(|cause| {
        Error::new(ErrorKind::Provider, "an audit entry cannot be read").caused_by(cause)
    })?;
    let record = AuditRecord {
        sequence: row.get(0).map_err(unexpected)?,
        at: moment(row.get(1).map_err(unexpected)?)?,
        actor: Identifier::new(&text(2)?)?,
        action: text(3)?.parse()?,
        scope: row.get(4).map_err(unexpected)?,
        changes,
        details,
    };
    Ok(AuditEntry { record, previous: text(9)?, hash: text(10)? })
}

/// Checks the chain in pieces, so that a long one needs little memory.
pub(super) fn verify(connection: &Connection) -> Result<u64> {
    const PIECE: usize = 1_000;
    let (mut verified, mut last) = (0, GENESIS.to_owned());
    loop {
        // An entry that cannot even be read was not written by us.
        let entries = list(connection, None, Entries::After(verified), PIECE)
            .map_err(|_| chain::broken(verified + 1))?;
        last = chain::verify(&last, verified + 1, &entries)?;
        for entry in &entries {
            verify_changes(connection, entry)?;
        }
        verified += entries.len() as u64;
        if entries.len() < PIECE {
            break;
        }
    }
    match head(connection)? {
        (sequence, hash) if sequence == verified && hash == last => Ok(verified),
        _ => Err(chain::broken(verified + 1)),
    }
}

fn verify_changes(connection: &Connection, entry: &AuditEntry) -> Result<()> {
    let Some(range) = &entry.record.changes else { return Ok(()) };
    let sql =
        "SELECT sequence, id, kind FROM changes WHERE sequence BETWEEN ? AND ? ORDER BY sequence";
    let parts: Vec<(u64, MemoryId, ChangeKind)> =
        collect(connection, sql, [bounded(range.first), bounded(range.last)], |row| {
            let text = |column| row.get::<_, String>(column).map_err(unexpected);
            Ok((row.get(0).map_err(unexpected)?, text(1)?.parse()?, text(2)?.parse()?))
        })?;
    let digest =
        chain::change_digest(parts.iter().map(|(sequence, id, kind)| (*sequence, id, *kind)));
    if digest == range.digest { Ok(()) } else { Err(chain::broken(entry.record.sequence)) }
}

/// Returns the place and hash of the last audit entry, as kept outside the table.
pub(super) fn head(connection: &Connection) -> Result<(u64, String)> {
    let head: Option<String> = connection
        .prepare_cached("SELECT value FROM settings WHERE name = 'audit_head'")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)).optional())
        .map_err(unexpected)?;
    let Some(head) = head else { return Ok((0, GENESIS.to_owned())) };
    let parsed = head
        .split_once(' ')
        .and_then(|(sequence, hash)| Some((sequence.parse().ok()?, hash.to_owned())));
    parsed.ok_or_else(|| chain::broken(1))
}
