//! A store that lives and dies with the process: for tests, for trying out, and as the contract in
//! its plainest form.
//!
//! One lock guards everything and is never held across an await.

mod admits;
mod contents;
mod entities;
mod journal;
mod kept;
mod lexical;
mod write;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;

use self::admits::admits;
use self::contents::Contents;
use self::kept::Kept;
use super::{Candidates, Capabilities, Entries, Listing, Page, ScopeSummary, Store, Tombstone};
use crate::error::Result;
use crate::model::{
    Access, AuditEntry, ChangeRecord, Commit, Cues, Embedding, Entity, Filter, Identifier, Kind,
    Memory, MemoryId, Outcome, Reading, Scope, State, Timestamp,
};

/// Keeps memories in the process.
#[derive(Default)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
}

impl MemoryStore {
    /// Makes an empty store.
    pub fn new() -> Self {
        Self::default()
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
        Capabilities { lexical: true, entities: true, history: true, durable: false }
    }

    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>> {
        let prepared = write::prepare(commit);
        self.contents().commit(prepared)
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

    async fn candidates(&self, filter: &Filter, cues: &Cues, limit: usize) -> Result<Candidates> {
        Ok(candidates(&self.contents(), filter, cues, limit))
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
        inside.retain(|kept| !kept.memory.expired(now));
        Ok(entities::list(&inside, name, limit))
    }

    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>> {
        Ok(self.contents().scopes(access).filter_map(|kept| summary(&kept, now)).collect())
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

    fn observe(&self, reading: Reading) {
        self.contents().observe(reading);
    }

    async fn settle(&self) -> Result<()> {
        Ok(())
    }
}

fn list(contents: &Contents, filter: &Filter, page: &Page) -> Listing {
    let order = page.order;
    let mut found: Vec<_> = contents
        .inside(&filter.scopes)
        .into_iter()
        .filter(|kept| admits(filter, &kept.memory))
        .map(|kept| (order.position(&kept.memory), kept))
        .map(|(position, kept)| ((position.key, position.id), kept))
        .collect();
    let total = found.len() as u64;
    found
        .sort_by(|(one, _), (two, _)| if order.descending() { two.cmp(one) } else { one.cmp(two) });
    if let Some(after) = &page.after {
        let seen = (after.key, after.id.clone());
        found.retain(|(place, _)| if order.descending() { *place < seen } else { *place > seen });
    }
    let more = found.len() > page.limit;
    let memories = found.iter().take(page.limit).map(|(_, kept)| kept.to_memory()).collect();
    Listing { memories, total, more }
}

fn candidates(contents: &Contents, filter: &Filter, cues: &Cues, limit: usize) -> Candidates {
    let inside = contents.inside(&filter.scopes);
    let meant = |kept: &&Kept| admits(filter, &kept.memory);
    let lexical = lexical::ranked(&inside, &cues.terms);
    let lexical: Vec<_> = lexical.into_iter().filter(meant).take(limit).collect();
    let entity = entities::ranked(&inside, &cues.names);
    let entity: Vec<_> = entity.into_iter().filter(meant).take(limit).collect();

    let ids = |list: &[&Kept]| list.iter().map(|kept| kept.memory.id.clone()).collect();
    let all: BTreeMap<_, _> =
        lexical.iter().chain(&entity).map(|kept| (&kept.memory.id, *kept)).collect();
    Candidates {
        lexical: ids(&lexical),
        entity: ids(&entity),
        memories: all.into_values().map(Kept::to_memory).collect(),
    }
}

/// Returns what a scope holds, or nothing if all of it has expired.
fn summary(inside: &[&Kept], now: Timestamp) -> Option<ScopeSummary> {
    let alive: Vec<&Kept> =
        inside.iter().copied().filter(|kept| !kept.memory.expired(now)).collect();
    let first = alive.first()?;
    let memories = || alive.iter().map(|kept| &kept.memory);
    let pending = memories().filter(|memory| memory.embedding == Embedding::Pending);
    let entities: BTreeSet<_> = alive.iter().flat_map(|kept| kept.entities()).collect();
    Some(ScopeSummary {
        scope: first.memory.scope.clone(),
        counts: counts(memories()),
        pending_embeddings: pending.count() as u64,
        content_bytes: memories().map(|memory| memory.content.as_str().len() as u64).sum(),
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
