//! A store that lives and dies with the process: for tests, for trying out, and as the contract in
//! its plainest form.
//!
//! One lock guards everything and is never held across an await.

mod contents;
mod copies;
mod embedding;
mod entities;
mod evidence;
mod glance;
mod inside;
mod jobs;
mod journal;
mod kept;
mod keys;
mod moving;
mod vectors;
mod write;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;

use self::contents::Contents;
pub(crate) use self::copies::{Copied, Followed};
use self::embedding::Claim;
use self::kept::Kept;
use super::kit::Bell;
use super::{
    Backlog, Capabilities, Claimed, Clock, Cued, EmbeddingState, Entries, Found, Inquiry, Listing,
    Page, Permit, Rejection, ScopeSummary, Store, Tombstone,
};
use crate::error::Result;
use crate::model::{
    Access, Amount, AuditEntry, ChangeRecord, Commit, Entity, Filter, Fingerprint, Health,
    Identifier, Job, JobId, Key, KeyCommit, KeyHash, KeyId, Kind, Memory, MemoryId, Outcome,
    PassageHash, PendingCheckup, Place, Portion, Reading, Scope, Spending, Stage, State, Survey,
    Task, Timestamp, Unshelved, ValueHash, Waiting,
};

/// Keeps memories in the process.
#[derive(Default)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
    bell: Bell,
}

impl MemoryStore {
    /// Makes an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn write(&self, commit: Commit) -> Result<Vec<Outcome>> {
        let prepared = write::prepare(commit);
        let mut contents = self.contents();
        let outcomes = contents.commit(prepared);
        self.bell.ring(contents.journal.last_change());
        outcomes
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().expect("nothing panics while it holds the lock")
    }
}

/// Shows no content: memories do not belong in logs.
impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lexical: true, entities: true, vectors: true, recall: true, history: true }
    }

    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.write(commit)
    }

    fn commit_soon(&self, commit: Commit) {
        // Whoever does not wait is told of no error.
        let _ = self.write(commit);
    }

    async fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
        self.contents().earlier(&commit.actor, commit.idempotency.as_ref()).transpose()
    }

    async fn rehearse(&self, commit: Commit) -> Result<Vec<Outcome>> {
        let prepared = write::prepare(commit);
        self.contents().rehearse(prepared)
    }

    async fn get(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let contents = self.contents();
        Ok(ids.iter().filter_map(|id| contents.open(access, id)).map(Kept::to_memory).collect())
    }

    async fn list(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        Ok(list(&self.contents(), filter, page))
    }

    async fn find(
        &self,
        filter: &Filter,
        limit: usize,
        mut inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        let contents = self.contents();
        let survey = match inquiry.words() {
            Some(words) => evidence::survey(&contents, &filter.scopes, words),
            None => Survey::default(),
        };
        let Cued::By(cues) = inquiry.cues(&survey) else {
            return Ok(Found::default());
        };
        let evidence = evidence::evidence(&contents, filter, &cues, limit);
        Ok(at(&contents, filter, &inquiry.choose(&evidence)).into())
    }

    async fn history(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        let contents = self.contents();
        Ok(contents.open(access, id).map(|kept| kept.history.clone()).unwrap_or_default())
    }

    async fn entities(
        &self,
        scopes: &[Scope],
        now: Timestamp,
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entity>> {
        let contents = self.contents();
        let mut inside = contents.inside(scopes);
        inside.retain(|kept| kept.memory.state == State::Active && !kept.memory.expired(now));
        Ok(entities::list(&inside, name, limit))
    }

    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>> {
        let contents = self.contents();
        Ok(contents.scopes(access).filter_map(|kept| summary(&contents, &kept, now)).collect())
    }

    async fn changes(
        &self,
        access: &Access,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ChangeRecord>> {
        let contents = self.contents();
        let open =
            contents.journal.changes_after(after).filter(|change| access.opens(&change.scope));
        Ok(open.take(limit).cloned().collect())
    }

    async fn last_change(&self) -> Result<u64> {
        Ok(self.contents().journal.last_change())
    }

    fn news(&self, after: u64) -> Option<Vec<ChangeRecord>> {
        Some(self.contents().journal.changes_after(after).cloned().collect())
    }

    async fn stirred(&self, after: u64) {
        self.bell.beyond(after).await;
    }

    async fn ended(
        &self,
        access: &Access,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>> {
        let contents = self.contents();
        let inside = contents.scopes(access).flatten();
        let ended = inside.map(|kept| &kept.memory).filter(|memory| memory.expired(now));
        Ok(ended.take(limit).map(|memory| (memory.id.clone(), memory.scope.clone())).collect())
    }

    async fn derived(&self, access: &Access, from: &[MemoryId]) -> Result<Vec<(MemoryId, Scope)>> {
        let contents = self.contents();
        let inside = contents.scopes(access).flatten().map(|kept| &kept.memory);
        let derived = inside
            .filter(|memory| memory.provenance.derived_from.iter().any(|id| from.contains(id)));
        let mut derived: Vec<_> =
            derived.map(|memory| (memory.id.clone(), memory.scope.clone())).collect();
        derived.sort_by(|one, two| one.0.cmp(&two.0));
        Ok(derived)
    }

    async fn are_rejected(&self, scope: &Scope, values: &[ValueHash]) -> Result<Vec<bool>> {
        let (contents, scope) = (self.contents(), scope.to_string());
        let is_rejected =
            |value: &ValueHash| contents.rejections.contains_key(&(scope.clone(), *value));
        Ok(values.iter().map(is_rejected).collect())
    }

    async fn rejections(&self, access: &Access) -> Result<Vec<Rejection>> {
        let contents = self.contents();
        let open = contents.rejections.values().filter(|one| access.opens(&one.scope));
        let mut open: Vec<Rejection> = open.cloned().collect();
        open.sort_by_key(|rejection| (Reverse(rejection.at), rejection.value));
        Ok(open)
    }

    async fn permit(&self, scope: &Scope, value: &ValueHash) -> Result<bool> {
        let mut contents = self.contents();
        Ok(contents.rejections.remove(&(scope.to_string(), *value)).is_some())
    }

    async fn tombstones(&self, access: &Access) -> Result<Vec<Tombstone>> {
        let contents = self.contents();
        let open = contents.tombstones.values().filter(|tombstone| access.opens(&tombstone.scope));
        Ok(open.cloned().collect())
    }

    async fn audit(
        &self,
        actor: Option<&Identifier>,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        let contents = self.contents();
        let after = if let Entries::After(sequence) = which { sequence } else { 0 };
        let wanted = |entry: &&AuditEntry| actor.is_none_or(|actor| entry.record.actor == *actor);
        let entries: Vec<_> = contents.journal.entries_after(after).filter(wanted).collect();
        let latest = entries.len().saturating_sub(limit);
        let from = if which == Entries::Latest { latest } else { 0 };
        Ok(entries[from..].iter().take(limit).copied().cloned().collect())
    }

    async fn verify_audit(&self) -> Result<u64> {
        self.contents().journal.verify()
    }

    async fn jobs(
        &self,
        actor: Option<&Identifier>,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        Ok(self.contents().ledger.list(actor, task, limit))
    }

    async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        Ok(self.contents().ledger.find(id))
    }

    async fn changes_of(&self, access: &Access, job: &JobId) -> Result<Vec<ChangeRecord>> {
        let contents = self.contents();
        let made = contents.journal.changes_of(job);
        Ok(made.filter(|change| access.opens(&change.scope)).cloned().collect())
    }

    async fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Result<Vec<Waiting>> {
        Ok(self.contents().waiting(access, stage, now))
    }

    async fn first_waiting(&self, portion: &Portion) -> Result<Vec<Memory>> {
        Ok(self.contents().first_waiting(portion))
    }

    async fn came_through(&self, scope: &Scope, stage: Stage) -> Result<Vec<MemoryId>> {
        Ok(self.contents().came_through(scope, stage))
    }

    async fn lease(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        Ok(self.contents().ledger.lease(name, holder, now, until))
    }

    async fn reserve(&self, spending: Spending, permit: Permit) -> Result<u64> {
        self.contents().ledger.reserve(spending, permit)
    }

    async fn settle_spending(&self, ticket: u64, amount: Option<Amount>) -> Result<()> {
        self.contents().ledger.settle(ticket, amount);
        Ok(())
    }

    async fn spending(&self, limit: usize) -> Result<Vec<Spending>> {
        Ok(self.contents().ledger.spending(limit))
    }

    async fn commit_keys(&self, commit: KeyCommit) -> Result<bool> {
        self.contents().commit_keys(commit)
    }

    async fn key(&self, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
        Ok(self.contents().keys.get(id).cloned())
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        let contents = self.contents();
        let mut keys: Vec<Key> = contents.keys.values().map(|(key, _)| key.clone()).collect();
        keys.sort_by_key(|key| key.created_at);
        Ok(keys)
    }

    async fn has_keys(&self) -> Result<bool> {
        Ok(!self.contents().keys.is_empty())
    }

    async fn adopt(&self, fingerprint: &Fingerprint) -> Result<bool> {
        Ok(self.contents().adopt(fingerprint))
    }

    async fn claim(&self, now: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<Claimed>> {
        Ok(self.contents().claim(now, until, limit))
    }

    async fn extend(&self, ids: &[MemoryId], claim: Timestamp, until: Timestamp) -> Result<()> {
        self.contents().change_claim(ids, claim, |kept| kept.until = until);
        Ok(())
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
        let because = |kept: &mut Claim| {
            let refusals = kept.refusals.saturating_add(1);
            *kept = Claim { until, refusals, refused_because: Some(why.to_owned()) };
        };
        self.contents().change_claim(std::slice::from_ref(id), claim, because);
        Ok(())
    }

    async fn dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>> {
        Ok(self.contents().dimensions(fingerprint))
    }

    async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        Ok(self.contents().known_vectors(fingerprint, hashes))
    }

    async fn retire(&self, _limit: usize) -> Result<u64> {
        // A memory has vectors of one model at a time here.
        Ok(0)
    }

    async fn embedding_state(&self) -> Result<EmbeddingState> {
        Ok(self.contents().embedding_state())
    }

    fn observe(&self, reading: Reading) {
        self.contents().observe(reading);
    }

    async fn settle(&self) -> Result<()> {
        Ok(())
    }

    async fn unshelved(&self, shelf: &Identifier, limit: usize) -> Result<Vec<Unshelved>> {
        let contents = self.contents();
        let of_it = contents.unshelved.iter().filter(|noted| noted.shelf == *shelf);
        Ok(of_it.take(limit).cloned().collect())
    }

    async fn strike_off(&self, gone: &[Unshelved]) -> Result<()> {
        let gone: HashSet<&Unshelved> = gone.iter().collect();
        self.contents().unshelved.retain(|noted| !gone.contains(noted));
        Ok(())
    }

    async fn know(&self, scopes: &[Scope]) -> Result<()> {
        self.contents().announced.extend(scopes.iter().cloned());
        Ok(())
    }

    async fn known_scopes(&self, access: &Access) -> Result<Vec<Scope>> {
        let contents = self.contents();
        let kept = contents.scopes(access);
        let kept = kept.filter_map(|inside| Some(inside.first()?.memory.scope.clone()));
        let left = contents.tombstones.values().map(|tombstone| tombstone.scope.clone());
        let known = left.chain(contents.announced.iter().cloned());
        let open: HashSet<Scope> = known.filter(|scope| access.opens(scope)).chain(kept).collect();
        Ok(open.into_iter().collect())
    }

    async fn clear_away(&self, _access: &Access, _now: Timestamp) -> Result<usize> {
        Ok(0)
    }

    fn health<'a>(&'a self, _clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>> {
        vec![PendingCheckup::new("memory", async { Ok(Health::in_process()) })]
    }

    fn backlog(&self) -> Backlog {
        Backlog::default()
    }
}

fn at(contents: &Contents, filter: &Filter, places: &[Place]) -> Vec<(Place, Memory)> {
    let scopes = contents.each(&filter.scopes);
    let there = |place: &Place| {
        let kept = scopes.iter().find_map(|inside| inside.get(place.0))?;
        Some((*place, kept.meant(filter)?.clone()))
    };
    places.iter().filter_map(there).collect()
}

fn list(contents: &Contents, filter: &Filter, page: &Page) -> Listing {
    let order = page.order;
    let inside = contents.inside(&filter.scopes).into_iter();
    let mut found: Vec<((i64, &MemoryId), &Memory)> = inside
        .filter_map(|kept| kept.meant(filter))
        .map(|memory| ((order.key(memory), &memory.id), memory))
        .collect();
    let total = if page.counted { found.len() as u64 } else { 0 };
    if let Some(after) = &page.after {
        let seen = (after.key, &after.id);
        found.retain(|(place, _)| if order.descending() { *place < seen } else { *place > seen });
    }
    let more = found.len() > page.limit;
    let first = |(one, _): &((i64, &MemoryId), &Memory), (two, _): &((i64, &MemoryId), &Memory)| {
        if order.descending() { two.cmp(one) } else { one.cmp(two) }
    };
    if more {
        found.select_nth_unstable_by(page.limit, first);
        found.truncate(page.limit);
    }
    found.sort_unstable_by(first);
    let memories = found.into_iter().map(|(_, memory)| memory.clone()).collect();
    Listing { memories, total, more, lost: Vec::new() }
}

/// Returns what a scope holds, or nothing if all of it has expired.
fn summary(contents: &Contents, inside: &[&Kept], now: Timestamp) -> Option<ScopeSummary> {
    let alive: Vec<&Kept> =
        inside.iter().copied().filter(|kept| !kept.memory.expired(now)).collect();
    let first = alive.first()?;
    let memories = || alive.iter().map(|kept| &kept.memory);
    let pending = alive.iter().filter(|kept| contents.is_pending(kept));
    let entities: BTreeSet<_> = alive.iter().flat_map(|kept| kept.entities()).collect();
    Some(ScopeSummary {
        scope: first.memory.scope.clone(),
        counts: counts(memories()),
        pending_embeddings: pending.count() as u64,
        content_bytes: memories().map(|memory| memory.content.bytes() as u64).sum(),
        entities: entities.len() as u64,
        latest_at: memories().map(|memory| memory.created_at).max(),
    })
}

fn counts<'a>(memories: impl Iterator<Item = &'a Memory>) -> Vec<(Kind, State, u64)> {
    let mut counts = BTreeMap::<_, (State, u64)>::new();
    for memory in memories {
        let place = State::ALL.iter().position(|state| *state == memory.state);
        counts.entry((memory.kind, place)).or_insert((memory.state, 0)).1 += 1;
    }
    counts.into_iter().map(|((kind, _), (state, count))| (kind, state, count)).collect()
}

/// Orders by time, the latest first, and then by id.
fn latest_first(at: Timestamp, memory: &Memory) -> (Reverse<Timestamp>, &MemoryId) {
    (Reverse(at), &memory.id)
}
