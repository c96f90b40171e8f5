//! A shelf that lives and dies with the process: for what is worked on, and as the contract in its
//! plainest form.
//!
//! One lock guards everything and is never held across an await.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;

use super::{
    Abilities, Content, Embedded, Health, Labels, Sampled, Shelf, Slot, Within, other_dimensions,
};
use crate::error::Result;
use crate::model::{Fingerprint, Meaning, MemoryId, Scope, Timestamp};

/// Keeps contents and vectors in the process.
pub struct MemoryShelf {
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    kept: Mutex<HashMap<Scope, Scoped>>,
}

/// What is kept of one scope, by id and edition.
type Scoped = BTreeMap<(MemoryId, u64), Kept>;

/// What is kept under one slot.
struct Kept {
    text: Option<String>,
    labels: Labels,
    vectors: HashMap<Fingerprint, Vec<Vec<f32>>>,
}

impl MemoryShelf {
    /// Makes an empty shelf, whose contents end by a clock.
    pub fn new(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { clock: Box::new(clock), kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Scope, Scoped>> {
        self.kept.lock().expect("nothing panics while it holds the lock")
    }
}

/// Shows no content: memories do not belong in logs.
impl fmt::Debug for MemoryShelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryShelf").finish_non_exhaustive()
    }
}

#[async_trait]
impl Shelf for MemoryShelf {
    fn abilities(&self) -> Abilities {
        Abilities { vectors: true, expiry: true }
    }

    async fn put(&self, contents: &[Content]) -> Result<()> {
        let mut kept = self.kept();
        for Content { slot, text, labels } in contents {
            let kept = place(&mut kept, slot, labels);
            kept.text = Some(text.as_str().to_owned());
        }
        Ok(())
    }

    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        let (kept, now) = (self.kept(), (self.clock)());
        let text = |slot: &Slot| look(&kept, slot, now)?.text.clone();
        Ok(slots.iter().map(text).collect())
    }

    async fn remove(&self, slots: &[Slot]) -> Result<()> {
        let mut kept = self.kept();
        for slot in slots {
            take(&mut kept, slot);
        }
        Ok(())
    }

    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        let (kept, now) = (self.kept(), (self.clock)());
        let after = after.map(key);
        let all = kept.get(scope).into_iter().flatten();
        let rest = all.filter(|(key, kept)| {
            after.as_ref().is_none_or(|after| *key > after) && !kept.has_ended(now)
        });
        let slot = |(id, edition): &(MemoryId, u64)| Slot {
            scope: scope.clone(),
            id: id.clone(),
            edition: *edition,
        };
        Ok(rest.take(limit).map(|(key, _)| slot(key)).collect())
    }

    async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()> {
        let mut kept = self.kept();
        let mut dimensions = dimensions(&kept, model);
        for vector in embedded.iter().flat_map(|embedded| &embedded.vectors) {
            let known = *dimensions.get_or_insert(vector.len());
            if known != vector.len() {
                return Err(other_dimensions(model, vector.len(), known));
            }
        }
        for Embedded { slot, labels, vectors } in embedded {
            let kept = place(&mut kept, slot, labels);
            kept.vectors.insert(model.clone(), vectors.clone());
        }
        Ok(())
    }

    async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        let (kept, now) = (self.kept(), (self.clock)());
        let vectors = |slot: &Slot| look(&kept, slot, now)?.vectors.get(model).cloned();
        Ok(slots.iter().map(vectors).collect())
    }

    async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()> {
        let mut kept = self.kept();
        for slot in slots {
            let Some(there) = find(&mut kept, slot) else { continue };
            there.vectors.remove(model);
            if there.text.is_none() && there.vectors.is_empty() {
                take(&mut kept, slot);
            }
        }
        Ok(())
    }

    async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        let (kept, now) = (self.kept(), (self.clock)());
        check(&kept, meaning)?;
        let mut found = Vec::new();
        for scope in &within.scopes {
            for ((id, edition), kept) in kept.get(scope).into_iter().flatten() {
                if kept.has_ended(now) || !is_within(&kept.labels, within) {
                    continue;
                }
                if let Some(cosine) = kept.best(meaning) {
                    let slot = Slot { scope: scope.clone(), id: id.clone(), edition: *edition };
                    found.push((slot, cosine));
                }
            }
        }
        found.sort_by(|one, two| two.1.total_cmp(&one.1));
        found.truncate(limit);
        Ok(found)
    }

    async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        let (kept, now) = (self.kept(), (self.clock)());
        check(&kept, meaning)?;
        Ok(slots.iter().map(|slot| look(&kept, slot, now)?.best(meaning)).collect())
    }

    async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        let (kept, now) = (self.kept(), (self.clock)());
        check(&kept, meaning)?;
        let inside = scopes.iter().filter_map(|scope| kept.get(scope)).flatten();
        let there = inside.map(|(_, kept)| kept).filter(|kept| !kept.has_ended(now));
        let sampled = there.flat_map(|kept| {
            let assistant = kept.labels.assistant;
            kept.cosines(meaning).map(move |cosine| Sampled { cosine, assistant })
        });
        Ok(sampled.take(limit).collect())
    }

    async fn health(&self) -> Result<Health> {
        Ok(Health::in_process())
    }
}

impl Kept {
    fn has_ended(&self, now: Timestamp) -> bool {
        self.labels.ends_at.is_some_and(|end| end <= now)
    }

    fn cosines(&self, meaning: &Meaning) -> impl Iterator<Item = f32> {
        let vectors = self.vectors.get(&meaning.fingerprint).into_iter().flatten();
        vectors.map(|vector| vector.iter().zip(&meaning.vector).map(|(a, b)| a * b).sum())
    }

    fn best(&self, meaning: &Meaning) -> Option<f32> {
        self.cosines(meaning).max_by(f32::total_cmp)
    }
}

fn key(slot: &Slot) -> (MemoryId, u64) {
    (slot.id.clone(), slot.edition)
}

/// Returns what is kept under a slot, with these labels from now on.
fn place<'a>(kept: &'a mut HashMap<Scope, Scoped>, slot: &Slot, labels: &Labels) -> &'a mut Kept {
    let scoped = kept.entry(slot.scope.clone()).or_default();
    let new = || Kept { text: None, labels: labels.clone(), vectors: HashMap::new() };
    let kept = scoped.entry(key(slot)).or_insert_with(new);
    kept.labels = labels.clone();
    kept
}

fn find<'a>(kept: &'a mut HashMap<Scope, Scoped>, slot: &Slot) -> Option<&'a mut Kept> {
    kept.get_mut(&slot.scope)?.get_mut(&key(slot))
}

/// Removes what is kept under a slot.
fn take(kept: &mut HashMap<Scope, Scoped>, slot: &Slot) {
    let Some(scoped) = kept.get_mut(&slot.scope) else { return };
    scoped.remove(&key(slot));
    if scoped.is_empty() {
        kept.remove(&slot.scope);
    }
}

/// Returns what is kept under a slot and has not ended.
fn look<'a>(kept: &'a HashMap<Scope, Scoped>, slot: &Slot, now: Timestamp) -> Option<&'a Kept> {
    kept.get(&slot.scope)?.get(&key(slot)).filter(|kept| !kept.has_ended(now))
}

fn is_within(labels: &Labels, within: &Within) -> bool {
    (within.kinds.is_empty() || within.kinds.contains(&labels.kind))
        && (within.states.is_empty() || within.states.contains(&labels.state))
}

/// Returns how many dimensions the vectors of a model have.
fn dimensions(kept: &HashMap<Scope, Scoped>, model: &Fingerprint) -> Option<usize> {
    let mut all = kept.values().flat_map(BTreeMap::values);
    all.find_map(|kept| kept.vectors.get(model)?.first().map(Vec::len))
}

/// Refuses a meaning that cannot be compared with what is kept.
fn check(kept: &HashMap<Scope, Scoped>, meaning: &Meaning) -> Result<()> {
    match dimensions(kept, &meaning.fingerprint) {
        Some(kept) if kept != meaning.vector.len() => {
            Err(other_dimensions(&meaning.fingerprint, meaning.vector.len(), kept))
        }
        _ => Ok(()),
    }
}
