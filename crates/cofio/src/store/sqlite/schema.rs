//! The tables, and how an older file becomes a newer one.
//!
//! Migrations are added, never edited.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use super::{index, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::text::ANALYSER_VERSION;

/// What makes version n + 1 out of version n.
const MIGRATIONS: &[&str] = &[include_str!("schema/001.sql")];

/// Marks a file as ours ("cofi").
const APPLICATION_ID: i32 = 0x636f_6669;

/// Brings a file to this version, after copying an older one beside itself.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    if up_to_date(connection)? {
        return Ok(());
    }
    let before = version(connection)?;
    if before > 0 {
        super::copy::write_copy(connection, &backup_path(path, before))?;
    }
    let transaction =
        rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
            .map_err(unexpected)?;
    // Another process may have migrated while this one waited.
    let found = version(&transaction)?;
    for migration in &MIGRATIONS[found..] {
        transaction.execute_batch(migration).map_err(unexpected)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(unexpected)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len()).map_err(unexpected)?;
    if analyser(&transaction)? != Some(ANALYSER_VERSION) {
        index::rebuild(&transaction)?;
        set_analyser(&transaction)?;
    }
    transaction.commit().map_err(unexpected)
}

/// Returns whether nothing is to be done, and refuses files that are not for this version.
fn up_to_date(connection: &Connection) -> Result<bool> {
    let application: i32 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(unexpected)?;
    let version = version(connection)?;
    if application != APPLICATION_ID {
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(unexpected)?;
        return if tables == 0 { Ok(false) } else { Err(foreign()) };
    }
    if version > MIGRATIONS.len() {
        return Err(newer("database", version));
    }
    if version < MIGRATIONS.len() {
        return Ok(false);
    }
    match analyser(connection)? {
        Some(analyser) if analyser > ANALYSER_VERSION => Err(newer("index", analyser as usize)),
        analyser => Ok(analyser == Some(ANALYSER_VERSION)),
    }
}

fn foreign() -> Error {
    Error::new(ErrorKind::Configuration, "this SQLite file belongs to another program")
}

fn newer(what: &str, version: usize) -> Error {
    let message =
        format!("the {what} has version {version}, which a newer Cofio wrote: update Cofio");
    Error::new(ErrorKind::Configuration, message).with("version", version)
}

fn version(connection: &Connection) -> Result<usize> {
    let version: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(unexpected)?;
    usize::try_from(version).map_err(|_| foreign())
}

fn analyser(connection: &Connection) -> Result<Option<u32>> {
    connection
        .query_row("SELECT value FROM settings WHERE name = 'analyser'", [], |row| row.get(0))
        .optional()
        .map_err(unexpected)
}

fn set_analyser(connection: &Connection) -> Result<()> {
    connection
        .execute(
            "INSERT INTO settings (name, value) VALUES ('analyser', ?1)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [ANALYSER_VERSION],
        )
        .map(drop)
        .map_err(unexpected)
}

/// Returns where the copy of an older version goes.
fn backup_path(path: &Path, version: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.backup"));
    PathBuf::from(name)
}
