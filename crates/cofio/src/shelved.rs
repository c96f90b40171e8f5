//! A store whose texts stand on shelves, as far as rules say so.
//!
//! A text is on its shelf before the store names it, and the store notes what no memory names any
//! more before it is taken off. So nothing that was acknowledged is lost, whoever is interrupted.

mod rules;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Change, Checkup, CleanText, Commit, Identifier, Memory, MemoryId, Outcome, Slot,
};
use crate::shelf::{Content, Labels, Shelf};
use crate::store::{Missing, Store, Surrounding, Watch};

pub use rules::{Rule, Rules};

/// How many texts are taken off shelves at a time.
const PIECE: usize = 500;

/// A store, and the shelves that some of its texts stand on.
pub struct Shelved {
    home: Arc<dyn Store>,
    shelves: HashMap<Identifier, Arc<dyn Shelf>>,
    rules: Rules,
    editions: Editions,
}

impl Shelved {
    /// Puts texts on shelves by rules; fails if a rule names one that is not there.
    pub fn new(
        home: Arc<dyn Store>,
        shelves: HashMap<Identifier, Arc<dyn Shelf>>,
        rules: Rules,
    ) -> Result<Self> {
        if let Some(unknown) = rules.shelves().find(|name| !shelves.contains_key(name)) {
            let message = format!("there is no shelf {:?}, which a rule names", unknown.as_str());
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        Ok(Self { home, shelves, rules, editions: Editions::default() })
    }

    /// Takes off the shelves what no memory names any more, and returns how many texts that were.
    ///
    /// What stands on a shelf that does not answer stays noted.
    pub async fn tidy(&self) -> Result<usize> {
        let mut removed = 0;
        loop {
            let noted = self.home.unshelved(PIECE).await?;
            let mut gone = Vec::new();
            for (name, shelf) in &self.shelves {
                let of_it = noted.iter().filter(|one| one.shelf == *name).cloned();
                let of_it: Vec<_> = of_it.collect();
                let slots: Vec<Slot> = of_it.iter().map(|one| one.slot.clone()).collect();
                if !slots.is_empty() && shelf.remove(&slots).await.is_ok() {
                    gone.extend(of_it);
                }
            }
            if gone.is_empty() {
                return Ok(removed);
            }
            self.home.strike_off(&gone).await?;
            removed += gone.len();
        }
    }

    /// Puts the texts of a commit on their shelves, and says in the commit where they stand.
    async fn place(&self, commit: &mut Commit) -> Result<Placed> {
        let mut placed = Placed::default();
        for change in &mut commit.changes {
            match change {
                Change::Create { memory, history, .. } => {
                    for one in history.iter_mut().chain([&mut **memory]) {
                        self.place_one(one, &mut placed);
                    }
                }
                Change::Update { memory, .. } => self.place_one(memory, &mut placed),
                Change::Forget { .. } | Change::Reject { .. } | Change::Embed { .. } => {}
            }
        }
        for (name, contents) in &placed.0 {
            if let Err(error) = self.shelf(name)?.put(contents).await {
                self.take_off(&placed, |_| true).await;
                return Err(told(name, error));
            }
        }
        Ok(placed)
    }

    fn place_one(&self, memory: &mut Memory, placed: &mut Placed) {
        let Some(shelf) = self.rules.shelf(memory) else { return };
        let (text, edition) = (memory.content.clone(), self.editions.next());
        memory.content = text.clone().standing_on(shelf.clone(), edition);
        let slot = Slot { scope: memory.scope.clone(), id: memory.id.clone(), edition };
        let content = Content { slot, text, labels: Labels::of(memory) };
        placed.0.entry(shelf.clone()).or_default().push(content);
    }

    /// Takes texts off that the store has not come to name.
    async fn take_off(&self, placed: &Placed, unused: impl Fn(&Slot) -> bool) {
        for (name, contents) in &placed.0 {
            let slots = contents.iter().map(|content| &content.slot).filter(|slot| unused(slot));
            let slots: Vec<Slot> = slots.cloned().collect();
            if let Some(shelf) = self.shelves.get(name).filter(|_| !slots.is_empty()) {
                // Nobody names them; if they cannot be removed now, a sweep finds them.
                let _ = shelf.remove(&slots).await;
            }
        }
    }

    fn shelf(&self, name: &Identifier) -> Result<&Arc<dyn Shelf>> {
        let missing = || {
            let message =
                format!("a text stands on the shelf {:?}, which is not there", name.as_str());
            Error::new(ErrorKind::Configuration, message)
        };
        self.shelves.get(name).ok_or_else(missing)
    }

    /// Fetches the texts of some memories from one shelf.
    async fn fetch(&self, name: &Identifier, memories: &mut [&mut Memory]) -> Result<()> {
        let slots: Vec<Slot> = memories.iter().filter_map(|memory| memory.slot()).collect();
        let texts = self.shelf(name)?.get(&slots).await.map_err(|error| told(name, error))?;
        for (memory, text) in memories.iter_mut().zip(texts) {
            if let Some(text) = text {
                memory.content = CleanText::stored(text);
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Surrounding for Shelved {
    fn inner(&self) -> &dyn Store {
        &*self.home
    }

    async fn commit_inside(&self, mut commit: Commit) -> Result<Vec<Outcome>> {
        if let Some(earlier) = self.home.earlier(&commit).await? {
            return Ok(earlier);
        }
        let placed = self.place(&mut commit).await?;
        let may_remove =
            commit.changes.iter().any(|change| !matches!(change, Change::Embed { .. }));
        match self.home.commit(commit).await {
            Err(error) => {
                self.take_off(&placed, |_| true).await;
                Err(error)
            }
            Ok(outcomes) => {
                let changed = outcomes.iter().filter(|outcome| outcome.changed());
                let kept: HashSet<&MemoryId> = changed.map(Outcome::id).collect();
                self.take_off(&placed, |slot| !kept.contains(&slot.id)).await;
                if may_remove {
                    // It is committed whatever becomes of this; what is noted stays noted.
                    let _ = self.tidy().await;
                }
                Ok(outcomes)
            }
        }
    }

    async fn health_around(&self, clock: Watch<'_>) -> Vec<Checkup> {
        let mut checkups = self.home.health(clock).await;
        let mut shelves: Vec<_> = self.shelves.iter().collect();
        shelves.sort_by_key(|(name, _)| name.as_str());
        for (name, shelf) in shelves {
            checkups.push(Checkup { name: name.to_string(), health: shelf.health().await });
        }
        checkups
    }

    async fn complete(&self, mut memories: Vec<Memory>, missing: Missing) -> Result<Vec<Memory>> {
        let mut by_shelf: HashMap<Identifier, Vec<&mut Memory>> = HashMap::new();
        for memory in &mut memories {
            if let Some(standing) = memory.content.standing() {
                by_shelf.entry(standing.shelf.clone()).or_default().push(memory);
            }
        }
        for (name, mut memories) in by_shelf {
            match self.fetch(&name, &mut memories).await {
                Err(error) if missing == Missing::Fails => return Err(error),
                _ => {}
            }
        }
        if missing == Missing::IsLeftOut {
            memories.retain(|memory| memory.slot().is_none());
        }
        // What ends by itself may have ended on its shelf already.
        let lost = |memory: &&Memory| memory.slot().is_some() && memory.expires_at.is_none();
        memories.iter().find(lost).map_or(Ok(()), |memory| Err(lost_text(memory)))?;
        for memory in memories.iter_mut().filter(|memory| memory.slot().is_some()) {
            memory.content = CleanText::default();
        }
        Ok(memories)
    }
}

impl fmt::Debug for Shelved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelved").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// The texts of a commit, by the shelf that each was put on.
#[derive(Default)]
struct Placed(HashMap<Identifier, Vec<Content>>);

/// Numbers that no text of a memory had before.
#[derive(Default)]
struct Editions {
    state: RandomState,
    next: AtomicU64,
}

impl Editions {
    /// Returns a number; it is small enough for whoever counts in floating point.
    fn next(&self) -> u64 {
        self.state.hash_one(self.next.fetch_add(1, Ordering::Relaxed)) >> 12
    }
}

/// Returns the error of a text that a shelf has lost.
fn lost_text(memory: &Memory) -> Error {
    let shelf = memory.content.standing().map_or("", |standing| standing.shelf.as_str());
    let message = format!("the shelf {shelf:?} has lost the text of {}", memory.id);
    Error::new(ErrorKind::Damaged, message).with("shelf", shelf)
}

/// Says which shelf it was.
fn told(name: &Identifier, error: Error) -> Error {
    error.with("shelf", name.as_str())
}
