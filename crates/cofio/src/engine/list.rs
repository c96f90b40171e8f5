use sha2::{Digest as _, Sha256};

use super::Engine;
use crate::error::{Error, Result};
use crate::model::{Caller, Filter, Memory, MemoryId, Scope, Timestamp};
use crate::retrieval::Selection;
use crate::store::{Order, Page, Position};
use crate::text::hex;

/// Which part of which list somebody wants.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Among which memories.
    pub selection: Selection,
    /// In which order.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl ListRequest {
    /// Asks for the fifty newest.
    pub fn new(selection: Selection) -> Self {
        Self { selection, order: Order::Newest, limit: 50, cursor: None }
    }
}

/// One page of a list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The memories of this page.
    pub memories: Vec<Memory>,
    /// How many there are in all.
    pub total: u64,
    /// Those that would be on this page if a shelf had not lost their texts.
    pub lost: Vec<MemoryId>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
    /// The scopes that were listed.
    pub scopes: Vec<Scope>,
}

impl Engine {
    /// Returns a memory by its id.
    pub async fn get(&self, caller: &Caller, id: &MemoryId) -> Result<Memory> {
        let now = self.now();
        let memory = self.load(caller, id, now).await.map_err(|error| error.during("get"))?;
        self.observe(caller, now, "get", std::slice::from_ref(&memory));
        Ok(memory)
    }

    /// Returns memories page by page; what others write meanwhile moves nothing.
    pub async fn list(&self, caller: &Caller, request: &ListRequest) -> Result<Listed> {
        self.page(caller, request).await.map_err(|error| error.during("list"))
    }

    /// Returns everything that a selection means, the newest first, without what a shelf has lost.
    pub async fn list_all(&self, caller: &Caller, selection: &Selection) -> Result<Vec<Memory>> {
        let now = self.now();
        let all = async { self.all(&super::filter(caller, selection, now)?).await };
        let memories = all.await.map_err(|error| error.during("list"))?;
        self.observe_passing(caller, now, "list", memories.len() as u64);
        Ok(memories)
    }

    async fn page(&self, caller: &Caller, request: &ListRequest) -> Result<Listed> {
        let most = self.config.limits.page;
        if request.limit == 0 || request.limit > most {
            return Err(Error::invalid(format!("a page has 1 to {most} memories")));
        }
        let now = self.now();
        let filter = super::filter(caller, &request.selection, now)?;
        let seal = seal(caller, &filter, request.order);
        let after =
            request.cursor.as_deref().map(|cursor| open_cursor(cursor, &seal)).transpose()?;
        let page = Page { limit: request.limit, order: request.order, after, counted: true };
        let listing = self.store.list(&filter, &page).await?;
        let last = listing.memories.last().filter(|_| listing.more);
        let next_cursor = last.map(|memory| cursor(&page.order.position(memory), &seal));
        self.observe_passing(caller, now, "list", listing.memories.len() as u64);
        Ok(Listed {
            memories: listing.memories,
            total: listing.total,
            lost: listing.lost,
            next_cursor,
            scopes: filter.scopes,
        })
    }
}

/// Returns what ties a cursor to its caller and its list.
fn seal(caller: &Caller, filter: &Filter, order: Order) -> String {
    // The moment of asking differs from page to page.
    let timeless = Filter { now: Timestamp::UNIX_EPOCH, ..filter.clone() };
    let list = format!("{} {timeless:?} {order:?}", caller.actor());
    hex(&Sha256::digest(list)[..6])
}

fn cursor(position: &Position, seal: &str) -> String {
    format!("{seal}.{}.{}", position.key, position.id)
}

fn open_cursor(cursor: &str, seal: &str) -> Result<Position> {
    let parsed = || {
        let mut parts = cursor.splitn(3, '.');
        let matches = parts.next()? == seal;
        let key = parts.next()?.parse().ok()?;
        let id = parts.next()?.parse().ok()?;
        matches.then_some(Position { key, id })
    };
    parsed().ok_or_else(|| {
        Error::invalid("this cursor does not belong to this list; start again without one")
    })
}
