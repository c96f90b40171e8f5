use std::collections::VecDeque;
use std::fmt;

use super::Engine;
use crate::bundle::{Record, Writer};
use crate::error::Result;
use crate::model::{Caller, Criteria, Filter, Memory, Right, Scope, State, Timestamp};
use crate::store::{Order, Page};

/// How many memories are read together.
const READ: usize = 100;

/// How many bytes a piece has, about.
const PIECE_BYTES: usize = 256 * 1024;

/// A bundle of everything that a caller opens, piece by piece.
///
/// A piece is made when it is asked for: whoever reads slowly holds nothing up, and no more than a
/// piece and the memories around it are held at a time.
pub struct Exporting {
    engine: Engine,
    caller: Caller,
    now: Timestamp,
    /// The scopes that are left, the next one last.
    scopes: Vec<Scope>,
    page: Page,
    read: VecDeque<Memory>,
    writer: Option<Writer>,
    memories: u64,
}

impl Engine {
    /// Begins a bundle of everything that the caller opens.
    pub async fn exporting(&self, caller: &Caller) -> Result<Exporting> {
        let begun = async {
            caller.require(Right::Read)?;
            let now = self.now();
            let scopes = self.stats(caller, None).await?.scopes.into_iter().rev();
            Ok(Exporting {
                engine: self.clone(),
                caller: caller.clone(),
                now,
                scopes: scopes.map(|summary| summary.scope).collect(),
                page: first_page(),
                read: VecDeque::new(),
                writer: Some(Writer::new(now)),
                memories: 0,
            })
        };
        begun.await.map_err(|error: crate::Error| error.during("export"))
    }
}

impl Exporting {
    /// Returns the next piece, or nothing after the last one.
    ///
    /// A bundle that an error ends has no last line, by which everybody knows it.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        self.piece().await.map_err(|error| error.during("export"))
    }

    /// Returns how many memories were written so far.
    pub fn memories(&self) -> u64 {
        self.memories
    }

    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        while writer.held() < PIECE_BYTES {
            let Some(memory) = self.memory().await? else {
                self.engine.observe_passing(&self.caller, self.now, "export", self.memories);
                return Ok(Some(writer.finish()));
            };
            writer.add(&self.with_history(memory).await?);
            self.memories += 1;
        }
        let piece = writer.take();
        self.writer = Some(writer);
        Ok(Some(piece))
    }

    /// Returns the next memory, or nothing after the last one.
    async fn memory(&mut self) -> Result<Option<Memory>> {
        while self.read.is_empty() {
            let Some(scope) = self.scopes.last() else { return Ok(None) };
            let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
            let filter = Filter { scopes: vec![scope.clone()], now: self.now, criteria };
            let listing = self.engine.store.list(&filter, &self.page).await?.whole()?;
            self.page.after =
                listing.memories.last().map(|memory| self.page.order.position(memory));
            self.read.extend(listing.memories);
            if !listing.more {
                self.scopes.pop();
                self.page = first_page();
            }
        }
        Ok(self.read.pop_front())
    }

    async fn with_history(&self, memory: Memory) -> Result<Record> {
        let history = match memory.version {
            1 => Vec::new(),
            _ => self.engine.store.history(self.caller.access(), &memory.id).await?,
        };
        Ok(Record { memory, history })
    }
}

fn first_page() -> Page {
    Page { limit: READ, order: Order::Newest, after: None, counted: false }
}

impl fmt::Debug for Exporting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporting").field("memories", &self.memories).finish_non_exhaustive()
    }
}
