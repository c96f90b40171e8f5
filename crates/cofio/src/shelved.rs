//! A store whose texts stand on shelves, as far as rules say so, with their vectors where a shelf
//! finds by them.
//!
//! A text and its vectors are on their shelf before the store names them, and the store notes what
//! no memory names any more before it is taken off. So nothing that was acknowledged is lost,
//! whoever is interrupted.

mod finding;
mod moving;
mod placing;
mod reading;
mod rules;
mod scopes;
mod sweeping;
mod tidying;
mod together;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use self::placing::Editions;
use self::reading::{ATTEMPTS, restless};
use self::scopes::Scopes;
use self::sweeping::Suspects;
use self::tidying::Disorder;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Access, Change, CleanText, Commit, Filter, Identifier, Memory, MemoryId, Outcome,
    PendingCheckup, Portion, Slot, Timestamp,
};
use crate::shelf::Shelf;
use crate::store::{Capabilities, Clock, Found, Inquiry, Listing, Page, Store, Surrounding};

pub use moving::MovableShelved;
pub use rules::{Rule, Rules};

/// A store, and the shelves that some of its texts stand on.
pub struct Shelved {
    home: Arc<dyn Store>,
    shelves: HashMap<Identifier, Arc<dyn Shelf>>,
    rules: Rules,
    editions: Editions,
    suspects: Suspects,
    scopes: Scopes,
    disorder: Disorder,
    clock: Box<dyn Clock>,
}

impl Shelved {
    /// Puts texts on shelves by rules; fails if a rule names one that is not there.
    ///
    /// What stands on the shelves has to be of this home alone: whatever it does not name is swept
    /// away. By the clock a text that is not there has ended, or is lost.
    pub fn new(
        home: Arc<dyn Store>,
        shelves: HashMap<Identifier, Arc<dyn Shelf>>,
        rules: Rules,
        clock: impl Clock + 'static,
    ) -> Result<Self> {
        if let Some(unknown) = rules.shelves().find(|name| !shelves.contains_key(name)) {
            let message = format!("there is no shelf {:?}, which a rule names", unknown.as_str());
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        let (editions, suspects, scopes) = Default::default();
        let disorder = Disorder::of(shelves.keys());
        let clock = Box::new(clock);
        Ok(Self { home, shelves, rules, editions, suspects, scopes, disorder, clock })
    }

    fn shelf(&self, name: &Identifier) -> Result<&Arc<dyn Shelf>> {
        let missing = || {
            let message =
                format!("a text stands on the shelf {:?}, which is not there", name.as_str());
            Error::new(ErrorKind::Configuration, message)
        };
        self.shelves.get(name).ok_or_else(missing)
    }

    /// Returns the shelves that find by vectors.
    fn finders(&self) -> impl Iterator<Item = (&Identifier, &Arc<dyn Shelf>)> {
        self.shelves.iter().filter(|(_, shelf)| shelf.abilities().vectors)
    }

    /// Makes memories whole, and says which shelves did not answer.
    async fn fetched(&self, memories: &mut [Memory]) -> Vec<(Identifier, Error)> {
        let mut by_shelf: HashMap<Identifier, Vec<&mut Memory>> = HashMap::new();
        for memory in memories {
            if let Some(standing) = memory.content.standing() {
                by_shelf.entry(standing.shelf.clone()).or_default().push(memory);
            }
        }
        let mut silent = Vec::new();
        for (name, mut memories) in by_shelf {
            if let Err(error) = self.fetch(&name, &mut memories).await {
                silent.push((name, error));
            }
        }
        silent
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

    /// Makes what was found whole, without what cannot be made so for the moment.
    async fn whole(&self, found: Found) -> Found {
        let (places, mut memories): (Vec<_>, Vec<_>) = found.memories.into_iter().unzip();
        let silent = self.fetched(&mut memories).await.into_iter().map(|(name, _)| name);
        let unavailable: BTreeSet<Identifier> = silent.chain(found.unavailable).collect();
        let there = |(_, memory): &(_, Memory)| memory.slot().is_none();
        let memories = places.into_iter().zip(memories).filter(there).collect();
        Found { memories, unavailable: unavailable.into_iter().collect() }
    }
}

#[async_trait]
impl Surrounding for Shelved {
    fn inner(&self) -> &dyn Store {
        &*self.home
    }

    fn abilities(&self) -> Capabilities {
        let home = self.home.capabilities();
        Capabilities { recall: home.recall && self.finders().next().is_none(), ..home }
    }

    async fn commit_inside(&self, mut commit: Commit) -> Result<Vec<Outcome>> {
        if commit.idempotency.is_some()
            && let Some(earlier) = self.home.earlier(&commit).await?
        {
            return Ok(earlier);
        }
        let placed = self.place(&mut commit).await?;
        let (answering, leaving) = (placed.shelves(), leaving(&commit));
        match self.home.commit(commit).await {
            // If it was made after all, memories name what was placed; if not, a sweep finds it.
            Err(error) if error.is_undecided() => Err(error),
            Err(error) => {
                self.take_off(&placed).await;
                Err(error)
            }
            Ok(outcomes) => {
                let changed = outcomes.iter().filter(|outcome| outcome.changed());
                let kept: HashSet<&MemoryId> = changed.map(Outcome::id).collect();
                self.clear_up(placed, |slot| kept.contains(&slot.id)).await;
                // It is committed whatever becomes of this; what is noted stays noted.
                let _ = self.tidy_after(&leaving, &answering).await;
                Ok(outcomes)
            }
        }
    }

    async fn clear_away_inside(&self, access: &Access, now: Timestamp) -> Result<usize> {
        let noted = self.tidy().await?;
        let scopes = self.scopes_to_sweep(access, now).await?;
        Ok(noted + self.sweep(&scopes, now).await?)
    }

    fn health_around<'a>(&'a self, clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>> {
        let mut shelves: Vec<_> = self.shelves.iter().collect();
        shelves.sort_by_key(|(name, _)| name.as_str());
        let asked = shelves.into_iter();
        let asked = asked.map(|(name, shelf)| PendingCheckup::new(name.as_str(), shelf.health()));
        self.home.health(clock).into_iter().chain(asked).collect()
    }

    async fn find_inside(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        let found = if self.finders().next().is_none() {
            self.home.find(filter, limit, inquiry).await?
        } else {
            self.search(filter, limit, inquiry).await?
        };
        Ok(self.whole(found).await)
    }

    async fn get_inside(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.read_ids(access, ids).await
    }

    async fn list_inside(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.read_page(filter, page).await
    }

    async fn history_inside(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>> {
        self.read_versions(access, id).await
    }

    async fn first_waiting_inside(&self, portion: &Portion) -> Result<Vec<Memory>> {
        self.read_waiting(portion).await
    }

    async fn complete_claimed(&self, mut memories: Vec<Memory>) -> Vec<Memory> {
        self.fetched(&mut memories).await;
        memories.retain(|memory| memory.slot().is_none());
        memories
    }
}

impl fmt::Debug for Shelved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelved").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Returns the memories that go with a commit.
fn leaving(commit: &Commit) -> HashSet<MemoryId> {
    let leaving = |change: &Change| match change {
        Change::Forget { id, .. } | Change::Reject { id, .. } => Some(id.clone()),
        Change::Create { .. } | Change::Update { .. } | Change::Embed { .. } => None,
    };
    commit.changes.iter().filter_map(leaving).collect()
}

/// Says which shelf it was.
fn told(name: &Identifier, error: Error) -> Error {
    error.with("shelf", name.as_str())
}
