//! Reading what the store names, with the texts from their shelves.
//!
//! A text that is not there may have been taken off by whoever forgot it a moment ago. So the store
//! is asked again: what it still names is lost, as nothing comes back to a slot.

use std::collections::HashSet;
use std::mem;

use jiff::SignedDuration;

use super::Shelved;
use super::together::Waiting;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Access, CleanText, Filter, Memory, MemoryId, Portion, Slot, Timestamp};
use crate::store::{Listing, Page};

/// How often something is read again because texts went meanwhile.
pub(super) const ATTEMPTS: usize = 5;

/// By how much less than this clocks of a home and a shelf differ.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

impl Shelved {
    /// Returns the memories with these ids; fails if the text of one is lost.
    pub(super) async fn read_ids(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let read = || -> Waiting<'_, _> {
            Box::pin(async { Ok(listing(self.home.get(access, ids).await?)) })
        };
        self.whole_or_ended(self.settled(read).await?.memories)
    }

    /// Returns the versions of a memory; fails if the text of one is lost.
    pub(super) async fn read_versions(
        &self,
        access: &Access,
        id: &MemoryId,
    ) -> Result<Vec<Memory>> {
        let read = || -> Waiting<'_, _> {
            Box::pin(async { Ok(listing(self.home.history(access, id).await?)) })
        };
        self.whole_or_ended(self.settled(read).await?.memories)
    }

    /// Returns a page of a list; in the place of what is lost comes what follows.
    pub(super) async fn read_page(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        let (mut whole, mut next) = (Listing::default(), page.clone());
        loop {
            let read = || -> Waiting<'_, _> { Box::pin(self.home.list(filter, &next)) };
            let read = self.settled(read).await?;
            if next.counted {
                whole.total = read.total;
            }
            whole.more = read.more;
            let last = read.memories.last().map(|memory| page.order.position(memory));
            for memory in read.memories {
                self.enter(memory, filter, &mut whole);
            }
            let lacking = page.limit.saturating_sub(whole.memories.len());
            if !whole.more || lacking == 0 || last.is_none() {
                return Ok(whole);
            }
            next = Page { limit: lacking, after: last, counted: false, ..next };
        }
    }

    /// Returns the first that wait for a stage, without those whose texts are lost.
    pub(super) async fn read_waiting(&self, portion: &Portion) -> Result<Vec<Memory>> {
        let (limit, mut larger) = (portion.limit, portion.clone());
        loop {
            let read = || -> Waiting<'_, _> {
                Box::pin(async { Ok(listing(self.home.first_waiting(&larger).await?)) })
            };
            let mut memories = self.settled(read).await?.memories;
            let all = memories.len();
            memories.retain(|memory| memory.slot().is_none());
            if memories.len() >= limit || all < larger.limit {
                memories.truncate(limit);
                return Ok(memories);
            }
            larger.limit = larger.limit.saturating_add(all - memories.len());
        }
    }

    /// Reads until every memory has its text, or names one that is lost.
    ///
    /// It fails if a shelf does not answer.
    async fn settled<'a>(
        &self,
        read: impl Fn() -> Waiting<'a, Result<Listing>> + Send + Sync,
    ) -> Result<Listing> {
        let mut absent = HashSet::<Slot>::new();
        for _ in 0..ATTEMPTS {
            let mut listing = read().await?;
            if let Some((_, error)) = self.fetched(&mut listing.memories).await.into_iter().next() {
                return Err(error);
            }
            let now = listing.memories.iter().filter_map(Memory::slot).collect();
            let before = mem::replace(&mut absent, now);
            if absent.is_subset(&before) {
                return Ok(listing);
            }
        }
        Err(restless())
    }

    /// Returns whether a text may be absent because the memory has ended.
    ///
    /// A shelf that ends texts by itself does so by its own clock.
    pub(super) fn may_have_ended(&self, memory: &Memory) -> bool {
        let standing = memory.content.standing();
        let shelf = standing.and_then(|standing| self.shelves.get(&standing.shelf));
        let ends_texts = shelf.is_some_and(|shelf| shelf.abilities().expiry);
        let early = if ends_texts { SKEW } else { SignedDuration::ZERO };
        let now = self.clock.now();
        memory.expires_at.is_some_and(|end| end.duration_since(now) <= early)
    }

    /// Fails if a text is lost; what has ended may be gone from its shelf already.
    fn whole_or_ended(&self, mut memories: Vec<Memory>) -> Result<Vec<Memory>> {
        for memory in memories.iter_mut().filter(|memory| memory.slot().is_some()) {
            if !self.may_have_ended(memory) {
                return Err(memory.lost_text());
            }
            memory.content = CleanText::default();
        }
        Ok(memories)
    }

    /// Puts a memory into a list, or notes that its text is lost.
    fn enter(&self, mut memory: Memory, filter: &Filter, listing: &mut Listing) {
        // Such lists have what has ended in them.
        let with_ended = filter.criteria.as_of.is_some() || filter.now == Timestamp::MIN;
        if memory.slot().is_none() {
            listing.memories.push(memory);
        } else if !self.may_have_ended(&memory) {
            listing.lost.push(memory.id);
        } else if with_ended {
            memory.content = CleanText::default();
            listing.memories.push(memory);
        }
        // Otherwise it is ending at this moment.
    }
}

/// Returns the error of what could not be read because texts were taken off all the time.
pub(super) fn restless() -> Error {
    Error::new(ErrorKind::Provider, "what was to be read was changed meanwhile, again and again")
}

fn listing(memories: Vec<Memory>) -> Listing {
    Listing { memories, ..Listing::default() }
}
