//! A store in PostgreSQL with pgvector, which any number of processes may share.
//!
//! One task writes for a process and commits what has gathered together; a row that it locks orders
//! the commits of all processes. Everything else reads at one moment. PostgreSQL itself finds by words
//! and by meaning; it shows a transaction only the scopes that it has opened, besides what each
//! statement says.

mod audit;
mod connections;
mod earlier;
mod entities;
mod failure;
mod filter;
mod find;
mod flush;
mod health;
mod heard;
mod jobs;
mod keys;
mod labels;
mod listening;
mod load;
mod moving;
mod options;
mod pending;
mod plain;
mod read;
mod rebuild;
mod rejections;
mod requirements;
mod roles;
mod rows;
mod schema;
mod scopes;
mod session;
mod spending;
mod terms;
mod unshelved;
mod vectors;
mod votes;
mod words;
mod world;
mod writer;

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, Once, mpsc};
use std::time::Duration;

use async_trait::async_trait;
use cofio::model::{
    Access, Amount, AuditEntry, ChangeRecord, Commit, Entity, Filter, Fingerprint, Identifier, Job,
    JobId, Key, KeyCommit, KeyHash, KeyId, Memory, MemoryId, Outcome, PassageHash, PendingCheckup,
    Portion, Reading, Scope, Spending, Stage, Task, Timestamp, Unshelved, ValueHash, Waiting,
};
use cofio::store::kit::{Bell, Ready};
use cofio::store::{
    Backlog, Capabilities, Claimed, Clock, EmbeddingState, Entries, Found, Inquiry, Listing, Page,
    Permit, Rejection, ScopeSummary, Store, Tombstone,
};
use cofio::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Runtime};

use connections::Connections;
use failure::is_lost;
use heard::Heard;
use session::Session;
use writer::Writer;

pub use options::PostgresOptions;

/// How long a store that is dropped waits for what it was handed.
const FAREWELL: Duration = Duration::from_secs(30);

/// How often something is asked whose connection was lost.
const ATTEMPTS: u32 = 3;

/// Keeps memories in PostgreSQL.
///
/// It brings the threads that it needs, so that it can be used with any executor and with none.
pub struct PostgresStore {
    /// Taken when the store is dropped.
    runtime: Option<Runtime>,
    connections: Connections,
    unique_name: String,
    /// Taken when everything was handed over.
    writer: Option<Writer>,
    /// Says when everything that was handed over is done.
    done: Mutex<mpsc::Receiver<()>>,
    bell: Arc<Bell>,
    heard: Arc<Heard>,
    /// Whether somebody listens for it to be rung.
    listening: Once,
}

impl PostgresStore {
    /// Connects to a database, making or migrating the tables where needed.
    ///
    /// A schema of a newer version is refused, as is a role that would see everything. It blocks
    /// until it is done.
    pub fn open(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::Finished)
    }

    /// Connects to a database that everything of another store is to be moved to, even one that a
    /// move has not come to the end of.
    pub fn open_to_fill(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::ToFill)
    }

    /// Connects to what is there without changing anything, even to what a move has not come to the
    /// end of.
    ///
    /// Where there is no store yet, that is [`ErrorKind::NotFound`].
    pub fn open_to_look(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::ToLook)
    }

    /// Connects to a store that is there, without changing anything.
    ///
    /// Where there is none yet, that is [`ErrorKind::NotFound`].
    pub fn open_current(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::Current)
    }

    fn start(options: &PostgresOptions, opening: Opening) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("cofio-postgres")
            .enable_all()
            .build()
            .map_err(|cause| {
                let message = "cannot start threads for PostgreSQL";
                Error::new(ErrorKind::Provider, message).caused_by(cause)
            })?;
        let (said, opened) = mpsc::channel();
        let owned = options.clone();
        runtime.spawn(async move {
            let _ = said.send(open(&owned, opening).await);
        });
        // Not on this thread, which may be one of another executor.
        let (connections, unique_name) = opened.recv().unwrap_or_else(|_| Err(stopped()))?;
        let (writer, task) = Writer::start(connections.clone());
        let (finished, done) = mpsc::channel();
        runtime.spawn(async move {
            task.await;
            let _ = finished.send(());
        });
        Ok(Self {
            runtime: Some(runtime),
            connections,
            unique_name,
            writer: Some(writer),
            done: Mutex::new(done),
            bell: Arc::default(),
            heard: Arc::default(),
            listening: Once::new(),
        })
    }

    /// Returns what no other store is called: sixteen digits and letters from `a` to `f`.
    ///
    /// It is chosen when a schema is made, and nothing but a copy of the schema has the same.
    pub fn unique_name(&self) -> &str {
        &self.unique_name
    }

    /// Runs something on the threads of the store.
    async fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let runtime = self.runtime.as_ref().ok_or_else(stopped)?;
        runtime.spawn(task).await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Runs something that may be repeated, again if its connection was lost.
    async fn repeat<T, F>(&self, task: impl Fn(Connections) -> F + Send) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().ok_or_else(stopped)?;
        let mut attempt = 1;
        loop {
            let task = task(self.connections.clone());
            match runtime.spawn(task).await.unwrap_or_else(|_| Err(stopped())) {
                Err(error) if is_lost(&error) && attempt < ATTEMPTS => {
                    self.connections.renew();
                    attempt += 1;
                }
                answer => return answer,
            }
        }
    }

    /// Has the bell rung from now on.
    fn listen(&self) {
        let Some(runtime) = &self.runtime else { return };
        self.listening.call_once(|| {
            let (bell, heard) = (Arc::clone(&self.bell), Arc::clone(&self.heard));
            drop(runtime.spawn(listening::listen(self.connections.clone(), bell, heard)));
        });
    }

    fn writer(&self) -> Result<&Writer> {
        self.writer.as_ref().ok_or_else(stopped)
    }
}

/// What is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A store, and no unfinished copy of one.
    Finished,
    /// Whatever is there.
    ToFill,
    /// Whatever is there, as it is.
    ToLook,
    /// A store as it is, and no unfinished copy of one.
    Current,
}

async fn open(options: &PostgresOptions, opening: Opening) -> Result<(Connections, String)> {
    let connections = match opening {
        Opening::ToLook | Opening::Current => Connections::open_made(options).await?,
        Opening::Finished | Opening::ToFill => {
            let connections = Connections::open(options).await?;
            rebuild::if_outdated(&connections).await?;
            connections
        }
    };
    if matches!(opening, Opening::Finished | Opening::Current) {
        moving::check_finished(&connections).await?;
    }
    let unique_name = schema::unique_name(&connections).await?;
    Ok((connections, unique_name))
}

fn stopped() -> Error {
    Error::new(ErrorKind::Provider, "the store in PostgreSQL was closed")
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.writer = None;
        // What nobody waits for is written all the same.
        if let Ok(done) = self.done.get_mut() {
            let _ = done.recv_timeout(FAREWELL);
        }
        self.connections.close();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Shows no address: it may hold a password.
impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("schema", &self.connections.schema())
            .finish_non_exhaustive()
    }
}

/// Reads what access opens, at one moment.
macro_rules! reading {
    ($store:ident, $access:expr; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        let access = $access.clone();
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                let access = access.clone();
                $(let $name = $name.clone();)*
                async move {
                    let $session = Session::read_open(&connections, &access).await?;
                    let answer = $task.await;
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Reads what is nobody's, at one moment.
macro_rules! reading_all {
    ($store:ident; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                $(let $name = $name.clone();)*
                async move {
                    let mut $session = Session::read(&connections).await?;
                    let answer = match $session.open_all().await {
                        Ok(()) => $task.await,
                        Err(error) => Err(error),
                    };
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Asks one question about what is nobody's.
macro_rules! asking {
    ($store:ident; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                $(let $name = $name.clone();)*
                async move {
                    let $session = Session::single(&connections).await?;
                    let answer = $task.await;
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Reads some scopes, at one moment.
macro_rules! reading_scopes {
    ($store:ident, $scopes:expr; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        let scopes: Vec<Scope> = $scopes.to_vec();
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                let scopes = scopes.clone();
                $(let $name = $name.clone();)*
                async move {
                    let mut $session = Session::read(&connections).await?;
                    let answer = match $session.open_scopes(&scopes).await {
                        Ok(_) => $task.await,
                        Err(error) => Err(error),
                    };
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Writes what no commit does.
macro_rules! writing {
    ($store:ident; $session:ident => $task:expr) => {{
        let connections = $store.connections.clone();
        $store
            .run(async move {
                let mut $session = Session::write(&connections).await?;
                let answer = match $session.open_all().await {
                    Ok(()) => $task.await,
                    Err(error) => Err(error),
                };
                $session.finish(answer).await
            })
            .await
    }};
}

use {asking, reading_all, writing};

#[async_trait]
impl Store for PostgresStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lexical: true, entities: true, vectors: true, recall: true, history: true }
    }

    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.writer()?.commit(Ready::new(commit)).await
    }

    fn commit_soon(&self, commit: Commit) {
        if let Some(writer) = &self.writer {
            writer.commit_soon(Ready::new(commit));
        }
    }

    async fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
        let commit = Commit { changes: Vec::new(), work: None, ..commit.clone() };
        let ready = Arc::new(Ready::new(commit));
        self.repeat(move |connections| {
            let ready = Arc::clone(&ready);
            async move { load::earlier(&connections, &ready).await }
        })
        .await
    }

    async fn rehearse(&self, commit: Commit) -> Result<Vec<Outcome>> {
        let ready = Arc::new(Ready::new(commit));
        self.repeat(move |connections| {
            let ready = Arc::clone(&ready);
            async move { load::rehearse(&connections, &ready).await }
        })
        .await
    }

    async fn get(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        reading!(self, access; session, ids = ids.to_vec() => read::get(&session, &ids))
    }

    async fn list(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        reading_scopes!(self, filter.scopes; session, filter = filter.clone(), page = page.clone() => {
            read::list(&session, &filter, &page)
        })
    }

    async fn find(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        let (connections, filter) = (self.connections.clone(), filter.clone());
        self.run(async move { find::find(&connections, &filter, limit, inquiry).await })
            .await
            .map(Found::from)
    }

    async fn history(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        reading!(self, access; session, id = id.clone() => read::history(&session, &id))
    }

    async fn entities(
        &self,
        scopes: &[Scope],
        now: Timestamp,
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entity>> {
        reading_scopes!(self, scopes; session, name = name.map(str::to_owned) => {
            entities::list(&session, now, name.as_deref(), limit)
        })
    }

    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>> {
        reading!(self, access; session => read::scopes(&session, now))
    }

    async fn changes(
        &self,
        access: &Access,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ChangeRecord>> {
        reading!(self, access; session => read::changes(&session, after, limit))
    }

    async fn last_change(&self) -> Result<u64> {
        asking!(self; session => read::last_change(&session))
    }

    fn news(&self, after: u64) -> Option<Vec<ChangeRecord>> {
        self.listen();
        self.heard.after(after)
    }

    async fn stirred(&self, after: u64) {
        self.listen();
        self.bell.beyond(after).await;
    }

    async fn ended(
        &self,
        access: &Access,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>> {
        reading!(self, access; session => read::ended(&session, now, limit))
    }

    async fn derived(&self, access: &Access, from: &[MemoryId]) -> Result<Vec<(MemoryId, Scope)>> {
        reading!(self, access; session, from = from.to_vec() => read::derived(&session, &from))
    }

    async fn are_rejected(&self, scope: &Scope, values: &[ValueHash]) -> Result<Vec<bool>> {
        reading_scopes!(self, std::slice::from_ref(scope); session, values = values.to_vec() => {
            rejections::are_rejected(&session, &values)
        })
    }

    async fn rejections(&self, access: &Access) -> Result<Vec<Rejection>> {
        reading!(self, access; session => rejections::list(&session))
    }

    async fn permit(&self, scope: &Scope, value: &ValueHash) -> Result<bool> {
        let (connections, scope, value) = (self.connections.clone(), scope.clone(), *value);
        self.run(async move {
            let mut session = Session::write(&connections).await?;
            let answer = match session.open_scopes(std::slice::from_ref(&scope)).await {
                Ok(_) => rejections::remove(&session, &value).await,
                Err(error) => Err(error),
            };
            session.finish(answer).await
        })
        .await
    }

    async fn tombstones(&self, access: &Access) -> Result<Vec<Tombstone>> {
        reading!(self, access; session => read::tombstones(&session))
    }

    async fn audit(
        &self,
        actor: Option<&Identifier>,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        asking!(self; session, actor = actor.cloned() => {
            audit::list(&session, actor.as_ref(), which, limit)
        })
    }

    async fn verify_audit(&self) -> Result<u64> {
        reading_all!(self; session => audit::verify(&session))
    }

    async fn jobs(
        &self,
        actor: Option<&Identifier>,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        asking!(self; session, actor = actor.cloned() => {
            jobs::list(&session, actor.as_ref(), task, limit)
        })
    }

    async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        asking!(self; session, id = id.clone() => jobs::find(&session, &id))
    }

    async fn changes_of(&self, access: &Access, job: &JobId) -> Result<Vec<ChangeRecord>> {
        reading!(self, access; session, job = job.clone() => read::changes_of(&session, &job))
    }

    async fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Result<Vec<Waiting>> {
        reading!(self, access; session => jobs::waiting(&session, stage, now))
    }

    async fn first_waiting(&self, portion: &Portion) -> Result<Vec<Memory>> {
        let scopes = std::slice::from_ref(&portion.scope);
        reading_scopes!(self, scopes; session, portion = portion.clone() => {
            jobs::first_waiting(&session, &portion)
        })
    }

    async fn came_through(&self, scope: &Scope, stage: Stage) -> Result<Vec<MemoryId>> {
        let scopes = std::slice::from_ref(scope);
        reading_scopes!(self, scopes; session => jobs::came_through(&session, stage))
    }

    async fn lease(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        writing!(self; session => jobs::lease(&session, &name, &holder, now, until))
    }

    async fn reserve(&self, spending: Spending, permit: Permit) -> Result<u64> {
        writing!(self; session => spending::reserve(&session, &spending, permit))
    }

    async fn settle_spending(&self, ticket: u64, amount: Option<Amount>) -> Result<()> {
        writing!(self; session => spending::settle(&session, ticket, amount))
    }

    async fn spending(&self, limit: usize) -> Result<Vec<Spending>> {
        asking!(self; session => spending::list(&session, limit))
    }

    async fn commit_keys(&self, commit: KeyCommit) -> Result<bool> {
        writing!(self; session => keys::commit(&session, &commit))
    }

    async fn key(&self, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
        asking!(self; session, id = id.clone() => keys::find(&session, &id))
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        asking!(self; session => keys::list(&session))
    }

    async fn has_keys(&self) -> Result<bool> {
        asking!(self; session => keys::exist(&session))
    }

    async fn adopt(&self, fingerprint: &Fingerprint) -> Result<bool> {
        let fingerprint = fingerprint.clone();
        writing!(self; session => pending::adopt(&session, &fingerprint))
    }

    async fn claim(&self, now: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<Claimed>> {
        writing!(self; session => pending::claim(&session, now, until, limit))
    }

    async fn extend(&self, ids: &[MemoryId], claim: Timestamp, until: Timestamp) -> Result<()> {
        let ids = ids.to_vec();
        writing!(self; session => pending::extend(&session, &ids, claim, until))
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
        writing!(self; session => pending::refuse(&session, &id, claim, until, &why))
    }

    async fn dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>> {
        reading_all!(self; session, fingerprint = fingerprint.clone() => {
            vectors::dimensions(&session, &fingerprint)
        })
    }

    async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        reading_all!(self; session, made = fingerprint.clone(), hashes = hashes.to_vec() => {
            vectors::known(&session, &made, &hashes)
        })
    }

    async fn retire(&self, limit: usize) -> Result<u64> {
        writing!(self; session => pending::retire(&session, limit))
    }

    async fn embedding_state(&self) -> Result<EmbeddingState> {
        reading_all!(self; session => pending::state(&session))
    }

    fn observe(&self, reading: Reading) {
        if let Some(writer) = &self.writer {
            writer.observe(reading);
        }
    }

    async fn settle(&self) -> Result<()> {
        self.writer()?.settle().await
    }

    async fn unshelved(&self, shelf: &Identifier, limit: usize) -> Result<Vec<Unshelved>> {
        reading_all!(self; session, shelf = shelf.clone() => {
            unshelved::list(&session, &shelf, limit)
        })
    }

    async fn strike_off(&self, gone: &[Unshelved]) -> Result<()> {
        let gone = gone.to_vec();
        writing!(self; session => unshelved::strike_off(&session, &gone))
    }

    async fn know(&self, scopes: &[Scope]) -> Result<()> {
        let scopes = scopes.to_vec();
        let known = asking!(self; session, scopes = scopes.clone() => {
            scopes::are_known(&session, &scopes)
        });
        if known? {
            return Ok(());
        }
        writing!(self; session => scopes::know(&session, &scopes))
    }

    async fn known_scopes(&self, access: &Access) -> Result<Vec<Scope>> {
        let scopes = asking!(self; session => scopes::all(&session))?;
        Ok(scopes.into_iter().filter(|scope| access.opens(scope)).collect())
    }

    async fn clear_away(&self, _access: &Access, _now: Timestamp) -> Result<usize> {
        Ok(0)
    }

    fn health<'a>(&'a self, clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>> {
        let asked = async {
            let start = clock.now();
            let seen = asking!(self; session => health::look(&session))?;
            Ok(seen.after(clock.now().duration_since(start).unsigned_abs()))
        };
        vec![PendingCheckup::new("postgres", asked)]
    }

    fn backlog(&self) -> Backlog {
        Backlog {
            writes: self.writer.as_ref().map_or(0, Writer::waiting),
            reads: self.connections.waiting(),
        }
    }
}
