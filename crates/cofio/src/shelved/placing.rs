//! Putting texts and vectors on shelves before the store names them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Shelved, told};
use crate::error::Result;
use crate::model::{
    Access, Change, Commit, Embedding, Fingerprint, Identifier, Memory, MemoryId, PassageVector,
    Slot, Vectors,
};
use crate::shelf::{Content, Embedded, Labels};

/// What a commit puts on shelves, and what nobody needs there when it is made.
#[derive(Default)]
pub(super) struct Placed {
    texts: HashMap<Identifier, Vec<Content>>,
    vectors: HashMap<(Identifier, Fingerprint), Vec<Embedded>>,
    /// Vectors of texts that memories no longer have, or of models that they are not found by.
    outlived: HashMap<(Identifier, Fingerprint), Vec<Slot>>,
}

impl Placed {
    /// Returns the shelves that something was put on.
    pub(super) fn shelves(&self) -> HashSet<Identifier> {
        let vectors = self.vectors.keys().map(|(name, _)| name);
        self.texts.keys().chain(vectors).cloned().collect()
    }
}

/// A memory whose text stays and is placed anew, and whose vectors go with it.
struct Moving {
    /// Its place among the changes.
    change: usize,
    slot: Slot,
}

/// Those whose vectors go on, by where they stand and whose they are.
type Moved = HashMap<(Identifier, Fingerprint), Vec<Moving>>;

impl Shelved {
    /// Puts the texts and vectors of a commit on their shelves, and says in the commit where they
    /// stand.
    pub(super) async fn place(&self, commit: &mut Commit) -> Result<Placed> {
        let mut known = self.before(commit).await?;
        let (mut placed, mut moving) = (Placed::default(), Moved::new());
        for (place, change) in commit.changes.iter_mut().enumerate() {
            match change {
                Change::Create { memory, history, .. } => {
                    for one in history.iter_mut().chain([&mut **memory]) {
                        self.place_text(one, &mut placed);
                    }
                    known.insert(memory.id.clone(), Memory::clone(memory));
                }
                Change::Update { memory, .. } => {
                    self.place_text(memory, &mut placed);
                    let before = known.insert(memory.id.clone(), Memory::clone(memory));
                    if let Some(before) = before {
                        note_move(place, memory, &before, &mut placed, &mut moving);
                    }
                }
                Change::Embed { id, version, fingerprint, vectors } => {
                    let current = known.get(id).filter(|before| before.version == *version);
                    if let Some(memory) = current {
                        place_vectors(memory, fingerprint, vectors, &mut placed);
                    }
                }
                Change::Forget { .. } | Change::Reject { .. } => {}
            }
        }
        self.carry_vectors(commit, moving, &mut placed).await;
        if let Err(error) = self.put(&placed).await {
            self.take_off(&placed).await;
            return Err(error);
        }
        Ok(placed)
    }

    /// Returns what memories are whose vectors may have to be placed.
    async fn before(&self, commit: &Commit) -> Result<HashMap<MemoryId, Memory>> {
        let concerned = |change: &Change| match change {
            Change::Update { memory, .. } => Some(memory.id.clone()),
            Change::Embed { id, .. } => Some(id.clone()),
            _ => None,
        };
        let ids: Vec<MemoryId> = commit.changes.iter().filter_map(concerned).collect();
        if ids.is_empty() || self.finders().next().is_none() {
            return Ok(HashMap::new());
        }
        let memories = self.home.get_outlines(&Access::everything(), &ids).await?;
        Ok(memories.into_iter().map(|memory| (memory.id.clone(), memory)).collect())
    }

    pub(super) fn place_text(&self, memory: &mut Memory, placed: &mut Placed) {
        let Some(name) = self.rules.shelf(memory) else { return };
        let vectors = self.shelves.get(name).is_some_and(|shelf| shelf.abilities().vectors);
        let (text, edition) = (memory.content.clone(), self.editions.next());
        memory.content = text.clone().standing_on(name.clone(), edition, vectors);
        // The store believes what is said here of vectors that stand elsewhere.
        memory.embedding = Embedding::Pending;
        let slot = Slot { scope: memory.scope.clone(), id: memory.id.clone(), edition };
        let content = Content { slot, text, labels: Labels::of(memory) };
        placed.texts.entry(name.clone()).or_default().push(content);
    }

    /// Lets the vectors of texts that stay go where those are placed.
    ///
    /// Where that is not possible for the moment, the memory waits for new ones.
    async fn carry_vectors(&self, commit: &mut Commit, moved: Moved, placed: &mut Placed) {
        for ((from, model), moving) in moved {
            let slots: Vec<Slot> = moving.iter().map(|one| one.slot.clone()).collect();
            let Some(shelf) = self.shelves.get(&from) else { continue };
            let found = shelf.vectors(&model, &slots).await.unwrap_or_default();
            for (Moving { change, .. }, vectors) in moving.into_iter().zip(found) {
                let Some((Change::Update { memory, .. }, vectors)) =
                    commit.changes.get_mut(change).zip(vectors)
                else {
                    continue;
                };
                memory.embedding = Embedding::Ready(model.clone());
                lay(memory, &model, vectors, placed);
            }
        }
    }

    pub(super) async fn put(&self, placed: &Placed) -> Result<()> {
        let contents = placed.texts.values().flatten();
        self.make_known(contents.map(|content| &content.slot.scope).collect()).await?;
        for (name, contents) in &placed.texts {
            self.shelf(name)?.put(contents).await.map_err(|error| told(name, error))?;
        }
        for ((name, model), embedded) in &placed.vectors {
            let put = self.shelf(name)?.put_vectors(model, embedded).await;
            put.map_err(|error| told(name, error))?;
        }
        Ok(())
    }

    /// Takes off texts that the store will never name, with their vectors.
    ///
    /// Vectors of texts that it does name are right wherever they stand, and are left.
    pub(super) async fn take_off(&self, placed: &Placed) {
        for (name, contents) in &placed.texts {
            let slots = contents.iter().map(|content| content.slot.clone()).collect();
            self.remove(name, slots).await;
        }
    }

    /// Takes off what the store has not come to name, and what it names no longer.
    pub(super) async fn clear_up(&self, placed: Placed, kept: impl Fn(&Slot) -> bool) {
        for (name, contents) in &placed.texts {
            let slots = contents.iter().map(|content| &content.slot).filter(|slot| !kept(slot));
            self.remove(name, slots.cloned().collect()).await;
        }
        let unused = placed.vectors.into_iter().map(|(on, embedded)| {
            let slots = embedded.into_iter().map(|embedded| embedded.slot);
            (on, slots.filter(|slot| !kept(slot)).collect::<Vec<_>>())
        });
        let outlived = placed.outlived.into_iter().map(|(on, slots)| {
            (on, slots.into_iter().filter(|slot| kept(slot)).collect::<Vec<_>>())
        });
        for ((name, model), slots) in unused.chain(outlived) {
            if let Some(shelf) = self.shelves.get(&name).filter(|_| !slots.is_empty()) {
                // Nobody is led astray by them, as no memory names their slots.
                let _ = shelf.remove_vectors(&model, &slots).await;
            }
        }
    }

    pub(super) async fn remove(&self, name: &Identifier, slots: Vec<Slot>) {
        if let Some(shelf) = self.shelves.get(name).filter(|_| !slots.is_empty()) {
            // Nobody names them; if they cannot be removed now, a sweep finds them.
            let _ = shelf.remove(&slots).await;
        }
    }
}

/// Notes that the vectors of a version before are not needed where they are, and may move.
fn note_move(
    change: usize,
    memory: &Memory,
    before: &Memory,
    placed: &mut Placed,
    moving: &mut Moved,
) {
    let Some((from, slot)) = laid(before) else { return };
    if memory.content.has_vectors_elsewhere() && memory.shares_vectors_with(before) {
        let slot = slot.clone();
        moving.entry(from.clone()).or_default().push(Moving { change, slot });
    }
    placed.outlived.entry(from).or_default().push(slot);
}

/// Takes vectors out of a change, to be put where the text of their memory stands.
fn place_vectors(
    memory: &Memory,
    fingerprint: &Fingerprint,
    vectors: &mut Vectors,
    placed: &mut Placed,
) {
    let Vectors::Here(here) = vectors else { return };
    if !memory.content.has_vectors_elsewhere() {
        return;
    }
    let here: Vec<Vec<f32>> =
        mem::take(here).into_iter().map(|PassageVector { vector, .. }| vector).collect();
    *vectors = Vectors::Elsewhere { dimensions: here.first().map(Vec::len) };
    lay(memory, fingerprint, here, placed);
    if let Some((on, slot)) = laid(memory).filter(|((_, model), _)| model != fingerprint) {
        placed.outlived.entry(on).or_default().push(slot);
    }
}

pub(super) fn lay(
    memory: &Memory,
    model: &Fingerprint,
    vectors: Vec<Vec<f32>>,
    placed: &mut Placed,
) {
    let Some((standing, slot)) = memory.content.standing().zip(memory.slot()) else { return };
    let on = (standing.shelf.clone(), model.clone());
    let embedded = Embedded { slot, labels: Labels::of(memory), vectors };
    placed.vectors.entry(on).or_default().push(embedded);
}

/// Returns where the vectors of a memory stand, and whose they are, if that is on a shelf.
fn laid(memory: &Memory) -> Option<((Identifier, Fingerprint), Slot)> {
    let standing = memory.content.standing().filter(|standing| standing.vectors)?;
    let Embedding::Ready(by) = &memory.embedding else { return None };
    Some(((standing.shelf.clone(), by.clone()), memory.slot()?))
}

/// Numbers that no text of a memory had before.
#[derive(Default)]
pub(super) struct Editions {
    state: RandomState,
    next: AtomicU64,
}

impl Editions {
    /// Returns a number; it is small enough for whoever counts in floating point.
    fn next(&self) -> u64 {
        self.state.hash_one(self.next.fetch_add(1, Ordering::Relaxed)) >> 12
    }
}
