//! The tables, and how an older file becomes a newer one.
//!
//! Migrations are added, never edited.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::text::ANALYSER_VERSION;

/// What makes version n + 1 out of version n.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/001.sql"),
    concat!(include_str!("schema/002-vectors.sql"), include_str!("schema/002-turns.sql")),
    concat!(
        include_str!("schema/003-spellings.sql"),
        include_str!("schema/003-policy.sql"),
        include_str!("schema/003-refusals.sql")
    ),
    include_str!("schema/004-beginnings.sql"),
    include_str!("schema/005-keys.sql"),
    include_str!("schema/006-jobs.sql"),
    include_str!("schema/007-shelves.sql"),
    include_str!("schema/008-unique-name.sql"),
    include_str!("schema/009-counting.sql"),
];

/// Marks a file as ours ("cofi").
const APPLICATION_ID: i32 = 0x636f_6669;

/// Brings a file to this version, after copying an older one beside itself.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    migrate_by(connection, path, MIGRATIONS)
}

/// Refuses a file that would have to be brought to this version first.
pub(super) fn check_current(connection: &Connection) -> Result<()> {
    match look(connection, MIGRATIONS.len())? {
        Found::UpToDate | Found::Version(0) => Ok(()),
        Found::Version(version) => {
            let message = format!("the database has version {version}, which is not current");
            Err(Error::new(ErrorKind::Configuration, message).with("version", version))
        }
    }
}

fn migrate_by(connection: &Connection, path: &Path, migrations: &[&str]) -> Result<()> {
    let before = match look(connection, migrations.len())? {
        Found::UpToDate => return Ok(()),
        Found::Version(before) => before,
    };
    if (1..migrations.len()).contains(&before) {
        write_backup(connection, path, before)?;
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
        .map_err(unexpected)?;
    // Another process may have migrated while this one waited.
    let found = version(&transaction)?;
    for migration in migrations.get(found..).unwrap_or_default() {
        transaction.execute_batch(migration).map_err(unexpected)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(unexpected)?;
    transaction.pragma_update(None, "user_version", migrations.len()).map_err(unexpected)?;
    if analyser(&transaction)? != Some(ANALYSER_VERSION) {
        super::copy::derive_all(&transaction)?;
        set_analyser(&transaction)?;
    }
    transaction.commit().map_err(unexpected)
}

/// What a file turned out to be.
enum Found {
    /// Nothing is to be done.
    UpToDate,
    /// A store of this version, which is too old or has an older index; 0 is an empty file.
    Version(usize),
}

/// Looks at a file, and refuses what is not for this program or not for this version of it.
fn look(connection: &Connection, newest: usize) -> Result<Found> {
    // One snapshot: another process may be making the tables between two questions.
    let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)
        .map_err(unexpected)?;
    match owner(&snapshot).map_err(unexpected)? {
        Owner::Nobody => return Ok(Found::Version(0)),
        Owner::Another => return Err(foreign()),
        Owner::Cofio => {}
    }
    let version = version(&snapshot)?;
    if version > newest {
        return Err(newer("database", version));
    }
    match analyser(&snapshot)? {
        Some(analyser) if analyser > ANALYSER_VERSION => Err(newer("index", analyser as usize)),
        Some(ANALYSER_VERSION) if version == newest => Ok(Found::UpToDate),
        _ => Ok(Found::Version(version)),
    }
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A store.
    Cofio,
    /// An empty file.
    Nobody,
    /// Another program's.
    Another,
}

/// Returns whose file it is, without changing it.
pub(super) fn owner(connection: &Connection) -> rusqlite::Result<Owner> {
    // One question, so that the answer is from one moment.
    let (application, tables): (i32, i64) = connection.query_row(
        "SELECT (SELECT * FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(match (application, tables) {
        (APPLICATION_ID, _) => Owner::Cofio,
        (_, 0) => Owner::Nobody,
        _ => Owner::Another,
    })
}

/// Copies a file beside itself, under the first name that is free.
fn write_backup(connection: &Connection, path: &Path, version: usize) -> Result<()> {
    let mut number = 1;
    loop {
        let target = backup_path(path, version, number);
        match super::copy::write_copy(connection, &target) {
            // An earlier attempt or another process has taken the name.
            Err(_) if target.exists() => number += 1,
            result => return result,
        }
    }
}

fn backup_path(path: &Path, version: usize, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.backup"));
    if number > 1 {
        name.push(format!("-{number}"));
    }
    PathBuf::from(name)
}

pub(super) fn foreign() -> Error {
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

/// Returns what no other store is called.
pub(super) fn unique_name(connection: &Connection) -> Result<String> {
    connection
        .query_row("SELECT value FROM settings WHERE name = 'unique_name'", [], |row| row.get(0))
        .map_err(unexpected)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::{SqliteOptions, connect, create_private};

    const ADDED: &str = "CREATE TABLE added (number INTEGER) STRICT;";

    /// Returns the migrations of a later version.
    fn with(next: &'static str) -> Vec<&'static str> {
        MIGRATIONS.iter().copied().chain([next]).collect()
    }

    /// Returns where a file of this version is copied to.
    fn backup(path: &Path, number: usize) -> PathBuf {
        backup_path(path, MIGRATIONS.len(), number)
    }

    fn migrated(path: &Path, migrations: &[&str]) -> Result<Connection> {
        create_private(path)?;
        let connection = connect(path, SqliteOptions::default())?;
        migrate_by(&connection, path, migrations)?;
        Ok(connection)
    }

    #[test]
    fn an_older_file_is_copied_and_migrated_and_is_then_too_new_for_the_older_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        migrated(&path, MIGRATIONS).unwrap();
        let next = with(ADDED);
        migrated(&path, &next).unwrap().execute("INSERT INTO added VALUES (1)", []).unwrap();
        migrated(&path, &next).unwrap();
        let error = migrated(&path, MIGRATIONS).unwrap_err();
        assert!(error.to_string().contains("newer"), "{error}");
        migrated(&backup(&path, 1), MIGRATIONS).unwrap();
        assert!(!backup(&path, 2).exists());
    }

    #[test]
    fn what_waits_in_a_file_of_the_second_version_still_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        create_private(&path).unwrap();
        let older = connect(&path, SqliteOptions::default()).unwrap();
        older.execute_batch(&MIGRATIONS[..2].concat()).unwrap();
        older
            .execute_batch(
                "INSERT INTO scopes (scope, text, layer) VALUES (1, 'user:alice', 'user');
                 INSERT INTO memories (memory, id, scope, kind, state, trust, confidence, event_at,
                                       created_at, version, bytes, document)
                 VALUES (1, 'fact_1', 1, 'fact', 'active', 0, 0, 0, 0, 1, 0, '{}');
                 INSERT INTO pending (memory, scope, claimed_until) VALUES (1, 1, 7);",
            )
            .unwrap();
        older.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        older.pragma_update(None, "user_version", 2).unwrap();
        set_analyser(&older).unwrap();
        let waiting: (i64, i64, Option<String>) = migrated(&path, MIGRATIONS)
            .unwrap()
            .query_row("SELECT claimed_until, refusals, refused_because FROM pending", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(waiting, (7, 0, None));
    }

    #[test]
    fn a_migration_that_fails_changes_nothing_and_can_be_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        migrated(&path, MIGRATIONS).unwrap();
        let broken = with("CREATE TABLE added (number INTEGER) STRICT; nonsense");
        assert!(migrated(&path, &broken).is_err());
        migrated(&path, MIGRATIONS).unwrap();
        migrated(&path, &with(ADDED)).unwrap();
        assert!(backup(&path, 2).exists());
    }

    #[test]
    fn of_many_programs_that_migrate_at_once_none_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        migrated(&path, MIGRATIONS).unwrap();
        std::thread::scope(|threads| {
            let all: Vec<_> =
                (0..8).map(|_| threads.spawn(|| migrated(&path, &with(ADDED)).map(drop))).collect();
            for one in all {
                one.join().unwrap().unwrap();
            }
        });
    }
}
