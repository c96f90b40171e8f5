//! The store under test, as cases talk to it.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use super::fixtures::{commit, create, forget, keeper, moment, now, whole};
use super::probe::{Heard, Probe};
use crate::error::{ErrorKind, Result};
use crate::model::{
    Access, AuditEntry, Change, ChangeRecord, Commit, Criteria, Cues, Entity, Evidence, Filter,
    Fingerprint, Memory, MemoryId, Outcome, PassageHash, Place, Reading, Scope, State, Survey,
};
use crate::store::{EmbeddingState, Entries, Listing, Order, Page, ScopeSummary, Store, Tombstone};
use crate::text::bm25;

/// The store under test; an answer that is an error ends the case.
pub(super) struct Subject(pub Arc<dyn Store>);

impl Subject {
    pub async fn attempt(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.0.commit(commit).await
    }

    pub async fn commit(&self, changes: Vec<Change>) -> Vec<Outcome> {
        self.attempt(commit(changes)).await.expect("the commit is accepted")
    }

    /// Keeps new memories.
    pub async fn keep(&self, memories: &[Memory]) {
        let outcomes = self.commit(memories.iter().map(create).collect()).await;
        let created: Vec<_> =
            memories.iter().map(|memory| Outcome::Created(memory.id.clone())).collect();
        assert_eq!(outcomes, created, "new memories are kept");
    }

    /// Forgets memories that are there.
    pub async fn forget(&self, memories: &[Memory]) {
        let outcomes = self.commit(memories.iter().map(forget).collect()).await;
        let forgotten: Vec<_> =
            memories.iter().map(|memory| Outcome::Forgotten(memory.id.clone())).collect();
        assert_eq!(outcomes, forgotten, "memories that are there are forgotten");
    }

    /// Has the store know scopes.
    pub async fn know(&self, scopes: &[Scope]) {
        self.0.know(scopes).await.expect("scopes are known from now on");
    }

    /// Returns the scopes that the store knows, in the order of their names.
    pub async fn known(&self, access: &Access) -> Vec<Scope> {
        let mut known = self.0.known_scopes(access).await.expect("the store says what it knows");
        known.sort_by_key(ToString::to_string);
        known
    }

    /// Attempts a commit that has to fail with a conflict.
    pub async fn conflicts(&self, commit: Commit) {
        match self.attempt(commit).await {
            Ok(outcomes) => panic!("expected a conflict, got {outcomes:?}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
        }
    }

    pub async fn get(&self, access: &Access, ids: &[MemoryId]) -> Vec<Memory> {
        self.0.get(access, ids).await.expect("memories are read")
    }

    /// Returns one memory, whoever it belongs to.
    pub async fn find(&self, id: &MemoryId) -> Option<Memory> {
        self.get(&keeper(), std::slice::from_ref(id)).await.pop()
    }

    pub async fn page(&self, filter: &Filter, page: &Page) -> Listing {
        self.0.list(filter, page).await.expect("memories are listed")
    }

    /// Returns the ids that a filter means, the newest first, and checks that the total agrees.
    pub async fn list(&self, filter: &Filter) -> Vec<MemoryId> {
        let listing = self.page(filter, &whole(Order::Newest)).await;
        assert_eq!(listing.total, listing.memories.len() as u64, "the total of a whole list");
        assert!(!listing.more, "nothing comes after a whole list");
        listing.memories.into_iter().map(|memory| memory.id).collect()
    }

    pub async fn evidence(&self, filter: &Filter, cues: &Cues) -> Evidence {
        self.evidence_of(filter, cues, 1_000).await
    }

    /// Returns evidence with at least so many of the best.
    pub async fn evidence_of(&self, filter: &Filter, cues: &Cues, limit: usize) -> Evidence {
        let (probe, heard) = Probe::new();
        let probe = Probe { cues: Some(cues.clone()), ..probe };
        self.0.find(filter, limit, Box::new(probe)).await.expect("evidence is found");
        match [heard.recv().await, heard.recv().await] {
            [Ok(Heard::Survey(_)), Ok(Heard::Evidence(evidence))] => evidence,
            other => panic!("a survey comes first, then evidence: {other:?}"),
        }
    }

    pub async fn survey(&self, scopes: &[Scope], words: &[String]) -> Survey {
        let filter = Filter { scopes: scopes.to_vec(), now: now(), criteria: Criteria::default() };
        let (probe, heard) = Probe::new();
        let probe = Probe { words: Some(words.to_vec()), ..probe };
        let found = self.0.find(&filter, 1, Box::new(probe)).await.expect("scopes are surveyed");
        assert!(found.memories.is_empty(), "an inquiry without cues ends");
        match (heard.recv().await, heard.recv().await) {
            (Ok(Heard::Survey(survey)), Err(_)) => survey,
            other => panic!("a survey and nothing else: {other:?}"),
        }
    }

    pub async fn at(&self, filter: &Filter, places: &[Place]) -> Vec<(Place, Memory)> {
        let (probe, _heard) = Probe::new();
        let probe = Probe { cues: Some(Cues::default()), places: places.to_vec(), ..probe };
        self.0.find(filter, 1, Box::new(probe)).await.expect("memories are loaded").memories
    }

    pub async fn adopt(&self, fingerprint: &Fingerprint) -> bool {
        self.0.adopt(fingerprint).await.expect("a model is adopted")
    }

    /// Takes memories to embed them, and returns their ids.
    pub async fn claim(&self, from: i64, until: i64, limit: usize) -> Vec<MemoryId> {
        let claimed = self.0.claim(moment(from), moment(until), limit).await;
        let claimed = claimed.expect("memories are handed out");
        claimed.into_iter().map(|claimed| claimed.memory.id).collect()
    }

    pub async fn extend(&self, ids: &[MemoryId], claim: i64, until: i64) {
        let extended = self.0.extend(ids, moment(claim), moment(until)).await;
        extended.expect("a claim is made longer");
    }

    pub async fn release(&self, ids: &[MemoryId], claim: i64) {
        self.0.release(ids, moment(claim)).await.expect("memories are given back");
    }

    pub async fn refuse(&self, id: &MemoryId, claim: i64, until: i64, why: &str) {
        let refused = self.0.refuse(id, moment(claim), moment(until), why).await;
        refused.expect("a memory is put aside");
    }

    pub async fn dimensions(&self, fingerprint: &Fingerprint) -> Option<usize> {
        self.0.dimensions(fingerprint).await.expect("dimensions are known or not")
    }

    pub async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Vec<Option<Vec<f32>>> {
        self.0.known_vectors(fingerprint, hashes).await.expect("vectors are looked up")
    }

    pub async fn retire(&self, limit: usize) -> u64 {
        self.0.retire(limit).await.expect("vectors are retired")
    }

    pub async fn embedding_state(&self) -> EmbeddingState {
        self.0.embedding_state().await.expect("the state is counted")
    }

    /// Returns what words and names point to, each list best first, and their memories.
    pub async fn candidates(&self, filter: &Filter, cues: &Cues) -> Candidates {
        let evidence = self.evidence(filter, cues).await;
        let lexical = ordered(&evidence, &weights(&evidence));
        let named: Vec<f64> = evidence.turns.iter().map(|turn| turn.named.into()).collect();
        let entity = ordered(&evidence, &named);
        let mut found: Vec<Place> = lexical.iter().chain(&entity).copied().collect();
        found.sort_unstable();
        found.dedup();
        let memories = self.at(filter, &found).await;
        let id = |place: &Place| {
            let found = memories.iter().find(|(there, _)| there == place);
            found.map(|(_, memory)| memory.id.clone()).expect("what was found is there")
        };
        Candidates {
            lexical: lexical.iter().map(id).collect(),
            entity: entity.iter().map(id).collect(),
            memories: memories.iter().map(|(_, memory)| memory.clone()).collect(),
        }
    }

    pub async fn history(&self, access: &Access, id: &MemoryId) -> Vec<Memory> {
        self.0.history(access, id).await.expect("the history is read")
    }

    pub async fn entities(&self, scopes: &[Scope], name: Option<&str>) -> Vec<Entity> {
        self.0.entities(scopes, now(), name, 1_000).await.expect("entities are read")
    }

    pub async fn scopes(&self, access: &Access) -> Vec<ScopeSummary> {
        self.0.scopes(access, now()).await.expect("scopes are counted")
    }

    pub async fn changes(&self, access: &Access) -> Vec<ChangeRecord> {
        self.0.changes(access, 0, 100_000).await.expect("changes are read")
    }

    pub async fn tombstones(&self, access: &Access) -> Vec<Tombstone> {
        self.0.tombstones(access).await.expect("tombstones are read")
    }

    pub async fn audit(&self) -> Vec<AuditEntry> {
        self.0.audit(None, Entries::After(0), 100_000).await.expect("the audit is read")
    }

    pub async fn observe(&self, reading: Reading) {
        self.0.observe(reading);
        self.0.settle().await.expect("what was observed is recorded");
    }

    /// Returns everything that can be seen of some scopes.
    pub async fn snapshot(&self, scopes: &[Scope]) -> Snapshot {
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let everything = Filter { scopes: scopes.to_vec(), now: now(), criteria };
        let memories = self.page(&everything, &whole(Order::Newest)).await.memories;
        let mut histories = Vec::new();
        for memory in &memories {
            histories.push(self.history(&keeper(), &memory.id).await);
        }
        Snapshot {
            memories,
            histories,
            entities: self.entities(scopes, None).await,
            summaries: self.scopes(&keeper()).await,
            changes: self.changes(&keeper()).await,
            tombstones: self.tombstones(&keeper()).await,
            audit: self.audit().await,
        }
    }
}

/// What a store found, in the simplest order that evidence gives.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Candidates {
    pub lexical: Vec<MemoryId>,
    pub entity: Vec<MemoryId>,
    pub memories: Vec<Memory>,
}

/// Returns how much the words say about each turn.
fn weights(evidence: &Evidence) -> Vec<f64> {
    let mut weights = vec![0.0; evidence.turns.len()];
    for word in &evidence.words {
        let mut best = vec![0.0; evidence.turns.len()];
        let rarity = bm25::rarity(word.passages_having, evidence.passages);
        for place in &word.found {
            let share = bm25::share(u32::from(place.told) + u32::from(place.asked), 0.9);
            let turn = place.turn as usize;
            best[turn] = f64::max(best[turn], rarity * share);
        }
        for (sum, value) in weights.iter_mut().zip(best) {
            *sum += value;
        }
    }
    weights
}

/// Returns the places for which something speaks, the most first, and then the latest.
fn ordered(evidence: &Evidence, weights: &[f64]) -> Vec<Place> {
    let mut turns: Vec<_> =
        evidence.turns.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).collect();
    turns.sort_by(|(one, a), (two, b)| {
        b.total_cmp(a).then((two.event_at, two.place).cmp(&(one.event_at, one.place)))
    });
    turns.into_iter().map(|(turn, _)| turn.place).collect()
}

/// Everything that can be seen of a store.
#[derive(Debug, PartialEq)]
pub(super) struct Snapshot {
    pub memories: Vec<Memory>,
    pub histories: Vec<Vec<Memory>>,
    pub entities: Vec<Entity>,
    pub summaries: Vec<ScopeSummary>,
    pub changes: Vec<ChangeRecord>,
    pub tombstones: Vec<Tombstone>,
    pub audit: Vec<AuditEntry>,
}

/// Waits for all futures at once, so that a store has to deal with them together.
pub(crate) async fn together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, output) in running.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
