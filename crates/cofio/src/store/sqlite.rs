//! The default store: one SQLite file.
//!
//! One thread owns the connection that writes and commits what has gathered together; a few
//! others own connections that read, each answer from one snapshot. Any number of processes may
//! do the same with the same file. What is kept in memory between calls is checked against the file
//! each time it is used.

mod audit;
mod codes;
mod copy;
mod earlier;
mod entities;
mod evidence;
mod field;
mod filter;
mod gathering;
mod head;
mod health;
mod idempotency;
mod index;
mod jobs;
mod keys;
mod moving;
mod news;
mod pending;
mod purge;
mod read;
mod readers;
mod rejections;
mod restore;
mod rows;
mod schema;
mod spending;
mod threads;
mod traces;
mod turns;
mod unshelved;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::kit::Ready;
use super::{
    Backlog, Capabilities, Claimed, Clock, EmbeddingState, Entries, Found, Inquiry, Listing, Page,
    Permit, Rejection, ScopeSummary, Store, Tombstone,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Access, Amount, AuditEntry, ChangeRecord, Commit, Entity, Filter, Fingerprint, Identifier, Job,
    JobId, Key, KeyCommit, KeyHash, KeyId, Memory, MemoryId, Outcome, PassageHash, PendingCheckup,
    Portion, Reading, Scope, Spending, Stage, Task, Timestamp, Unshelved, ValueHash, Waiting,
};
use news::News;
use threads::Threads;

#[cfg(feature = "bench")]
pub use codes::{Nearest, VectorTables};
pub use copy::Integrity;
pub use purge::Purged;
pub use restore::Restored;
pub use traces::{Trace, Verdict, Wanted};

/// Keeps memories in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    unique_name: String,
    threads: Threads,
    kept: Arc<evidence::Kept>,
    news: News,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct SqliteOptions {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// When a transaction takes the right to write.
    pub begin: Begin,
}

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// Power loss.
    #[default]
    Full,
    /// The end of the process, but not power loss; for stores that are thrown away.
    ProcessOnly,
}

/// When a transaction takes the right to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Begin {
    /// At its start, so that it can wait for its turn.
    #[default]
    Immediate,
    /// At its first write, when waiting no longer helps; there to show that tests notice.
    Deferred,
}

impl SqliteStore {
    /// Opens a file, making or migrating it where needed.
    ///
    /// A file of an older version is copied beside itself first; one of a newer version is refused.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// Opens a file as it is, or makes one; one of an older version is refused.
    ///
    /// For those who have no time to wait until it is copied and migrated.
    pub fn open_current(path: &Path) -> Result<Self> {
        create_private(path)?;
        let options = SqliteOptions::default();
        let connection = connect(path, options)?;
        schema::check_current(&connection)?;
        Self::start_finished(path, options, connection)
    }

    /// Opens a file that everything of another store is to be moved to, even one that a move has not
    /// come to the end of.
    pub fn open_to_fill(path: &Path) -> Result<Self> {
        create_private(path)?;
        let options = SqliteOptions::default();
        let connection = connect(path, options)?;
        schema::migrate(&connection, path)?;
        Self::start(path, options, connection)
    }

    /// Opens a file with other options.
    pub fn open_with(path: &Path, options: SqliteOptions) -> Result<Self> {
        create_private(path)?;
        Self::start_finished(path, options, connect(path, options)?)
    }

    fn start_finished(path: &Path, options: SqliteOptions, connection: Connection) -> Result<Self> {
        schema::migrate(&connection, path)?;
        moving::check_finished(&connection)?;
        Self::start(path, options, connection)
    }

    fn start(path: &Path, options: SqliteOptions, connection: Connection) -> Result<Self> {
        let unique_name = schema::unique_name(&connection)?;
        let threads = Threads::start(path, options, connection)?;
        let (kept, news) = (Arc::default(), News::of(path, options));
        Ok(Self { path: path.to_owned(), unique_name, threads, kept, news })
    }

    /// Returns the last audit entry that the file beside the store vouches for, if there is one.
    ///
    /// Whether the audit agrees is for [`Store::verify_audit`] to say.
    pub fn vouched(&self) -> Option<u64> {
        head::read(&head::path(&self.path)).ok().flatten().map(|head| head.sequence)
    }

    /// Returns what no other store is called: sixteen digits and letters from `a` to `f`.
    ///
    /// It is chosen when a file is made, and nothing but a copy of the file has the same.
    pub fn unique_name(&self) -> &str {
        &self.unique_name
    }

    /// Returns where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[async_trait]
impl Store for SqliteStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lexical: true, entities: true, vectors: true, recall: true, history: true }
    }

    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.threads.commit(Ready::new(commit)).await
    }

    fn commit_soon(&self, commit: Commit) {
        self.threads.commit_soon(Ready::new(commit));
    }

    async fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
        let commit = commit.clone();
        self.threads.read(move |connection| idempotency::earlier(connection, &commit)).await
    }

    async fn rehearse(&self, commit: Commit) -> Result<Vec<Outcome>> {
        let ready = Ready::new(commit);
        self.threads.run(move |connection| write::rehearse(connection, &ready)).await
    }

    async fn get(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let (access, ids) = (access.clone(), ids.to_vec());
        self.threads.read(move |connection| read::get(connection, &access, &ids)).await
    }

    async fn list(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        let (filter, page) = (filter.clone(), page.clone());
        self.threads.read(move |connection| read::list(connection, &filter, &page)).await
    }

    async fn find(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        let (kept, filter) = (Arc::clone(&self.kept), filter.clone());
        self.threads
            .read(move |connection| evidence::find(connection, &kept, &filter, limit, inquiry))
            .await
            .map(Found::from)
    }

    async fn history(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        let (access, id) = (access.clone(), id.clone());
        self.threads.read(move |connection| read::history(connection, &access, &id)).await
    }

    async fn entities(
        &self,
        scopes: &[Scope],
        now: Timestamp,
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entity>> {
        let (scopes, name) = (scopes.to_vec(), name.map(str::to_owned));
        self.threads
            .read(move |connection| {
                entities::list(connection, &scopes, now, name.as_deref(), limit)
            })
            .await
    }

    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>> {
        let access = access.clone();
        self.threads.read(move |connection| read::scopes(connection, &access, now)).await
    }

    async fn changes(
        &self,
        access: &Access,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ChangeRecord>> {
        let access = access.clone();
        self.threads.read(move |connection| read::changes(connection, &access, after, limit)).await
    }

    async fn last_change(&self) -> Result<u64> {
        self.threads.read(read::last_change).await
    }

    fn news(&self, after: u64) -> Option<Vec<ChangeRecord>> {
        self.news.after(after)
    }

    async fn stirred(&self, after: u64) {
        self.threads.bell().beyond(after).await;
    }

    async fn ended(
        &self,
        access: &Access,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>> {
        let access = access.clone();
        self.threads.read(move |connection| read::ended(connection, &access, now, limit)).await
    }

    async fn derived(&self, access: &Access, from: &[MemoryId]) -> Result<Vec<(MemoryId, Scope)>> {
        let (access, from) = (access.clone(), from.to_vec());
        self.threads.read(move |connection| read::derived(connection, &access, &from)).await
    }

    async fn are_rejected(&self, scope: &Scope, values: &[ValueHash]) -> Result<Vec<bool>> {
        let (scope, values) = (scope.clone(), values.to_vec());
        self.threads
            .read(move |connection| rejections::are_rejected(connection, &scope, &values))
            .await
    }

    async fn rejections(&self, access: &Access) -> Result<Vec<Rejection>> {
        let access = access.clone();
        self.threads.read(move |connection| rejections::list(connection, &access)).await
    }

    async fn permit(&self, scope: &Scope, value: &ValueHash) -> Result<bool> {
        let (scope, value) = (scope.clone(), *value);
        self.threads.run(move |connection| rejections::remove(connection, &scope, &value)).await
    }

    async fn tombstones(&self, access: &Access) -> Result<Vec<Tombstone>> {
        let access = access.clone();
        self.threads.read(move |connection| read::tombstones(connection, &access)).await
    }

    async fn audit(
        &self,
        actor: Option<&Identifier>,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        let actor = actor.cloned();
        self.threads
            .read(move |connection| audit::list(connection, actor.as_ref(), which, limit))
            .await
    }

    async fn verify_audit(&self) -> Result<u64> {
        let path = head::path(&self.path);
        self.threads
            .read(move |connection| {
                // Before the snapshot begins, so that the audit is not behind what it is held to.
                let kept = head::read(&path)?;
                let entries = audit::verify(connection)?;
                head::check(connection, &path, kept.as_ref())?;
                Ok(entries)
            })
            .await
    }

    async fn jobs(
        &self,
        actor: Option<&Identifier>,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        let actor = actor.cloned();
        self.threads
            .read(move |connection| jobs::list(connection, actor.as_ref(), task, limit))
            .await
    }

    async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        let id = id.clone();
        self.threads.read(move |connection| jobs::find(connection, &id)).await
    }

    async fn changes_of(&self, access: &Access, job: &JobId) -> Result<Vec<ChangeRecord>> {
        let (access, job) = (access.clone(), job.clone());
        self.threads.read(move |connection| read::changes_of(connection, &access, &job)).await
    }

    async fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Result<Vec<Waiting>> {
        let access = access.clone();
        self.threads.read(move |connection| jobs::waiting(connection, &access, stage, now)).await
    }

    async fn first_waiting(&self, portion: &Portion) -> Result<Vec<Memory>> {
        let portion = portion.clone();
        self.threads.read(move |connection| jobs::first_waiting(connection, &portion)).await
    }

    async fn came_through(&self, scope: &Scope, stage: Stage) -> Result<Vec<MemoryId>> {
        let scope = scope.clone();
        self.threads.read(move |connection| jobs::came_through(connection, &scope, stage)).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        self.threads
            .run(move |connection| jobs::lease(connection, &name, &holder, now, until))
            .await
    }

    async fn reserve(&self, spending: Spending, permit: Permit) -> Result<u64> {
        self.threads.run(move |connection| spending::reserve(connection, &spending, permit)).await
    }

    async fn settle_spending(&self, ticket: u64, amount: Option<Amount>) -> Result<()> {
        self.threads.run(move |connection| spending::settle(connection, ticket, amount)).await
    }

    async fn spending(&self, limit: usize) -> Result<Vec<Spending>> {
        self.threads.read(move |connection| spending::list(connection, limit)).await
    }

    async fn commit_keys(&self, commit: KeyCommit) -> Result<bool> {
        self.threads.run(move |connection| keys::commit(connection, &commit)).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
        let id = id.clone();
        self.threads.read(move |connection| keys::find(connection, &id)).await
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        self.threads.read(keys::list).await
    }

    async fn has_keys(&self) -> Result<bool> {
        self.threads.read(keys::exist).await
    }

    async fn adopt(&self, fingerprint: &Fingerprint) -> Result<bool> {
        let fingerprint = fingerprint.clone();
        self.threads.run(move |connection| pending::adopt(connection, &fingerprint)).await
    }

    async fn claim(&self, now: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<Claimed>> {
        self.threads.run(move |connection| pending::claim(connection, now, until, limit)).await
    }

    async fn extend(&self, ids: &[MemoryId], claim: Timestamp, until: Timestamp) -> Result<()> {
        let ids = ids.to_vec();
        self.threads.run(move |connection| pending::extend(connection, &ids, claim, until)).await
    }

    async fn release(&self, ids: &[MemoryId], claim: Timestamp) -> Result<()> {
        self.extend(ids, claim, Timestamp::UNIX_EPOCH).await
    }

    async fn refuse(
        &self,
        id: &MemoryId,
        claim: Timestamp,
        until: Timestamp,
        why: &str,
    ) -> Result<()> {
        let (id, why) = (id.clone(), why.to_owned());
        self.threads
            .run(move |connection| pending::refuse(connection, &id, claim, until, &why))
            .await
    }

    async fn dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>> {
        let fingerprint = fingerprint.clone();
        self.threads
            .read(move |connection| match codes::find_model(connection, &fingerprint)? {
                Some(model) => codes::dimensions(connection, model).map(Some),
                None => Ok(None),
            })
            .await
    }

    async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        let (fingerprint, hashes) = (fingerprint.clone(), hashes.to_vec());
        self.threads
            .read(move |connection| {
                let Some(model) = codes::find_model(connection, &fingerprint)? else {
                    return Ok(vec![None; hashes.len()]);
                };
                hashes.iter().map(|hash| codes::find_by_text(connection, model, hash)).collect()
            })
            .await
    }

    async fn retire(&self, limit: usize) -> Result<u64> {
        self.threads.run(move |connection| pending::retire(connection, limit)).await
    }

    async fn embedding_state(&self) -> Result<EmbeddingState> {
        self.threads.read(pending::state).await
    }

    fn observe(&self, reading: Reading) {
        self.threads.observe(reading);
    }

    async fn settle(&self) -> Result<()> {
        self.threads.settle().await
    }

    async fn unshelved(&self, shelf: &Identifier, limit: usize) -> Result<Vec<Unshelved>> {
        let shelf = shelf.clone();
        self.threads.read(move |connection| unshelved::list(connection, &shelf, limit)).await
    }

    async fn strike_off(&self, gone: &[Unshelved]) -> Result<()> {
        let gone = gone.to_vec();
        self.threads.run(move |connection| unshelved::strike_off(connection, &gone)).await
    }

    async fn know(&self, scopes: &[Scope]) -> Result<()> {
        let scopes = scopes.to_vec();
        let wanted = scopes.clone();
        let known = self.threads.read(move |connection| read::scope_numbers(connection, &wanted));
        if known.await?.len() == scopes.len() {
            return Ok(());
        }
        let know = move |connection: &mut Connection| {
            // Nobody else gives one of them a number between looking and writing.
            let transaction =
                Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
            for scope in &scopes {
                rows::scope_number(&transaction, scope)?;
            }
            transaction.commit().map_err(unexpected)
        };
        self.threads.run(know).await
    }

    async fn known_scopes(&self, access: &Access) -> Result<Vec<Scope>> {
        let access = access.clone();
        self.threads.read(move |connection| read::known_scopes(connection, &access)).await
    }

    async fn clear_away(&self, _access: &Access, _now: Timestamp) -> Result<usize> {
        Ok(0)
    }

    fn health<'a>(&'a self, clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>> {
        vec![PendingCheckup::new("sqlite", health::check(self, clock))]
    }

    fn backlog(&self) -> Backlog {
        self.threads.backlog()
    }
}

/// Opens a connection with the pragmas that the promises rest on.
fn connect(path: &Path, options: SqliteOptions) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(plain(path), flags)
        .map_err(|cause| failed(cause, &format!("cannot open database {}", path.display())))?;
    connection.busy_handler(Some(threads::wait_for_turn)).map_err(unexpected)?;
    let synchronous = match options.durability {
        Durability::Full => "FULL",
        Durability::ProcessOnly => "OFF",
    };
    let cannot_use = |cause| failed(cause, &format!("cannot use database {}", path.display()));
    if schema::owner(&connection).map_err(cannot_use)? == schema::Owner::Another {
        return Err(schema::foreign());
    }
    keep_a_write_ahead_log(&connection).map_err(cannot_use)?;
    connection
        .execute_batch(&format!(
            "PRAGMA synchronous = {synchronous};
             PRAGMA secure_delete = ON;
             PRAGMA foreign_keys = ON;
             PRAGMA trusted_schema = OFF;
             PRAGMA temp_store = MEMORY;
             PRAGMA wal_autocheckpoint = 4000;
             PRAGMA cache_size = -16000;"
        ))
        .map_err(cannot_use)?;
    // Plans do not depend on values, or every new value would be planned for anew.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(cannot_use)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Waits for its turn to change a new file's journal.
///
/// SQLite asks no busy handler here, because the connection already reads what it wants to change.
fn keep_a_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut attempt = 0;
    loop {
        match connection.execute_batch("PRAGMA journal_mode = WAL") {
            Err(cause)
                if cause.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                    && threads::wait_for_turn(attempt) =>
            {
                attempt += 1;
            }
            result => return result,
        }
    }
}

/// Returns a path that SQLite takes for a path: one that begins with `file:` would be an address to
/// it, and `:memory:` no file at all.
fn plain(path: &Path) -> PathBuf {
    if path.is_relative() { Path::new(".").join(path) } else { path.to_owned() }
}

/// Makes the file and its folder readable by their owner only; leaves what exists as it is.
fn create_private(path: &Path) -> Result<()> {
    let cannot = |cause: std::io::Error| {
        Error::new(ErrorKind::Configuration, format!("cannot create database {}", path.display()))
            .caused_by(cause)
    };
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(cannot)?;
    }
    match create_new(path) {
        // Another process was faster.
        Err(cause) if cause.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        created => created.map_err(cannot),
    }
}

/// Makes an empty file that only its owner can read, and fails if there is one already.
fn create_new(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Turns an error of the driver into ours.
fn failed(cause: rusqlite::Error, message: &str) -> Error {
    use rusqlite::ErrorCode as Code;
    let (kind, advice) = match cause.sqlite_error_code() {
        Some(Code::DatabaseCorrupt | Code::NotADatabase) => {
            (ErrorKind::Damaged, ": it is damaged or no Cofio store")
        }
        Some(Code::ReadOnly | Code::PermissionDenied) => {
            (ErrorKind::Configuration, ": it cannot be written to")
        }
        Some(Code::CannotOpen) => (ErrorKind::Configuration, ": it cannot be opened"),
        Some(Code::DiskFull) => (ErrorKind::Provider, ": the disk is full"),
        Some(Code::DatabaseBusy | Code::DatabaseLocked) => {
            (ErrorKind::Provider, ": another process has kept it for too long")
        }
        _ => (ErrorKind::Provider, ""),
    };
    Error::new(kind, format!("{message}{advice}")).caused_by(cause)
}

/// Turns an error of the driver into ours where nothing more can be said.
fn unexpected(cause: rusqlite::Error) -> Error {
    failed(cause, "the database failed")
}
