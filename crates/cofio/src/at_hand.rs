//! A store that also has in the process what is read all the time: the conversations that have
//! something in working memory.
//!
//! What is at hand is a copy of whole scopes, and every write is the other store's. A copy answers
//! only if the other store can say at once what has changed since ([`Store::news`]); what has
//! changed is read again first, so that nobody is shown what is no longer so.

mod known;
mod underway;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;

use self::known::{Known, Standing, State};
use self::underway::Underway;
use crate::error::Result;
use crate::model::{
    self, Access, CleanText, Commit, Criteria, Cues, Embedding, Evidence, Filter, Fingerprint,
    Kind, Layer, Memory, MemoryId, Outcome, PassageHash, PassageVector, Place, Reading, Scope,
    Survey, Timestamp,
};
use crate::store::{
    Chosen, Copied, Cued, Followed, Found, Inquiry, Listing, MemoryStore, Order, Page, Store,
    Surrounding,
};

/// How often what has changed is read again before the other store is asked instead.
const ATTEMPTS: usize = 3;

/// Of how many memories without vectors it is looked up after a search whether they have some now.
const DOUBTED: usize = 32;

/// A store, and what is at hand of it.
pub struct AtHand {
    home: Arc<dyn Store>,
    copies: MemoryStore,
    known: Mutex<Known>,
    which: Which,
}

/// Which scopes are at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Which {
    /// Those of these layers,
    pub layers: Vec<Layer>,
    /// in which a memory of one of these kinds was asked for,
    pub kinds: Vec<Kind>,
    /// and which have no more memories than this.
    pub memories: usize,
    /// How many at most; those that were used last stay.
    pub scopes: usize,
}

impl Default for Which {
    fn default() -> Self {
        let (layers, kinds) = (vec![Layer::Session], vec![Kind::Working]);
        Self { layers, kinds, memories: 2_000, scopes: 64 }
    }
}

impl AtHand {
    /// Has at hand what is asked for of a store.
    pub fn new(home: Arc<dyn Store>, which: Which) -> Self {
        Self { home, copies: MemoryStore::of_copies(), known: Mutex::default(), which }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("nothing panics while it holds the lock")
    }

    /// Answers from what is at hand, if all of it is as in the other store.
    async fn at_once<T>(
        &self,
        read: impl FnOnce(&mut Known, &MemoryStore) -> Option<T>,
    ) -> Option<T> {
        for _ in 0..ATTEMPTS {
            let (ids, era) = {
                let mut known = self.known();
                match known.follow(&*self.home, &self.copies) {
                    State::Current => return read(&mut known, &self.copies),
                    State::Stale(stale) => (stale, known.era()),
                    State::Unclear => return None,
                }
            };
            self.reread(Rereading { at_hand: self, ids, era }).await.ok()?;
        }
        None
    }

    /// Copies again what has changed.
    async fn reread(&self, rereading: Rereading<'_>) -> Result<()> {
        let memories = self.home.get(&Access::everything(), &rereading.ids).await?;
        let copies = self.copied(memories).await?;
        rereading.end(copies);
        Ok(())
    }

    /// Returns copies of memories, with their vectors where the other store has them.
    async fn copied(&self, memories: Vec<Memory>) -> Result<Vec<Copied>> {
        let mut wanted: HashMap<Fingerprint, Vec<PassageHash>> = HashMap::new();
        for memory in &memories {
            if let Embedding::Ready(model) = &memory.embedding {
                wanted.entry(model.clone()).or_default().extend(hashes(memory));
            }
        }
        let mut vectors: HashMap<(Fingerprint, PassageHash), Vec<f32>> = HashMap::new();
        for (model, hashes) in wanted {
            let known = self.home.known_vectors(&model, &hashes).await?;
            let known = hashes.into_iter().zip(known);
            vectors.extend(known.filter_map(|(hash, it)| Some(((model.clone(), hash), it?))));
        }
        let copy = |memory: Memory| {
            let vectors = of_passages(&memory, &vectors).unwrap_or_default();
            Copied::new(memory, &vectors)
        };
        Ok(memories.into_iter().map(copy).collect())
    }

    /// Takes scopes at hand of which that is worth it, and returns whether all of them are.
    async fn take(&self, scopes: &[Scope]) -> bool {
        for scope in scopes {
            let taken = self.which.layers.contains(&scope.layer()) && self.take_one(scope).await;
            if !taken {
                return false;
            }
        }
        true
    }

    async fn take_one(&self, scope: &Scope) -> bool {
        {
            let mut known = self.known();
            match known.standing(scope) {
                Some(Standing::Whole) => return true,
                Some(Standing::Coming(_)) => return false,
                Some(Standing::TooLarge(_)) | None => {}
            }
            if !known.begin(scope) {
                return false;
            }
        }
        let coming = Coming { at_hand: self, scope };
        match self.copy(scope).await {
            Ok(Some((copies, place))) => coming.end(copies, place),
            Ok(None) | Err(_) => false,
        }
    }

    /// Returns copies of all of a scope, and the place by which they are known; nothing if it is too
    /// large, or not all of it can be had.
    async fn copy(&self, scope: &Scope) -> Result<Option<(Vec<Copied>, u64)>> {
        let place = self.home.last_change().await?;
        if self.home.news(place).is_none() {
            return Ok(None);
        }
        // Nothing has ended long ago, and so nothing is left out.
        let filter = Filter {
            criteria: Criteria { states: model::State::ALL.to_vec(), ..Criteria::default() },
            ..Filter::new(vec![scope.clone()], Timestamp::MIN)
        };
        let page = Page { limit: 1, order: Order::Newest, after: None, counted: true };
        let total = self.home.list(&filter, &page).await?.total;
        if total > self.which.memories as u64 {
            self.known().refuse(scope);
            return Ok(None);
        }
        let mut found = self.home.find(&filter, self.which.memories, Box::new(Everything)).await?;
        if found.memories.len() as u64 != total {
            return Ok(None);
        }
        // What came first has the smaller number, there as here.
        found.memories.sort_by_key(|(place, _)| *place);
        let memories = found.memories.into_iter().map(|(_, memory)| memory).collect();
        Ok(Some((self.copied(memories).await?, place)))
    }

    /// Takes copies at hand, and lets go of scopes that become too large.
    fn hold(&self, known: &mut Known, copies: Vec<Copied>) {
        let scopes: HashSet<Scope> = copies.iter().map(|copy| copy.scope().clone()).collect();
        self.copies.hold(copies);
        for scope in scopes {
            if self.copies.count_in(&scope) > self.which.memories as u64 {
                known.refuse(&scope);
                self.copies.let_go_of(&scope);
            }
        }
    }

    fn is_worth_it(&self, memory: &Memory) -> bool {
        self.which.kinds.contains(&memory.kind) && self.which.layers.contains(&memory.scope.layer())
    }

    /// Takes at hand what a filter means, if that is worth it and possible.
    async fn taken(&self, filter: &Filter) -> bool {
        let Criteria { kinds, as_of, .. } = &filter.criteria;
        if as_of.is_some() || filter.scopes.is_empty() {
            return false;
        }
        let of_kind = kinds.iter().any(|kind| self.which.kinds.contains(kind));
        let all_kinds = kinds.is_empty() && self.which.kinds.len() == Kind::ALL.len();
        if of_kind || all_kinds {
            return self.take(&filter.scopes).await;
        }
        self.known().has_all(&filter.scopes)
    }
}

#[async_trait]
impl Surrounding for AtHand {
    fn inner(&self) -> &dyn Store {
        &*self.home
    }

    async fn commit_inside(&self, commit: Commit) -> Result<Vec<Outcome>> {
        let underway = Underway::begin(self, &commit);
        let outcomes = self.home.commit(commit).await?;
        underway.end(&outcomes);
        Ok(outcomes)
    }

    async fn get_inside(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let read = |known: &mut Known, copies: &MemoryStore| {
            let memories = copies.get_at_once(access, ids)?;
            for memory in &memories {
                known.use_one(&memory.scope);
            }
            Some(memories)
        };
        if let Some(memories) = self.at_once(read).await {
            return Ok(memories);
        }
        let memories = self.home.get(access, ids).await?;
        for memory in memories.iter().filter(|memory| self.is_worth_it(memory)) {
            self.take_one(&memory.scope).await;
        }
        Ok(memories)
    }

    async fn list_inside(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        if self.taken(filter).await {
            let read = |known: &mut Known, copies: &MemoryStore| {
                known.use_all(&filter.scopes).then(|| copies.list_at_once(filter, page))
            };
            if let Some(listing) = self.at_once(read).await {
                return Ok(listing);
            }
        }
        self.home.list(filter, page).await
    }

    async fn find_inside(
        &self,
        filter: &Filter,
        limit: usize,
        inquiry: Box<dyn Inquiry>,
    ) -> Result<Found> {
        let mut inquiry = Some(inquiry);
        if self.taken(filter).await {
            let read = |known: &mut Known, copies: &MemoryStore| {
                if !known.use_all(&filter.scopes) {
                    return None;
                }
                match copies.follow(filter, limit, inquiry.take()?) {
                    Followed::Found(found) => Some(found),
                    Followed::Chosen(places) => {
                        inquiry = Some(Box::new(Chosen(places)));
                        None
                    }
                    Followed::Lacking(lacking, resumed) => {
                        // They may have been embedded since.
                        known.doubt(lacking.into_iter().take(DOUBTED));
                        inquiry = Some(resumed);
                        None
                    }
                }
            };
            if let Some(found) = self.at_once(read).await {
                return Ok(found);
            }
        }
        let inquiry = inquiry.expect("an inquiry that came to its end was answered");
        self.home.find(filter, limit, inquiry).await
    }

    fn observe_inside(&self, reading: Reading) {
        self.copies.count(&reading);
        self.home.observe(reading);
    }
}

impl fmt::Debug for AtHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtHand").field("which", &self.which).finish_non_exhaustive()
    }
}

/// What is being read again; dropped, it is still to be.
struct Rereading<'a> {
    at_hand: &'a AtHand,
    ids: Vec<MemoryId>,
    /// When it began.
    era: u64,
}

impl Rereading<'_> {
    /// Puts copies in the places of those before.
    fn end(mut self, copies: Vec<Copied>) {
        // Nobody is to find neither.
        let mut known = self.at_hand.known();
        let mut gone = std::mem::take(&mut self.ids);
        gone.retain(|id| !copies.iter().any(|copy| copy.id() == id));
        self.at_hand.copies.let_go(&gone);
        // A scope that came since may know better.
        let is_newer = |copy: &Copied| known.has_since(copy.scope(), self.era);
        let copies = copies.into_iter().filter(is_newer).collect();
        self.at_hand.hold(&mut known, copies);
    }
}

impl Drop for Rereading<'_> {
    fn drop(&mut self) {
        let mut known = self.at_hand.known();
        known.reread();
        known.doubt(std::mem::take(&mut self.ids));
    }
}

/// A scope that is being copied; dropped, it is not at hand.
struct Coming<'a> {
    at_hand: &'a AtHand,
    scope: &'a Scope,
}

impl Coming<'_> {
    /// Puts copies in their places, and returns whether they are still wanted.
    fn end(self, copies: Vec<Copied>, place: u64) -> bool {
        let mut known = self.at_hand.known();
        let wanted = known.arrive(self.scope, place);
        if wanted {
            self.at_hand.copies.hold(copies);
            known.make_room(self.at_hand.which.scopes, &self.at_hand.copies);
        }
        wanted
    }
}

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        self.at_hand.known().give_up(self.scope);
    }
}

/// Asks for everything that a filter means.
struct Everything;

impl Inquiry for Everything {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _survey: &Survey) -> Cued {
        Cued::By(Cues { times: vec![(i64::MIN, i64::MAX)], ..Cues::default() })
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        evidence.turns.iter().map(|turn| turn.place).collect()
    }
}

fn hashes(memory: &Memory) -> Vec<PassageHash> {
    memory.passages().iter().map(CleanText::passage_hash).collect()
}

/// Returns the vectors of all passages of a memory, if they are known.
fn of_passages(
    memory: &Memory,
    known: &HashMap<(Fingerprint, PassageHash), Vec<f32>>,
) -> Option<Vec<PassageVector>> {
    let Embedding::Ready(model) = &memory.embedding else { return None };
    let vector = |hash: PassageHash| {
        let vector = known.get(&(model.clone(), hash))?.clone();
        Some(PassageVector { hash, vector })
    };
    hashes(memory).into_iter().map(vector).collect()
}
