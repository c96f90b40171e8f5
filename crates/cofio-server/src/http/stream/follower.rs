use std::convert::Infallible;
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::time::Duration;

use bytes::Bytes;
use cofio::Engine;
use cofio::engine::Changed;
use cofio::model::ChangeRecord;
use tokio::sync::{mpsc, watch};
use tokio::time::{self, Instant};

use super::KEEP_ALIVE;
use super::event::Event;
use super::wanted::Wanted;
use crate::http::admission;
use crate::http::house::House;
use crate::http::visit::{Visit, Visitor};

/// How many changes are looked through at a time.
const PIECE: usize = 256;

/// How many memories are at hand at a time; each may be large.
const AT_HAND: usize = 8;

/// How long a client waits before it comes back, in milliseconds.
const RETRY: u32 = 1_000;

/// How often somebody looks whether a reader may still read.
const CHECK: Duration = Duration::from_secs(2);

/// Tells one reader what happens, for as long as they may know and want to.
pub(super) struct Follower<E> {
    engine: Engine,
    house: House,
    visitor: Visitor,
    wanted: Wanted,
    /// Everything up to here was told, or is not for this reader.
    position: u64,
    ticks: watch::Receiver<u64>,
    /// When something was last told.
    told_at: Instant,
    event: PhantomData<fn() -> E>,
}

/// That a stream is over.
struct Over;

impl<E: Event> Follower<E> {
    pub(super) fn new(
        visit: &Visit,
        wanted: Wanted,
        position: u64,
        ticks: watch::Receiver<u64>,
    ) -> Self {
        Self {
            engine: visit.engine.clone(),
            house: visit.house.clone(),
            visitor: visit.visitor().clone(),
            wanted,
            position,
            ticks,
            told_at: Instant::now(),
            event: PhantomData,
        }
    }

    /// Tells until the server ends, the reader goes, or they may no longer read.
    pub(super) async fn run(mut self, out: mpsc::Sender<Bytes>) {
        let (house, visitor) = (self.house.clone(), self.visitor.clone());
        tokio::select! {
            () = house.closing().cancelled() => {}
            () = out.closed() => {}
            () = until_unwelcome(&house, &visitor) => {}
            // The store failed; whoever comes back goes on where this ends.
            Err(Over) = self.tell(&out) => {}
        }
    }

    async fn tell(&mut self, out: &mpsc::Sender<Bytes>) -> Result<Infallible, Over> {
        self.send(out, format!("retry: {RETRY}\nid: {}\n\n", self.position)).await?;
        loop {
            let last = *self.ticks.borrow_and_update();
            while self.position < last {
                self.tell_piece(out, last).await?;
                self.keep_alive(out).await?;
            }
            let due = self.told_at + KEEP_ALIVE;
            match time::timeout_at(due, self.ticks.changed()).await {
                Ok(changed) => changed.map_err(|_| Over)?,
                Err(_) => self.keep_alive(out).await?,
            }
        }
    }

    /// Tells the next few changes up to `last` or beyond.
    async fn tell_piece(&mut self, out: &mpsc::Sender<Bytes>, last: u64) -> Result<(), Over> {
        let caller = &self.visitor.caller;
        let records = self.engine.changes(caller, self.position, PIECE).await.map_err(|_| Over)?;
        // If there are no more, then what there is up to the last one is for others.
        let end = match records.last() {
            Some(record) if records.len() == PIECE => record.sequence,
            Some(record) => record.sequence.max(last),
            None => last,
        };
        let wanted: Vec<ChangeRecord> =
            records.into_iter().filter(|record| self.wanted.admits(record)).collect();
        for some in wanted.chunks(AT_HAND) {
            let told = self.told(some.to_vec()).await?;
            self.send(out, told).await?;
            self.position = some.last().map_or(self.position, |record| record.sequence);
        }
        self.position = end;
        Ok(())
    }

    /// Returns the events of some changes.
    async fn told(&self, records: Vec<ChangeRecord>) -> Result<String, Over> {
        let changed: Vec<Changed> = if self.wanted.needs_memories() {
            let followed = self.engine.follow(&self.visitor.caller, records).await;
            let mut followed = followed.map_err(|_| Over)?;
            followed.retain(|changed| self.wanted.admits_memory(changed));
            followed
        } else {
            records.into_iter().map(|record| Changed { record, memory: None }).collect()
        };
        let mut told = String::new();
        for mut one in changed {
            if !self.wanted.with_memories {
                one.memory = None;
            }
            let (sequence, kind) = (one.record.sequence, one.record.kind);
            let data = serde_json::to_string(&E::from(one)).map_err(|_| Over)?;
            // Writing to a string cannot fail.
            let _ = write!(told, "id: {sequence}\nevent: {kind}\ndata: {data}\n\n");
        }
        Ok(told)
    }

    /// Says that the stream is still there, if nothing else did for a while; and how far it is, so
    /// that whoever comes back need not be told again what was not for them.
    async fn keep_alive(&mut self, out: &mpsc::Sender<Bytes>) -> Result<(), Over> {
        if self.told_at.elapsed() < KEEP_ALIVE {
            return Ok(());
        }
        self.send(out, format!(": keep-alive\nid: {}\n\n", self.position)).await
    }

    /// Hands over a piece once the reader has taken the one before.
    async fn send(&mut self, out: &mpsc::Sender<Bytes>, piece: String) -> Result<(), Over> {
        if piece.is_empty() {
            return Ok(());
        }
        out.send(Bytes::from(piece)).await.map_err(|_| Over)?;
        self.told_at = Instant::now();
        Ok(())
    }
}

/// Waits until somebody would no longer be let in.
async fn until_unwelcome(house: &House, visitor: &Visitor) {
    while admission::admits_still(house, visitor).await {
        time::sleep(CHECK).await;
    }
}
