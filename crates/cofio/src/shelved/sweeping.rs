//! Looking on shelves for what no memory names, left there by a process that came to no end.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use jiff::SignedDuration;

use super::{Shelved, told};
use crate::error::Result;
use crate::model::{Access, Identifier, Memory, MemoryId, Scope, Slot, Timestamp};
use crate::shelf::Shelf;

/// How many slots are listed at a time: servers that know no order of names look through a whole scope
/// for each part of its list.
const LISTED: usize = 100_000;

/// How many slots are looked up at a time.
const PIECE: usize = 500;

/// How long something must have been seen without a name before it is removed: a commit that is
/// still to name it takes far less.
const GRACE: SignedDuration = SignedDuration::from_mins(15);

/// What was seen without a name, by shelf and slot, with since when.
#[derive(Default)]
pub(super) struct Suspects(Mutex<HashMap<(Identifier, Slot), Timestamp>>);

/// What memories name on a shelf.
#[derive(Default)]
struct Named {
    /// What they say now.
    current: HashSet<Slot>,
    /// What they said.
    earlier: HashSet<Slot>,
}

impl Shelved {
    /// Removes from the shelves what no memory of the scopes names, and returns how much that was.
    ///
    /// Nothing is removed that was not there a quarter of an hour before, in an earlier sweep by this
    /// store, as it may be about to be named. Of texts that memories had before, vectors of the
    /// adopted model go at once. Whatever fails keeps nothing else from being swept, and the first
    /// error is returned in the end.
    pub async fn sweep(&self, scopes: &[Scope], now: Timestamp) -> Result<usize> {
        let (mut removed, mut failure) = (0, None);
        for (name, shelf) in &self.shelves {
            for scope in scopes {
                match self.sweep_one(name, &**shelf, scope, now).await {
                    Ok(some) => removed += some,
                    Err(error) => failure = failure.or(Some(told(name, error))),
                }
            }
        }
        failure.map_or(Ok(removed), Err)
    }

    async fn sweep_one(
        &self,
        name: &Identifier,
        shelf: &dyn Shelf,
        scope: &Scope,
        now: Timestamp,
    ) -> Result<usize> {
        let (mut after, mut removed) = (None::<Slot>, 0);
        let mut suspected: HashSet<Slot> = HashSet::new();
        loop {
            // A sweep takes long, and what is seen late in it has not been there for as long.
            let now = now.max(self.clock.now());
            // What is there is asked first: it is named by now, or not yet, or never.
            let slots = shelf.slots(scope, after.as_ref(), LISTED).await?;
            for piece in slots.chunks(PIECE) {
                let unknown = self.unknown(name, shelf, piece).await?;
                suspected.extend(unknown.iter().cloned());
                let gone = self.suspects.convicted(name, unknown, now);
                if !gone.is_empty() {
                    shelf.remove(&gone).await?;
                    removed += gone.len();
                    self.suspects.forget(name, &gone);
                }
            }
            if slots.len() < LISTED {
                self.suspects.keep(name, scope, &suspected);
                return Ok(removed);
            }
            after = slots.into_iter().last();
        }
    }

    /// Returns those of some slots that no memory names; those that one names are above suspicion.
    async fn unknown(
        &self,
        name: &Identifier,
        shelf: &dyn Shelf,
        slots: &[Slot],
    ) -> Result<Vec<Slot>> {
        let named = self.named(name, slots).await?;
        self.strip(shelf, slots, &named).await?;
        let is_named = |slot: &&Slot| named.current.contains(slot) || named.earlier.contains(slot);
        let (known, unknown): (Vec<&Slot>, Vec<&Slot>) = slots.iter().partition(is_named);
        self.suspects.forget(name, known);
        Ok(unknown.into_iter().cloned().collect())
    }

    async fn named(&self, shelf: &Identifier, slots: &[Slot]) -> Result<Named> {
        let access = Access::everything();
        let ids: BTreeSet<MemoryId> = slots.iter().map(|slot| slot.id.clone()).collect();
        let ids: Vec<MemoryId> = ids.into_iter().collect();
        let current = self.home.get_outlines(&access, &ids).await?;
        let mut named = Named {
            current: current.iter().filter_map(|memory| slot_on(shelf, memory)).collect(),
            ..Named::default()
        };
        let others = slots.iter().filter(|slot| !named.current.contains(slot));
        let others: BTreeSet<&MemoryId> = others.map(|slot| &slot.id).collect();
        for id in others {
            let history = self.home.history(&access, id).await?;
            named.earlier.extend(history.iter().filter_map(|memory| slot_on(shelf, memory)));
        }
        Ok(named)
    }

    /// Removes vectors of texts that memories no longer have.
    async fn strip(&self, shelf: &dyn Shelf, slots: &[Slot], named: &Named) -> Result<()> {
        let outdated = |slot: &&Slot| named.earlier.contains(slot) && !named.current.contains(slot);
        let outdated: Vec<Slot> = slots.iter().filter(outdated).cloned().collect();
        if outdated.is_empty() || !shelf.abilities().vectors {
            return Ok(());
        }
        match self.home.embedding_state().await?.model {
            Some(model) => shelf.remove_vectors(&model, &outdated).await,
            None => Ok(()),
        }
    }
}

impl Suspects {
    /// Returns what has been without a name for long enough, and keeps the rest in mind.
    fn convicted(&self, shelf: &Identifier, unknown: Vec<Slot>, now: Timestamp) -> Vec<Slot> {
        let mut seen = self.seen();
        let mut is_old = |slot: &Slot| {
            let since = *seen.entry((shelf.clone(), slot.clone())).or_insert(now);
            now.duration_since(since) >= GRACE
        };
        unknown.into_iter().filter(|slot| is_old(slot)).collect()
    }

    /// Returns the scopes in which something is suspected.
    pub(super) fn scopes(&self) -> HashSet<Scope> {
        self.seen().keys().map(|(_, slot)| slot.scope.clone()).collect()
    }

    /// Forgets about what is not there any more in a scope of a shelf.
    fn keep(&self, shelf: &Identifier, scope: &Scope, there: &HashSet<Slot>) {
        let elsewhere = |on: &Identifier, slot: &Slot| on != shelf || slot.scope != *scope;
        self.seen().retain(|(on, slot), _| elsewhere(on, slot) || there.contains(slot));
    }

    fn forget<'a>(&self, shelf: &Identifier, slots: impl IntoIterator<Item = &'a Slot>) {
        let mut seen = self.seen();
        for slot in slots {
            seen.remove(&(shelf.clone(), slot.clone()));
        }
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<(Identifier, Slot), Timestamp>> {
        self.0.lock().expect("nothing panics while it holds the lock")
    }
}

fn slot_on(shelf: &Identifier, memory: &Memory) -> Option<Slot> {
    memory.content.standing().filter(|standing| standing.shelf == *shelf)?;
    memory.slot()
}
