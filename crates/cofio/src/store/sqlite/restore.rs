//! Going back to a copy: its memories take the place of those that are here, in one transaction.
//!
//! Rows are copied, not pages: the tables, the audit and the sequence of changes stay those of
//! the store, so nothing in a copy can change them, and going back is itself on record.

use std::fs::File;
use std::path::Path;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::copy::{Temporary, derive_all, unsound};
use super::read::collect;
use super::schema::{self, Owner};
use super::write::Writing;
use super::{
    Durability, SqliteOptions, SqliteStore, audit, codes, connect, create_new, failed, keys,
    pending, plain, unexpected,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{AuditAction, AuditEvent, Caller, ChangeKind, Identifier, MemoryId, Timestamp};

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// How many of its memories stay forgotten.
    pub still_forgotten: usize,
    /// How many of its keys were not known here, and are revoked.
    pub revoked_keys: usize,
}

impl SqliteStore {
    /// Replaces every memory by what a copy holds, except what was forgotten since.
    ///
    /// Others see either the old state or the new one. No key of the copy opens anything that it
    /// did not open before.
    pub async fn restore(
        &self,
        source: &Path,
        caller: &Caller,
        now: Timestamp,
    ) -> Result<Restored> {
        let prepared = prepare(source, &self.path)?;
        let (path, actor) = (prepared[0].path().to_owned(), caller.actor().clone());
        self.threads
            .run(move |connection| {
                attach(connection, &path)?;
                let restored = restore(connection, &actor, now);
                let detached =
                    connection.execute_batch("DETACH copy; PRAGMA wal_checkpoint(TRUNCATE);");
                restored.and_then(|restored| detached.map(|()| restored).map_err(unexpected))
            })
            .await
    }
}

/// Makes a private copy of a backup and brings it to this version; the files go when they go.
fn prepare(source: &Path, store: &Path) -> Result<[Temporary; 3]> {
    let files = Temporary::with_companions(store, "restore");
    copy_file(source, files[0].path())?;
    let unusable = |cause: Error| {
        let message =
            format!("cannot restore {}: it is no copy of a store, or damaged", source.display());
        Error::new(ErrorKind::Damaged, message).caused_by(cause)
    };
    let connection = connect(files[0].path(), SqliteOptions::default()).map_err(unusable)?;
    if schema::owner(&connection).map_err(unexpected)? != Owner::Cofio {
        return Err(unusable(Error::new(ErrorKind::Damaged, "there is no store in it")));
    }
    drop(connection);
    let options = SqliteOptions { durability: Durability::ProcessOnly, ..SqliteOptions::default() };
    // Opening it migrates it; then it is closed again.
    drop(SqliteStore::open_with(files[0].path(), options).map_err(unusable)?);
    Ok(files)
}

fn copy_file(source: &Path, target: &Path) -> Result<()> {
    let cannot = |cause: std::io::Error, path: &Path| {
        let message = format!("cannot copy {} to {}", source.display(), path.display());
        Error::new(ErrorKind::Configuration, message).caused_by(cause)
    };
    let mut from = File::open(source).map_err(|cause| {
        Error::new(ErrorKind::Configuration, format!("cannot read {}", source.display()))
            .caused_by(cause)
    })?;
    create_new(target).map_err(|cause| cannot(cause, target))?;
    let mut to = File::options().write(true).open(target).map_err(|cause| cannot(cause, target))?;
    std::io::copy(&mut from, &mut to).map(drop).map_err(|cause| cannot(cause, target))
}

fn attach(connection: &Connection, path: &Path) -> Result<()> {
    let path = plain(path);
    let path = path.to_str().ok_or_else(|| {
        Error::new(ErrorKind::Configuration, "a store can be restored only where its path is UTF-8")
    })?;
    connection.execute("ATTACH ? AS copy", [path]).map(drop).map_err(unexpected)
}

/// Replaces the memories by those of the attached copy, and records every difference.
fn restore(connection: &mut Connection, actor: &Identifier, now: Timestamp) -> Result<Restored> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)
        .map_err(|cause| failed(cause, "cannot restore the database"))?;
    let still_forgotten: usize = transaction
        .query_row(
            "SELECT count(*) FROM copy.memories WHERE id IN (SELECT id FROM main.tombstones)",
            [],
            |row| row.get(0),
        )
        .map_err(unexpected)?;
    take_name(&transaction)?;
    transaction.execute_batch(SCOPES).map_err(unexpected)?;
    let mut writing = Writing::new(&transaction, now);
    for (kind, sql) in DIFFERENCES {
        for (id, scope, number, version) in differences(&transaction, sql)? {
            writing.note(*kind, &id, scope, number, version);
        }
    }
    transaction.execute_batch(REPLACE).map_err(unexpected)?;
    if unsound(&transaction)? > 0 {
        return Err(Error::new(ErrorKind::Damaged, "the copy holds memories that cannot be read"));
    }
    let revoked_keys = keys::take_over(&transaction, now)?;
    derive_all(&transaction)?;
    codes::rebuild(&transaction)?;
    pending::refill(&transaction)?;
    let mut event = AuditEvent::new(AuditAction::Write).with("reason", "restored from a copy");
    if revoked_keys > 0 {
        event = event.with("revokedKeys", revoked_keys);
    }
    audit::append(&transaction, actor, now, &event, writing.record(None)?)?;
    transaction.commit().map_err(|cause| failed(cause, "cannot restore the database"))?;
    Ok(Restored { still_forgotten, revoked_keys })
}

/// Takes over what the copy is called if texts of its memories stand on shelves, which know them by
/// that.
fn take_name(connection: &Connection) -> Result<()> {
    let renamed = connection.execute(TAKE_NAME, []).map_err(unexpected)?;
    let is = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).map_err(unexpected);
    if renamed > 0 && is(HAS_TEXTS_ELSEWHERE)? {
        let message = "texts of this store stand on shelves, and so do texts of the store that the \
                       copy is of: restore the copy to a file where there is no store yet";
        return Err(Error::new(ErrorKind::Configuration, message));
    }
    Ok(())
}

fn differences(connection: &Connection, sql: &str) -> Result<Vec<(MemoryId, i64, i64, u64)>> {
    collect(connection, sql, std::iter::empty::<Sql>(), |row| {
        let id: String = row.get(0).map_err(unexpected)?;
        let number = |column| row.get::<_, i64>(column).map_err(unexpected);
        Ok((id.parse()?, number(1)?, number(2)?, row.get(3).map_err(unexpected)?))
    })
}

/// Gives this store the name of the copy, unless it has that or no text of the copy needs it.
const TAKE_NAME: &str = r#"
    UPDATE main.settings
    SET value = (SELECT value FROM copy.settings WHERE name = 'unique_name')
    WHERE name = 'unique_name'
      AND value <> (SELECT value FROM copy.settings WHERE name = 'unique_name')
      AND (EXISTS (SELECT 1 FROM copy.memories WHERE instr(document, '"standing":') > 0)
           OR EXISTS (SELECT 1 FROM copy.versions WHERE instr(document, '"standing":') > 0));"#;

/// Says whether a shelf may have texts of this store.
const HAS_TEXTS_ELSEWHERE: &str = r#"
    SELECT EXISTS (SELECT 1 FROM main.unshelved)
        OR EXISTS (SELECT 1 FROM main.memories WHERE instr(document, '"standing":') > 0)
        OR EXISTS (SELECT 1 FROM main.versions WHERE instr(document, '"standing":') > 0)"#;

/// Gives every scope of the copy a number here; those it has there are its own.
const SCOPES: &str = "
    INSERT INTO main.scopes (text, layer, agent, user, session, project, team, org, company)
    SELECT text, layer, agent, user, session, project, team, org, company FROM copy.scopes
    WHERE true ON CONFLICT (text) DO NOTHING;";

/// What a reader will find different: id, scope, number and version of each memory.
const DIFFERENCES: &[(ChangeKind, &str)] = &[
    (
        ChangeKind::Deleted,
        "SELECT id, scope, memory, version FROM main.memories
         WHERE id NOT IN (SELECT id FROM copy.memories) ORDER BY memory",
    ),
    (
        ChangeKind::Updated,
        "SELECT here.id, here.scope, there.memory, there.version
         FROM main.memories AS here JOIN copy.memories AS there USING (id)
         WHERE here.document <> there.document ORDER BY here.memory",
    ),
    (
        ChangeKind::Created,
        "SELECT there.id, here.scope, there.memory, there.version FROM copy.memories AS there
         JOIN copy.scopes AS own ON own.scope = there.scope
         JOIN main.scopes AS here ON here.text = own.text
         WHERE there.id NOT IN (SELECT id FROM main.memories)
           AND there.id NOT IN (SELECT id FROM main.tombstones) ORDER BY there.memory",
    ),
];

/// Puts the rows of the copy in the place of those that are here.
const REPLACE: &str = "
    DELETE FROM main.mentions;
    DELETE FROM main.spellings;
    DELETE FROM main.entities;
    DELETE FROM main.memories;
    INSERT INTO main.memories (memory, id, scope, kind, state, trust, session, key, confidence,
                               event_at, created_at, expires_at, version, bytes, identity, document,
                               access_count, accessed_at, fingerprint)
    SELECT there.memory, there.id, here.scope, there.kind, there.state, there.trust, there.session,
           there.key, there.confidence, there.event_at, there.created_at, there.expires_at,
           there.version, there.bytes, there.identity, there.document, there.access_count,
           there.accessed_at, there.fingerprint
    FROM copy.memories AS there
    JOIN copy.scopes AS own ON own.scope = there.scope
    JOIN main.scopes AS here ON here.text = own.text
    WHERE there.id NOT IN (SELECT id FROM main.tombstones);
    INSERT INTO main.versions (memory, version, document)
    SELECT memory, version, document FROM copy.versions
    WHERE memory IN (SELECT memory FROM main.memories);
    INSERT INTO main.derivations (parent, memory)
    SELECT parent, memory FROM copy.derivations
    WHERE memory IN (SELECT memory FROM main.memories);
    INSERT INTO main.jobs (id, task, actor, started_at, record)
    SELECT id, task, actor, started_at, record FROM copy.jobs WHERE true ON CONFLICT DO NOTHING;
    INSERT INTO main.stages (memory, stage, job)
    SELECT there.memory, there.stage, here.job FROM copy.stages AS there
    JOIN copy.jobs AS own ON own.job = there.job
    JOIN main.jobs AS here ON here.id = own.id
    WHERE there.memory IN (SELECT memory FROM main.memories);
    INSERT INTO main.rejections (scope, value, at)
    SELECT here.scope, there.value, there.at FROM copy.rejections AS there
    JOIN copy.scopes AS own ON own.scope = there.scope
    JOIN main.scopes AS here ON here.text = own.text
    WHERE true ON CONFLICT DO NOTHING;
    DELETE FROM main.vectors;
    INSERT INTO main.models (fingerprint, dimensions)
    SELECT fingerprint, dimensions FROM copy.models WHERE true ON CONFLICT DO NOTHING;
    INSERT INTO main.vectors (vector, page, flags, text, numbers)
    SELECT (there.memory << 24) | (here.model << 16) | there.passage, 0, there.flags, there.text,
           there.numbers
    FROM copy.vectors AS there
    JOIN copy.models AS own ON own.model = there.model
    JOIN main.models AS here ON here.fingerprint = own.fingerprint
    WHERE there.memory IN (SELECT memory FROM main.memories);
    INSERT INTO main.tombstones (id, scope, at)
    SELECT there.id, here.scope, there.at FROM copy.tombstones AS there
    JOIN copy.scopes AS own ON own.scope = there.scope
    JOIN main.scopes AS here ON here.text = own.text
    WHERE there.id NOT IN (SELECT id FROM main.memories) ON CONFLICT (id) DO NOTHING;";
