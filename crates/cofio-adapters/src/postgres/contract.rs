//! What the contract of stores asks for, each in a session of its own.

use std::sync::Arc;

use async_trait::async_trait;
use cofio::Result;
use cofio::model::{
    Access, Amount, AuditEntry, ChangeRecord, Commit, Entity, Filter, Fingerprint, Identifier, Job,
    JobId, Key, KeyCommit, KeyHash, KeyId, Memory, MemoryId, Outcome, PassageHash, PendingCheckup,
    Portion, Reading, Scope, Spending, Stage, Task, Timestamp, Unshelved, ValueHash, Waiting,
};
use cofio::store::kit::Ready;
use cofio::store::{
    Backlog, Capabilities, Claimed, Clock, EmbeddingState, Entries, Found, Inquiry, Listing, Page,
    Permit, Rejection, ScopeSummary, Store, Tombstone,
};

use super::doing::{asking, reading, reading_all, reading_scopes, writing};
use super::session::Session;
use super::writer::Writer;
use super::{
    PostgresStore, audit, entities, find, health, jobs, keys, load, pending, read, rejections,
    scopes, spending, unshelved, vectors,
};

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
        self.writer()?.know(scopes).await
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
