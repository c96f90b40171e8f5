//! What both sides last agreed on, in a small database beside the store.
//!
//! It is no loss if it is removed: then every file is compared with the store anew.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use crate::error::{Error, ErrorKind, Result};
use crate::files::compare::Said;
use crate::files::folder::{Relative, Seen, Stamp};
use crate::files::{Folder, Form};
use crate::model::{Memory, MemoryId};

/// The form of the database.
const VERSION: i64 = 1;

/// How long others are waited for who write to it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The version of a memory that is gone for good, which nothing comes after.
const GONE: i64 = i64::MAX;

const TABLES: &str = "
    CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE pages (
        path TEXT PRIMARY KEY, form INTEGER NOT NULL, revision INTEGER NOT NULL,
        size INTEGER NOT NULL, modified TEXT NOT NULL, inode INTEGER NOT NULL, sha256 TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE said (path TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL,
        text TEXT NOT NULL, PRIMARY KEY (path, place)) WITHOUT ROWID;
    CREATE INDEX said_id ON said (id);
    CREATE TABLE versions (id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
";

/// What both sides last agreed on.
#[derive(Debug)]
pub(super) struct Notes {
    path: PathBuf,
}

/// What is noted of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Noted {
    /// What it was when both sides last agreed; nothing if somebody has changed it since.
    pub(super) stamp: Option<Stamp>,
    /// How memories stand in it.
    pub(super) form: Form,
    /// Goes up with every note of the file.
    pub(super) revision: i64,
}

impl Notes {
    /// Names the database; it is made when it is first written to.
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, with the folder that is its own.
    pub(super) fn remove(&self) -> Result<()> {
        let cannot = |cause: io::Error| {
            Error::new(ErrorKind::Provider, "cannot remove the notes of a folder").caused_by(cause)
        };
        self.path.parent().map_or(Ok(()), fs::remove_dir_all).map_err(cannot)
    }

    /// Begins to read, unless nothing was ever noted.
    pub(super) fn reading(&self) -> Result<Option<Reader>> {
        if !self.path.exists() {
            return Ok(None);
        }
        let connection = self.open()?;
        connection.execute_batch("BEGIN").map_err(|cause| self.failed(cause))?;
        Ok(Some(Reader { connection, path: self.path.clone() }))
    }

    /// Writes, all of it or nothing.
    pub(super) fn write<T>(&self, write: impl FnOnce(&Writing<'_>) -> Result<T>) -> Result<T> {
        // The folder is its owner's alone: notes are texts of memories.
        self.path.parent().map(Folder::open).transpose()?;
        let mut connection = self.open()?;
        let transaction = Transaction::new(&mut connection, TransactionBehavior::Immediate);
        let transaction = transaction.map_err(|cause| self.failed(cause))?;
        let done = write(&Writing { transaction: &transaction, path: &self.path })?;
        transaction.commit().map_err(|cause| self.failed(cause))?;
        Ok(done)
    }

    fn open(&self) -> Result<Connection> {
        let connection = Connection::open(&self.path).map_err(|cause| self.failed(cause))?;
        let prepared = || {
            connection.busy_timeout(PATIENCE)?;
            connection.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
                PRAGMA secure_delete = ON;",
            )?;
            connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        };
        match prepared().map_err(|cause| self.failed(cause))? {
            0 => self.make(connection),
            VERSION => Ok(connection),
            _ => {
                let message = "the notes of what files and store agreed on were written by a newer \
                               Cofio";
                Err(Error::new(ErrorKind::Configuration, message))
            }
        }
    }

    fn make(&self, mut connection: Connection) -> Result<Connection> {
        let mut make = || {
            let transaction = Transaction::new(&mut connection, TransactionBehavior::Immediate)?;
            let version: i64 =
                transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            if version == 0 {
                transaction.execute_batch(TABLES)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            transaction.commit()
        };
        make().map_err(|cause| self.failed(cause))?;
        Ok(connection)
    }

    fn failed(&self, cause: rusqlite::Error) -> Error {
        failed(&self.path, cause)
    }
}

/// What is noted, all of it at one moment.
#[derive(Debug)]
pub(super) struct Reader {
    connection: Connection,
    path: PathBuf,
}

impl Reader {
    /// Returns every file that something is noted of.
    pub(super) fn pages(&self) -> Result<Vec<(String, Noted)>> {
        let read = || {
            let mut select = self
                .connection
                .prepare("SELECT path, form, revision, size, modified, inode, sha256 FROM pages")?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, noted(row)?)))?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|cause| failed(&self.path, cause))
    }

    /// Returns what a file said, in its order.
    pub(super) fn said(&self, path: &str) -> Result<Vec<Said>> {
        said(&self.connection, path).map_err(|cause| failed(&self.path, cause))
    }

    /// Returns the file that a memory stood in.
    pub(super) fn path_of(&self, id: &MemoryId) -> Result<Option<String>> {
        path_of(&self.connection, id).map_err(|cause| failed(&self.path, cause))
    }

    /// Returns how many memories stand in files.
    pub(super) fn count(&self) -> Result<usize> {
        let count = "SELECT count(*) FROM said";
        self.connection
            .query_row(count, [], |row| row.get(0))
            .map_err(|cause| failed(&self.path, cause))
    }

    /// Returns something that is noted once.
    pub(super) fn fact(&self, name: &str) -> Result<Option<String>> {
        fact(&self.connection, name).map_err(|cause| failed(&self.path, cause))
    }
}

/// Notes that are being written.
pub(super) struct Writing<'a> {
    transaction: &'a Transaction<'a>,
    path: &'a Path,
}

impl Writing<'_> {
    /// Returns what is noted of a file.
    pub(super) fn page(&self, path: &Relative) -> Result<Option<Noted>> {
        let select = "SELECT path, form, revision, size, modified, inode, sha256 FROM pages
                      WHERE path = ?";
        self.transaction
            .query_row(select, [path.as_str()], noted)
            .optional()
            .map_err(|cause| self.failed(cause))
    }

    /// Returns what a file said, in its order.
    pub(super) fn said(&self, path: &Relative) -> Result<Vec<Said>> {
        said(self.transaction, path.as_str()).map_err(|cause| self.failed(cause))
    }

    /// Returns the file that a memory stood in.
    pub(super) fn path_of(&self, id: &MemoryId) -> Result<Option<String>> {
        path_of(self.transaction, id).map_err(|cause| self.failed(cause))
    }

    /// Notes what a file says; without a stamp, that somebody has changed it since.
    pub(super) fn set(
        &self,
        path: &Relative,
        form: Form,
        stamp: Option<&Stamp>,
        said: &[Said],
    ) -> Result<()> {
        let set = || {
            let path = path.as_str();
            let unknown = Seen { size: 0, modified: 0, inode: 0 };
            let seen = stamp.map_or(unknown, |stamp| stamp.seen);
            let sha256 = stamp.map_or("", |stamp| &stamp.sha256);
            self.transaction.execute("DELETE FROM said WHERE path = ?", [path])?;
            self.transaction.execute(
                "INSERT INTO pages (path, form, revision, size, modified, inode, sha256)
                 VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)
                 ON CONFLICT (path) DO UPDATE SET form = ?2, revision = revision + 1, size = ?3,
                     modified = ?4, inode = ?5, sha256 = ?6",
                params![
                    path,
                    form == Form::Page,
                    seen.size.cast_signed(),
                    seen.modified.to_string(),
                    seen.inode.cast_signed(),
                    sha256
                ],
            )?;
            let mut insert = self
                .transaction
                .prepare_cached("INSERT INTO said (path, place, id, text) VALUES (?, ?, ?, ?)")?;
            for (place, (id, text)) in said.iter().enumerate() {
                insert.execute(params![path, place, id.as_str(), text])?;
            }
            Ok(())
        };
        set().map_err(|cause| self.failed(cause))
    }

    /// Notes that a file is gone.
    pub(super) fn remove(&self, path: &Relative) -> Result<()> {
        let remove = || {
            self.transaction.execute("DELETE FROM said WHERE path = ?", [path.as_str()])?;
            self.transaction.execute("DELETE FROM pages WHERE path = ?", [path.as_str()])
        };
        remove().map(|_| ()).map_err(|cause| self.failed(cause))
    }

    /// Notes which version of a memory the files know, and returns whether they knew none as late.
    ///
    /// Without a version it is gone for good.
    pub(super) fn follow(&self, id: &MemoryId, memory: Option<&Memory>) -> Result<bool> {
        let version = memory.map_or(GONE, |memory| memory.version.cast_signed());
        let update = "INSERT INTO versions (id, version) VALUES (?1, ?2)
                      ON CONFLICT (id) DO UPDATE SET version = ?2 WHERE version < ?2";
        let changed = self
            .transaction
            .prepare_cached(update)
            .and_then(|mut update| update.execute(params![id.as_str(), version]));
        Ok(changed.map_err(|cause| self.failed(cause))? > 0)
    }

    /// Returns something that is noted once.
    pub(super) fn fact(&self, name: &str) -> Result<Option<String>> {
        fact(self.transaction, name).map_err(|cause| self.failed(cause))
    }

    /// Notes something once.
    pub(super) fn set_fact(&self, name: &str, value: &str) -> Result<()> {
        let set = "INSERT INTO facts (name, value) VALUES (?1, ?2)
                   ON CONFLICT (name) DO UPDATE SET value = ?2";
        let set = self.transaction.execute(set, [name, value]);
        set.map(|_| ()).map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: rusqlite::Error) -> Error {
        failed(self.path, cause)
    }
}

fn noted(row: &Row<'_>) -> rusqlite::Result<Noted> {
    let modified: String = row.get("modified")?;
    let seen = Seen {
        size: row.get::<_, i64>("size")?.cast_unsigned(),
        modified: modified.parse().unwrap_or_default(),
        inode: row.get::<_, i64>("inode")?.cast_unsigned(),
    };
    let sha256: String = row.get("sha256")?;
    let form = if row.get("form")? { Form::Page } else { Form::Entries };
    let stamp = (!sha256.is_empty()).then_some(Stamp { seen, sha256 });
    Ok(Noted { stamp, form, revision: row.get("revision")? })
}

fn said(connection: &Connection, path: &str) -> rusqlite::Result<Vec<Said>> {
    let mut select =
        connection.prepare_cached("SELECT id, text FROM said WHERE path = ? ORDER BY place")?;
    let rows = select.query_map([path], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
    let mut all = Vec::new();
    for row in rows {
        let (id, text) = row?;
        // Only ids are written; what is none was put there by somebody else.
        all.extend(id.parse().ok().map(|id: MemoryId| (id, text)));
    }
    Ok(all)
}

fn path_of(connection: &Connection, id: &MemoryId) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT path FROM said WHERE id = ?")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()
}

fn fact(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let select = "SELECT value FROM facts WHERE name = ?";
    connection.query_row(select, [name], |row| row.get(0)).optional()
}

fn failed(path: &Path, cause: rusqlite::Error) -> Error {
    let message = format!(
        "cannot use {}, the notes of what files and store agreed on; remove it to compare both anew",
        path.display()
    );
    Error::new(ErrorKind::Provider, message).caused_by(cause)
}
