//! Copies, checking and rebuilding of the whole file.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use uuid::{NoContext, Uuid};

use super::read::{self, collect};
use super::{
    SqliteOptions, SqliteStore, codes, connect, create_new, failed, field, index, keys, pending,
    plain, unexpected, write,
};
use crate::error::{Error, ErrorKind, Result};
use crate::store::document;

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

    /// Makes everything anew that is derived from the memories.
    pub async fn rebuild(&self) -> Result<()> {
        self.threads
            .run(|connection| {
                let transaction = Transaction::new(connection, TransactionBehavior::Immediate)
                    .map_err(unexpected)?;
                derive_all(&transaction)?;
                codes::rebuild(&transaction)?;
                pending::refill(&transaction)?;
                transaction.commit().map_err(unexpected)
            })
            .await
    }

    /// Checks the file page by page and memory by memory.
    pub async fn check(&self) -> Result<Integrity> {
        let path = self.path.clone();
        // FTS5 remembers how the index was built when its connection last looked, and takes for
        // damage what others have written since; a new connection remembers nothing.
        let check = move |_: &Connection| check(&connect(&path, SqliteOptions::default())?, &path);
        self.threads.read(check).await
    }
}

/// Writes a copy beside its target, makes it durable and moves it there.
pub(super) fn write_copy(connection: &Connection, target: &Path) -> Result<()> {
    let cannot = |cause: std::io::Error| {
        let message = format!("cannot write a copy to {}", target.display());
        Error::new(ErrorKind::Configuration, message).caused_by(cause)
    };
    if target.exists() {
        return Err(cannot(std::io::ErrorKind::AlreadyExists.into()));
    }
    let partial = Temporary::beside(target, "partial");
    let name = plain(partial.path());
    let name = name.to_str().ok_or_else(|| cannot(std::io::ErrorKind::InvalidFilename.into()))?;
    create_new(partial.path()).map_err(cannot)?;
    connection
        .execute("VACUUM INTO ?", [name])
        .map_err(|cause| failed(cause, "cannot copy the database"))?;
    File::open(partial.path()).and_then(|file| file.sync_all()).map_err(cannot)?;
    std::fs::hard_link(partial.path(), target).map_err(cannot)?;
    sync_folder(target).map_err(cannot)
}

/// Makes the name of a new file survive power loss.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all())
}

/// A file with a name that nobody can foresee, removed when it is no longer needed.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// Names a file beside another.
    pub(super) fn beside(path: &Path, purpose: &str) -> Self {
        // Without a time, the whole of the id is random.
        let unforeseen = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, 0, 0)).simple();
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{purpose}-{unforeseen}"));
        Self(PathBuf::from(name))
    }

    /// Names a database beside a file, with the files that SQLite puts beside it.
    pub(super) fn with_companions(path: &Path, purpose: &str) -> [Self; 3] {
        let database = Self::beside(path, purpose);
        ["", "-wal", "-shm"].map(|ending| {
            let mut name = database.path().as_os_str().to_owned();
            name.push(ending);
            Self(PathBuf::from(name))
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Makes the tables anew that memories are found through, except those of vectors.
pub(super) fn derive_all(connection: &Connection) -> Result<()> {
    field::begin_epoch(connection)?;
    index::create(connection)?;
    connection
        .execute_batch(
            "DELETE FROM mentions; DELETE FROM spellings; DELETE FROM entities; DELETE FROM triples;
             DELETE FROM turns; DELETE FROM authors;",
        )
        .map_err(unexpected)?;
    read::each_memory(connection, |number, scope, memory, derived| {
        write::derive(connection, number, scope, memory, derived)
    })
}

/// Counts the memories that cannot be read, or are not what their row says they are.
pub(super) fn unsound(connection: &Connection) -> Result<usize> {
    let sql = "SELECT m.id, s.text, m.document FROM memories AS m JOIN scopes AS s USING (scope)";
    let sound = collect(connection, sql, std::iter::empty::<Sql>(), |row| {
        let text = |column| row.get::<_, String>(column).map_err(unexpected);
        let (id, scope, document) = (text(0)?, text(1)?, text(2)?);
        Ok(document::decode(&document)
            .is_ok_and(|memory| memory.id.as_str() == id && memory.scope.to_string() == scope))
    })?;
    Ok(sound.into_iter().filter(|sound| !sound).count())
}

fn check(connection: &Connection, path: &Path) -> Result<Integrity> {
    let connection = connection.unchecked_transaction().map_err(unexpected)?;
    let mut problems: Vec<String> = connection
        .prepare("PRAGMA integrity_check(20)")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(unexpected)?;
    problems.retain(|problem| problem != "ok");
    let unsound = unsound(&connection)?;
    if unsound > 0 {
        problems.push(format!("{unsound} memories cannot be read"));
    }
    let unsound = keys::unsound(&connection)?;
    if unsound > 0 {
        problems.push(format!("{unsound} keys cannot be read"));
    }
    problems.extend(codes::check(&connection)?);
    let memories = connection
        .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
        .map_err(unexpected)?;
    let schema_version = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(unexpected)?;
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    Ok(Integrity { problems, memories, bytes, schema_version })
}
