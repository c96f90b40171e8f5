//! Copies, restoring, checking and rebuilding of the whole file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{
    Durability, SqliteOptions, SqliteStore, connect, create_private, failed, index, read,
    unexpected, write,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{AuditAction, AuditEvent, Caller, Change, Commit, Timestamp};
use crate::store::{Store as _, Tombstone};

/// What a check of the file found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrity {
    /// What is wrong; empty if nothing is.
    pub problems: Vec<String>,
    /// How many memories are in the file, whoever's they are.
    pub memories: u64,
    /// How many bytes the file has.
    pub bytes: u64,
    /// The version of its tables.
    pub schema_version: u64,
}

impl SqliteStore {
    /// Writes a copy of this moment's state, while others go on writing.
    ///
    /// The copy appears at `target` when it is complete and on disk; a file that is there already
    /// is not replaced.
    pub async fn backup(&self, target: &Path) -> Result<()> {
        let (path, target) = (self.path.clone(), target.to_owned());
        // The snapshot of a reader is a transaction, in which no copy can be made.
        let copy =
            move |_: &Connection| write_copy(&connect(&path, SqliteOptions::default())?, &target);
        self.threads.read(copy).await
    }

    /// Replaces everything by what a copy holds, except what was forgotten since.
    ///
    /// Other processes see either the old state or the new one. Returns how many memories of the
    /// copy stay forgotten.
    pub async fn restore(&self, source: &Path, caller: &Caller, now: Timestamp) -> Result<usize> {
        let prepared = PreparedCopy::new(source, &self.path)?;
        let kept_forgotten = {
            let options =
                SqliteOptions { durability: Durability::ProcessOnly, ..SqliteOptions::default() };
            let copy = SqliteStore::open_with(&prepared.path, options)
                .map_err(|cause| unusable(source, cause))?;
            let forgotten = self.tombstones(caller.access()).await?;
            forget_again(&copy, forgotten, caller, now).await?
        };
        let path = prepared.path.clone();
        self.threads.run(move |connection| overwrite(connection, &path)).await?;
        Ok(kept_forgotten)
    }

    /// Makes everything anew that is derived from the memories.
    pub async fn rebuild(&self) -> Result<()> {
        self.threads
            .run(|connection| {
                let transaction = Transaction::new(connection, TransactionBehavior::Immediate)
                    .map_err(unexpected)?;
                index::rebuild(&transaction)?;
                derive_all(&transaction)?;
                transaction.commit().map_err(unexpected)
            })
            .await
    }

    /// Checks the file page by page.
    pub async fn check(&self) -> Result<Integrity> {
        let path = self.path.clone();
        self.threads.read(move |connection| check(connection, &path)).await
    }
}

/// Writes a copy beside its target, makes it durable and moves it there.
pub(super) fn write_copy(connection: &Connection, target: &Path) -> Result<()> {
    let cannot = |cause: std::io::Error| {
        Error::new(ErrorKind::Configuration, format!("cannot write a copy to {}", target.display()))
            .caused_by(cause)
    };
    if target.exists() {
        return Err(cannot(std::io::ErrorKind::AlreadyExists.into()));
    }
    let partial = Partial(beside(target, &format!("partial-{}", unique())));
    create_private(&partial.0)?;
    connection
        .execute("VACUUM INTO ?", [partial.0.to_string_lossy()])
        .map_err(|cause| failed(cause, "cannot copy the database"))?;
    File::open(&partial.0).and_then(|file| file.sync_all()).map_err(cannot)?;
    std::fs::hard_link(&partial.0, target).map_err(cannot)?;
    sync_folder(target).map_err(cannot)
}

/// Makes the name of a new file survive power loss.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all())
}

/// Returns a part of a name that nobody else on this machine uses at the same time.
fn unique() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

/// A file that is removed when it is no longer needed.
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A private copy of a backup, to be changed before it takes the store's place.
struct PreparedCopy {
    path: PathBuf,
    _files: [Partial; 3],
}

impl PreparedCopy {
    fn new(source: &Path, store: &Path) -> Result<Self> {
        let cannot = |cause: std::io::Error| {
            Error::new(ErrorKind::Configuration, format!("cannot read backup {}", source.display()))
                .caused_by(cause)
        };
        let path = beside(store, &format!("restore-{}", unique()));
        let files = ["", "-wal", "-shm"].map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            Partial(PathBuf::from(name))
        });
        let mut from = File::open(source).map_err(cannot)?;
        create_private(&path)?;
        let mut to = File::options().write(true).truncate(true).open(&path).map_err(cannot)?;
        std::io::copy(&mut from, &mut to).map_err(cannot)?;
        Ok(Self { path, _files: files })
    }
}

/// Returns the error for a backup that cannot be restored.
fn unusable(source: &Path, cause: Error) -> Error {
    let message =
        format!("cannot restore {}: it is damaged or no copy of a store", source.display());
    Error::new(ErrorKind::Damaged, message).caused_by(cause)
}

async fn forget_again(
    copy: &SqliteStore,
    forgotten: Vec<Tombstone>,
    caller: &Caller,
    now: Timestamp,
) -> Result<usize> {
    let integrity = copy.check().await?;
    if !integrity.problems.is_empty() {
        return Err(Error::new(ErrorKind::Damaged, "the backup is damaged"));
    }
    let ids: Vec<_> = forgotten.iter().map(|tombstone| tombstone.id.clone()).collect();
    let back = copy.get(caller.access(), &ids).await?;
    let event = AuditEvent::new(AuditAction::BulkDelete)
        .with("reason", "forgotten before a restore")
        .with("count", back.len());
    let changes: Vec<Change> = forgotten
        .into_iter()
        .filter(|tombstone| back.iter().any(|memory| memory.id == tombstone.id))
        .map(|tombstone| Change::Forget { id: tombstone.id, scope: tombstone.scope })
        .collect();
    let count = changes.len();
    if count > 0 {
        let actor = caller.actor().clone();
        copy.commit(Commit { actor, at: now, changes, audit: vec![event], idempotency: None })
            .await?;
    }
    let event = AuditEvent::new(AuditAction::Write).with("reason", "restored from a backup");
    let actor = caller.actor().clone();
    copy.commit(Commit {
        actor,
        at: now,
        changes: Vec::new(),
        audit: vec![event],
        idempotency: None,
    })
    .await?;
    Ok(count)
}

/// Writes every page of a copy over a database, in one transaction.
fn overwrite(connection: &mut Connection, copy: &Path) -> Result<()> {
    let cannot = |cause| failed(cause, "cannot restore the database");
    let source = connect(copy, SqliteOptions::default())?;
    let backup = Backup::new(&source, connection).map_err(cannot)?;
    for attempt in 0.. {
        match backup.step(-1).map_err(cannot)? {
            StepResult::Done => return Ok(()),
            _ if super::threads::wait_for_turn(attempt) => {}
            _ => break,
        }
    }
    Err(Error::new(ErrorKind::Provider, "another process has kept the database for too long"))
}

/// Makes the tables anew that memories are found through.
fn derive_all(connection: &Connection) -> Result<()> {
    connection
        .execute_batch("DELETE FROM mentions; DELETE FROM entities; DELETE FROM triples;")
        .map_err(unexpected)?;
    read::each_memory(connection, |number, scope, memory| {
        write::derive(connection, number, scope, memory)
    })
}

fn check(connection: &Connection, path: &Path) -> Result<Integrity> {
    let mut problems: Vec<String> = connection
        .prepare("PRAGMA integrity_check(20)")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(unexpected)?;
    problems.retain(|problem| problem != "ok");
    let memories = connection
        .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
        .map_err(unexpected)?;
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let schema_version = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(unexpected)?;
    Ok(Integrity { problems, memories, bytes, schema_version })
}
