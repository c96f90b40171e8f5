//! A store whose memories also stand in files.
//!
//! What is committed stands in the files when the commit returns. What people change in the files is
//! the engine's to take in.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use async_trait::async_trait;
use jiff::tz::TimeZone;

use crate::error::{Error, ErrorKind, Result};
use crate::files::Mirror;
use crate::files::mirror::{self, Followed};
use crate::model::{
    Access, Amount, AuditEntry, Change, ChangeRecord, Commit, Entity, Filter, Fingerprint,
    Identifier, Job, JobId, Key, KeyCommit, KeyHash, KeyId, Memory, MemoryId, Outcome, PassageHash,
    Place, Reading, Scope, Spending, Stage, Task, Timestamp, ValueHash, Waiting,
};
use crate::store::{
    Backlog, Capabilities, Claimed, EmbeddingState, Entries, Inquiry, Listing, Page, Permit,
    Rejection, ScopeSummary, Store, Tombstone,
};

/// A store, and the folders that it is kept in step with.
pub struct Mirrored {
    store: Arc<dyn Store>,
    notes: PathBuf,
    zone: TimeZone,
    role: Role,
    known: Mutex<Known>,
}

/// What files are to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Another form of what it has: if they cannot be written, that is made up for later.
    Copy,
    /// What counts: what does not stand in them is not kept.
    Truth,
}

/// The folders, and when their notes were last added to or removed from.
#[derive(Default)]
struct Known {
    changed: Option<SystemTime>,
    mirrors: Arc<Vec<Mirror>>,
}

impl Mirrored {
    /// Lets the folders follow a store that there are notes of in a folder; days are those of a zone.
    pub fn new(store: Arc<dyn Store>, notes: PathBuf, zone: TimeZone, role: Role) -> Self {
        Self { store, notes, zone, role, known: Mutex::default() }
    }

    /// Returns the folders that there are now.
    pub fn mirrors(&self) -> Result<Arc<Vec<Mirror>>> {
        let changed = fs::metadata(&self.notes).and_then(|notes| notes.modified()).ok();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.changed != changed {
            let mirrors = Arc::new(mirror::registered(&self.notes)?);
            *known = Known { changed, mirrors };
        }
        Ok(Arc::clone(&known.mirrors))
    }

    /// Writes what was committed to the files.
    async fn follow(&self, followed: Vec<Followed>) -> Result<()> {
        let mirrors = self.mirrors()?;
        if followed.is_empty() || mirrors.is_empty() {
            return Ok(());
        }
        let zone = self.zone.clone();
        let follow = move || mirrors.iter().try_for_each(|mirror| mirror.follow(&followed, &zone));
        let done = apart(follow).await.flatten();
        if done.is_err() {
            // Somebody may have put another folder in its place.
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known::default();
        }
        done
    }
}

impl fmt::Debug for Mirrored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (notes, role) = (&self.notes, &self.role);
        f.debug_struct("Mirrored").field("notes", notes).field("role", role).finish_non_exhaustive()
    }
}

/// Returns what became of memories, as far as files are to say something else.
fn followed(changes: Vec<Change>, outcomes: &[Outcome]) -> Vec<Followed> {
    let changed = changes.into_iter().zip(outcomes);
    let follow = |(change, outcome): (Change, &Outcome)| match (change, outcome) {
        (Change::Create { memory, .. }, Outcome::Created(id)) if memory.id == *id => {
            Some(Followed::Kept(memory))
        }
        (Change::Update { memory, .. }, Outcome::Updated(_)) => Some(Followed::Kept(memory)),
        (_, Outcome::Forgotten(id)) => Some(Followed::Gone(id.clone())),
        _ => None,
    };
    changed.filter_map(follow).collect()
}

/// Does something that takes a while, and keeps nobody else from going on.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let failed = || Error::new(ErrorKind::Provider, "cannot write to files: too much at once");
    let (sender, receiver) = async_channel::bounded(1);
    let spawned = thread::Builder::new().name("cofio-files".to_owned()).spawn(move || {
        let _ = sender.send_blocking(work());
    });
    spawned.map_err(|cause| failed().caused_by(cause))?;
    receiver.recv().await.map_err(|cause| failed().caused_by(cause))
}

#[async_trait]
impl Store for Mirrored {
    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>> {
        // Whoever takes in what people wrote brings the files in order as well.
        let from_files = commit.work.as_ref().is_some_and(|work| work.job.task == Task::Files);
        if from_files || self.mirrors()?.is_empty() {
            return self.store.commit(commit).await;
        }
        let changes = commit.changes.clone();
        let outcomes = self.store.commit(commit).await?;
        match (self.follow(followed(changes, &outcomes)).await, self.role) {
            (Err(error), Role::Truth) => Err(error),
            _ => Ok(outcomes),
        }
    }

    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    fn commit_soon(&self, commit: Commit) {
        self.store.commit_soon(commit);
    }

    async fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
        self.store.earlier(commit).await
    }

    async fn rehearse(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.store.rehearse(commit).await
    }

    async fn get(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.store.get(access, ids).await
    }

    async fn list(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.store.list(filter, page).await
    }

    async fn find(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Vec<(Place, Memory)>> {
        self.store.find(filter, limit, inquiry).await
    }

    async fn history(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        self.store.history(access, id).await
    }

    async fn entities(
        &self,
        scopes: &[Scope],
        now: Timestamp,
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entity>> {
        self.store.entities(scopes, now, name, limit).await
    }

    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>> {
        self.store.scopes(access, now).await
    }

    async fn changes(
        &self,
        access: &Access,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ChangeRecord>> {
        self.store.changes(access, after, limit).await
    }

    async fn last_change(&self) -> Result<u64> {
        self.store.last_change().await
    }

    async fn ended(
        &self,
        access: &Access,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>> {
        self.store.ended(access, now, limit).await
    }

    async fn derived(&self, access: &Access, from: &[MemoryId]) -> Result<Vec<(MemoryId, Scope)>> {
        self.store.derived(access, from).await
    }

    async fn are_rejected(&self, scope: &Scope, values: &[ValueHash]) -> Result<Vec<bool>> {
        self.store.are_rejected(scope, values).await
    }

    async fn rejections(&self, access: &Access) -> Result<Vec<Rejection>> {
        self.store.rejections(access).await
    }

    async fn permit(&self, scope: &Scope, value: &ValueHash) -> Result<bool> {
        self.store.permit(scope, value).await
    }

    async fn tombstones(&self, access: &Access) -> Result<Vec<Tombstone>> {
        self.store.tombstones(access).await
    }

    async fn audit(
        &self,
        actor: Option<&Identifier>,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        self.store.audit(actor, which, limit).await
    }

    async fn verify_audit(&self) -> Result<u64> {
        self.store.verify_audit().await
    }

    async fn jobs(
        &self,
        actor: Option<&Identifier>,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        self.store.jobs(actor, task, limit).await
    }

    async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        self.store.job(id).await
    }

    async fn changes_of(&self, access: &Access, job: &JobId) -> Result<Vec<ChangeRecord>> {
        self.store.changes_of(access, job).await
    }

    async fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Result<Vec<Waiting>> {
        self.store.waiting(access, stage, now).await
    }

    async fn first_waiting(
        &self,
        scope: &Scope,
        conversation: Option<&Identifier>,
        stage: Stage,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Memory>> {
        self.store.first_waiting(scope, conversation, stage, now, limit).await
    }

    async fn came_through(&self, scope: &Scope, stage: Stage) -> Result<Vec<MemoryId>> {
        self.store.came_through(scope, stage).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        self.store.lease(name, holder, now, until).await
    }

    async fn reserve(&self, spending: Spending, permit: Permit) -> Result<u64> {
        self.store.reserve(spending, permit).await
    }

    async fn settle_spending(&self, ticket: u64, amount: Option<Amount>) -> Result<()> {
        self.store.settle_spending(ticket, amount).await
    }

    async fn spending(&self, limit: usize) -> Result<Vec<Spending>> {
        self.store.spending(limit).await
    }

    async fn commit_keys(&self, commit: KeyCommit) -> Result<bool> {
        self.store.commit_keys(commit).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
        self.store.key(id).await
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        self.store.keys().await
    }

    async fn has_keys(&self) -> Result<bool> {
        self.store.has_keys().await
    }

    async fn adopt(&self, fingerprint: &Fingerprint) -> Result<bool> {
        self.store.adopt(fingerprint).await
    }

    async fn claim(&self, now: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<Claimed>> {
        self.store.claim(now, until, limit).await
    }

    async fn extend(&self, ids: &[MemoryId], claim: Timestamp, until: Timestamp) -> Result<()> {
        self.store.extend(ids, claim, until).await
    }

    async fn release(&self, ids: &[MemoryId], claim: Timestamp) -> Result<()> {
        self.store.release(ids, claim).await
    }

    async fn refuse(
        &self,
        id: &MemoryId,
        claim: Timestamp,
        until: Timestamp,
        why: &str,
    ) -> Result<()> {
        self.store.refuse(id, claim, until, why).await
    }

    async fn dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>> {
        self.store.dimensions(fingerprint).await
    }

    async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        self.store.known_vectors(fingerprint, hashes).await
    }

    async fn retire(&self, limit: usize) -> Result<u64> {
        self.store.retire(limit).await
    }

    async fn embedding_state(&self) -> Result<EmbeddingState> {
        self.store.embedding_state().await
    }

    fn observe(&self, reading: Reading) {
        self.store.observe(reading);
    }

    async fn settle(&self) -> Result<()> {
        self.store.settle().await
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }
}
