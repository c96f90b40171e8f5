//! What all requests share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cofio::engine::Census;
use cofio::model::{Caller, Checkup, Right};
use cofio::{Engine, Result};
use tokio::sync::{Mutex, Semaphore};
use tokio::time;
use tokio_util::sync::CancellationToken;

use super::jobs::Jobs;
use super::limits::{Limits, Rates};
use super::log::Log;
use super::rounds;
use super::stream::Streams;
use super::visit::Visitor;
use crate::metrics::Metrics;
use crate::{Desk, Opened, Place};

/// How long a count of everything is good enough, as it goes through all of it, and what servers
/// say of themselves.
const FRESH: Duration = Duration::from_secs(10);

/// How long counting everything may take: half of what Prometheus waits.
const COUNTING: Duration = Duration::from_secs(5);

/// What all requests share; copies share everything.
#[derive(Debug, Clone)]
pub(crate) struct House(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    desk: Arc<Desk>,
    local: Option<Visitor>,
    limits: Limits,
    room: Semaphore,
    bodies: Arc<Semaphore>,
    rates: Rates,
    streams: Streams,
    metrics: Metrics,
    census: Lasting<Census>,
    checkups: Lasting<Arc<[Checkup]>>,
    log: Log,
    closing: CancellationToken,
    jobs: Arc<Jobs>,
}

/// Something that was found out at a moment, and is good enough for a while.
#[derive(Debug)]
struct Lasting<T> {
    found: std::sync::Mutex<Option<(Instant, T)>>,
    /// Held by whoever finds it out, as one is enough.
    finding: Mutex<()>,
}

impl House {
    /// Puts a house around a desk; `local` is who asks without a key as long as there are none.
    pub(super) fn new(
        desk: Arc<Desk>,
        local: Option<Visitor>,
        limits: Limits,
        log: Log,
        closing: CancellationToken,
        jobs: Arc<Jobs>,
    ) -> Self {
        let (room, rates) = (Semaphore::new(limits.at_once), Rates::new(limits.rate));
        // Whatever one request may send has to fit.
        let bodies = Arc::new(Semaphore::new(limits.bodies_bytes.max(limits.body_bytes)));
        let (metrics, census, checkups) = (Metrics::new(), Lasting::default(), Lasting::default());
        let streams = Streams::new(&limits);
        Self(Arc::new(Inner {
            desk,
            local,
            limits,
            room,
            bodies,
            rates,
            streams,
            metrics,
            census,
            checkups,
            log,
            closing,
            jobs,
        }))
    }

    /// Returns the engine, once it is open.
    pub(crate) async fn engine(&self) -> Result<&Engine> {
        self.0.desk.engine().await
    }

    /// Returns the engine and its model, once it is open.
    pub(super) async fn opened(&self) -> Result<&Opened> {
        self.0.desk.opened().await
    }

    /// Returns how much the store holds, or held some seconds ago, for whoever may know.
    ///
    /// Counting that takes too long goes on, and what came of it the last time is returned; nothing
    /// if there was none.
    pub(super) async fn census(&self, engine: &Engine, caller: &Caller) -> Result<Option<Census>> {
        caller.require(Right::Admin)?;
        let (house, engine, caller) = (self.clone(), engine.clone(), caller.clone());
        let count = async move { house.0.census.fresh_or(engine.census(&caller)).await.map(drop) };
        // Whatever came of it is looked up.
        let _ = time::timeout(COUNTING, tokio::spawn(count)).await;
        Ok(self.0.census.last())
    }

    /// Returns how everything is that memories are kept in, or was some seconds ago.
    pub(super) async fn checkups(&self, engine: &Engine) -> Arc<[Checkup]> {
        let looked = async { Ok(rounds::made(engine.health()).await.into()) };
        self.0.checkups.fresh_or(looked).await.unwrap_or_default()
    }

    /// Returns where whoever is at this machine reads and writes.
    pub(super) fn place(&self) -> &Place {
        self.0.desk.place()
    }

    /// Returns who asks without a key.
    pub(super) fn local(&self) -> Option<&Visitor> {
        self.0.local.as_ref()
    }

    /// Returns how much is taken.
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Returns the places for requests that are being answered.
    pub(super) fn room(&self) -> &Semaphore {
        &self.0.room
    }

    /// Returns the room for bodies, in bytes.
    pub(super) fn bodies(&self) -> &Arc<Semaphore> {
        &self.0.bodies
    }

    /// Returns who asked how often.
    pub(super) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    /// Returns the streams that are open.
    pub(crate) fn streams(&self) -> &Streams {
        &self.0.streams
    }

    /// Returns what is counted.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Returns where requests are written down.
    pub(super) fn log(&self) -> &Log {
        &self.0.log
    }

    /// Returns the work that goes on after its request was answered.
    pub(crate) fn jobs(&self) -> &Arc<Jobs> {
        &self.0.jobs
    }

    /// Is cancelled when the server is to end.
    pub(crate) fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }
}

impl<T> Default for Lasting<T> {
    fn default() -> Self {
        Self { found: std::sync::Mutex::default(), finding: Mutex::default() }
    }
}

impl<T: Clone> Lasting<T> {
    /// Returns what was found out a short while ago, or finds it out.
    async fn fresh_or(&self, find: impl Future<Output = Result<T>>) -> Result<T> {
        let _one = self.finding.lock().await;
        if let Some((at, found)) = &*self.found()
            && at.elapsed() < FRESH
        {
            return Ok(found.clone());
        }
        let found = find.await?;
        *self.found() = Some((Instant::now(), found.clone()));
        Ok(found)
    }

    /// Returns what was found out the last time, however long ago.
    fn last(&self) -> Option<T> {
        self.found().as_ref().map(|(_, found)| found.clone())
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Option<(Instant, T)>> {
        self.found.lock().expect("nothing panics while it holds the lock")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn what_takes_too_long_is_there_for_whoever_asks_next() {
        let lasting = Arc::new(Lasting::<u32>::default());
        let (finish, finished) = tokio::sync::oneshot::channel();
        let slow = Arc::clone(&lasting);
        let finding = tokio::spawn(async move {
            let find = async { Ok(finished.await.expect("it is finished")) };
            slow.fresh_or(find).await
        });
        assert_eq!(lasting.last(), None);
        finish.send(7).unwrap();
        assert_eq!(finding.await.unwrap().unwrap(), 7);
        let again = async { panic!("it is fresh") };
        assert_eq!(lasting.fresh_or(again).await.unwrap(), 7);
        assert_eq!(lasting.last(), Some(7));
    }
}
