//! Stores around other stores: what one of them does in its own way, and what it passes on.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{
    Backlog, Capabilities, Claimed, Clock, EmbeddingState, Entries, Found, Inquiry, Listing, Page,
    Permit, Rejection, ScopeSummary, Store, Tombstone,
};
use crate::error::Result;
use crate::model::{
    Access, Amount, AuditEntry, ChangeRecord, Commit, Entity, Filter, Fingerprint, Identifier, Job,
    JobId, Key, KeyCommit, KeyHash, KeyId, Memory, MemoryId, Outcome, PassageHash, PendingCheckup,
    Portion, Reading, Scope, Spending, Stage, Task, Timestamp, Unshelved, ValueHash, Waiting,
};

/// A store around another one.
///
/// What it does in its own way is here; everything else is passed on.
#[async_trait]
pub trait Surrounding: Send + Sync {
    /// Returns the other store.
    fn inner(&self) -> &dyn Store;

    /// Does what [`Store::commit`] does.
    async fn commit_inside(&self, commit: Commit) -> Result<Vec<Outcome>>;

    /// Does what [`Store::capabilities`] does.
    fn abilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    /// Does what [`Store::find`] does.
    async fn find_inside(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        self.inner().find(filter, limit, inquiry).await
    }

    /// Does what [`Store::get`] does.
    async fn get_inside(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.inner().get(access, ids).await
    }

    /// Does what [`Store::list`] does.
    async fn list_inside(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.inner().list(filter, page).await
    }

    /// Does what [`Store::history`] does.
    async fn history_inside(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        self.inner().history(access, id).await
    }

    /// Does what [`Store::first_waiting`] does.
    async fn first_waiting_inside(&self, portion: &Portion) -> Result<Vec<Memory>> {
        self.inner().first_waiting(portion).await
    }

    /// Does what [`Store::observe`] does.
    fn observe_inside(&self, reading: Reading) {
        self.inner().observe(reading);
    }

    /// Makes memories whole that the other store handed out to be embedded, without those of which
    /// that is not possible.
    async fn complete_claimed(&self, memories: Vec<Memory>) -> Vec<Memory> {
        memories
    }

    /// Does what [`Store::clear_away`] does.
    async fn clear_away_inside(&self, access: &Access, now: Timestamp) -> Result<usize> {
        self.inner().clear_away(access, now).await
    }

    /// Does what [`Store::health`] does.
    fn health_around<'a>(&'a self, clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>> {
        self.inner().health(clock)
    }
}

#[async_trait]
impl<T: Surrounding> Store for T {
    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.commit_inside(commit).await
    }

    fn capabilities(&self) -> Capabilities {
        self.abilities()
    }

    fn commit_soon(&self, commit: Commit) {
        self.inner().commit_soon(commit);
    }

    async fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
        self.inner().earlier(commit).await
    }

    async fn rehearse(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.inner().rehearse(commit).await
    }

    async fn get(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.get_inside(access, ids).await
    }

    async fn list(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.list_inside(filter, page).await
    }

    async fn get_outlines(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.inner().get_outlines(access, ids).await
    }

    async fn list_outlines(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.inner().list_outlines(filter, page).await
    }

    async fn find(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        self.find_inside(filter, limit, inquiry).await
    }

    async fn history(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        self.history_inside(access, id).await
    }

    async fn entities(
        &self,
        scopes: &[Scope],
        now: Timestamp,
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entity>> {
        self.inner().entities(scopes, now, name, limit).await
    }

    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>> {
        self.inner().scopes(access, now).await
    }

    async fn changes(
        &self,
        access: &Access,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ChangeRecord>> {
        self.inner().changes(access, after, limit).await
    }

    async fn last_change(&self) -> Result<u64> {
        self.inner().last_change().await
    }

    fn news(&self, after: u64) -> Option<Vec<ChangeRecord>> {
        self.inner().news(after)
    }

    async fn stirred(&self, after: u64) {
        self.inner().stirred(after).await;
    }

    async fn ended(
        &self,
        access: &Access,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>> {
        self.inner().ended(access, now, limit).await
    }

    async fn derived(&self, access: &Access, from: &[MemoryId]) -> Result<Vec<(MemoryId, Scope)>> {
        self.inner().derived(access, from).await
    }

    async fn are_rejected(&self, scope: &Scope, values: &[ValueHash]) -> Result<Vec<bool>> {
        self.inner().are_rejected(scope, values).await
    }

    async fn rejections(&self, access: &Access) -> Result<Vec<Rejection>> {
        self.inner().rejections(access).await
    }

    async fn permit(&self, scope: &Scope, value: &ValueHash) -> Result<bool> {
        self.inner().permit(scope, value).await
    }

    async fn tombstones(&self, access: &Access) -> Result<Vec<Tombstone>> {
        self.inner().tombstones(access).await
    }

    async fn audit(
        &self,
        actor: Option<&Identifier>,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        self.inner().audit(actor, which, limit).await
    }

    async fn verify_audit(&self) -> Result<u64> {
        self.inner().verify_audit().await
    }

    async fn jobs(
        &self,
        actor: Option<&Identifier>,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        self.inner().jobs(actor, task, limit).await
    }

    async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        self.inner().job(id).await
    }

    async fn changes_of(&self, access: &Access, job: &JobId) -> Result<Vec<ChangeRecord>> {
        self.inner().changes_of(access, job).await
    }

    async fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Result<Vec<Waiting>> {
        self.inner().waiting(access, stage, now).await
    }

    async fn first_waiting(&self, portion: &Portion) -> Result<Vec<Memory>> {
        self.first_waiting_inside(portion).await
    }

    async fn came_through(&self, scope: &Scope, stage: Stage) -> Result<Vec<MemoryId>> {
        self.inner().came_through(scope, stage).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        self.inner().lease(name, holder, now, until).await
    }

    async fn reserve(&self, spending: Spending, permit: Permit) -> Result<u64> {
        self.inner().reserve(spending, permit).await
    }

    async fn settle_spending(&self, ticket: u64, amount: Option<Amount>) -> Result<()> {
        self.inner().settle_spending(ticket, amount).await
    }

    async fn spending(&self, limit: usize) -> Result<Vec<Spending>> {
        self.inner().spending(limit).await
    }

    async fn commit_keys(&self, commit: KeyCommit) -> Result<bool> {
        self.inner().commit_keys(commit).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
        self.inner().key(id).await
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        self.inner().keys().await
    }

    async fn has_keys(&self) -> Result<bool> {
        self.inner().has_keys().await
    }

    async fn adopt(&self, fingerprint: &Fingerprint) -> Result<bool> {
        self.inner().adopt(fingerprint).await
    }

    async fn claim(&self, now: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<Claimed>> {
        let claimed = self.inner().claim(now, until, limit).await?;
        let refusals: HashMap<MemoryId, u32> =
            claimed.iter().map(|one| (one.memory.id.clone(), one.refusals)).collect();
        let memories = claimed.into_iter().map(|one| one.memory).collect();
        let complete = self.complete_claimed(memories).await;
        let claimed = |memory: Memory| Claimed {
            refusals: refusals.get(&memory.id).copied().unwrap_or_default(),
            memory,
        };
        Ok(complete.into_iter().map(claimed).collect())
    }

    async fn extend(&self, ids: &[MemoryId], claim: Timestamp, until: Timestamp) -> Result<()> {
        self.inner().extend(ids, claim, until).await
    }

    async fn release(&self, ids: &[MemoryId], claim: Timestamp) -> Result<()> {
        self.inner().release(ids, claim).await
    }

    async fn refuse(
        &self,
        id: &MemoryId,
        claim: Timestamp,
        until: Timestamp,
        why: &str,
    ) -> Result<()> {
        self.inner().refuse(id, claim, until, why).await
    }

    async fn dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>> {
        self.inner().dimensions(fingerprint).await
    }

    async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        self.inner().known_vectors(fingerprint, hashes).await
    }

    async fn retire(&self, limit: usize) -> Result<u64> {
        self.inner().retire(limit).await
    }

    async fn embedding_state(&self) -> Result<EmbeddingState> {
        self.inner().embedding_state().await
    }

    fn observe(&self, reading: Reading) {
        self.observe_inside(reading);
    }

    async fn settle(&self) -> Result<()> {
        self.inner().settle().await
    }

    async fn unshelved(&self, shelf: &Identifier, limit: usize) -> Result<Vec<Unshelved>> {
        self.inner().unshelved(shelf, limit).await
    }

    async fn strike_off(&self, gone: &[Unshelved]) -> Result<()> {
        self.inner().strike_off(gone).await
    }

    async fn know(&self, scopes: &[Scope]) -> Result<()> {
        self.inner().know(scopes).await
    }

    async fn known_scopes(&self, access: &Access) -> Result<Vec<Scope>> {
        self.inner().known_scopes(access).await
    }

    async fn clear_away(&self, access: &Access, now: Timestamp) -> Result<usize> {
        self.clear_away_inside(access, now).await
    }

    fn health<'a>(&'a self, clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>> {
        self.health_around(clock)
    }

    fn backlog(&self) -> Backlog {
        self.inner().backlog()
    }
}
