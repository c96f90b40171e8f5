use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use cofio::Engine;
use cofio::model::Identifier;
use tokio::sync::watch;
use tokio::time;

use crate::http::failure::{Failure, Outcome};
use crate::http::limits::Limits;

/// How often somebody looks for new changes as long as there are streams.
const TICK: Duration = Duration::from_millis(250);

/// When to come back if there is no room for another stream.
const PAUSE: Duration = Duration::from_secs(5);

/// The streams that are open, and what tells them of changes; copies share everything.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    open: Arc<Mutex<Open>>,
    in_all: usize,
    per_caller: usize,
}

#[derive(Debug, Default)]
struct Open {
    seats: HashMap<Identifier, usize>,
    ticks: Option<watch::Sender<u64>>,
}

/// A place among the open streams, which is free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    streams: Streams,
    caller: Identifier,
}

impl Streams {
    pub(in crate::http) fn new(limits: &Limits) -> Self {
        let (in_all, per_caller) = (limits.streams, limits.streams_per_caller);
        Self { open: Arc::default(), in_all, per_caller }
    }

    /// Returns how many are open.
    pub(in crate::http) fn count(&self) -> usize {
        self.open().seats.values().sum()
    }

    /// Takes a place for one more stream of a caller, if there is one.
    pub(super) fn seat(&self, caller: &Identifier) -> Outcome<Seat> {
        let busy = |message| Failure::busy(StatusCode::SERVICE_UNAVAILABLE, message, PAUSE);
        let mut open = self.open();
        if open.seats.values().sum::<usize>() >= self.in_all {
            return Err(busy("too many streams are open; try again later"));
        }
        if open.seats.get(caller).is_some_and(|own| *own >= self.per_caller) {
            return Err(busy("too many streams of this caller are open; close one first"));
        }
        *open.seats.entry(caller.clone()).or_default() += 1;
        Ok(Seat { streams: self.clone(), caller: caller.clone() })
    }

    /// Returns what tells of the last place in the sequence of changes, whosever it is.
    pub(super) fn ticks(&self, engine: &Engine, last: u64) -> watch::Receiver<u64> {
        let mut open = self.open();
        if let Some(ticks) = &open.ticks {
            return ticks.subscribe();
        }
        let (sender, ticks) = watch::channel(last);
        open.ticks = Some(sender.clone());
        tokio::spawn(self.clone().keep_looking(engine.clone(), sender));
        ticks
    }

    /// Looks for new changes until nobody wants to know.
    async fn keep_looking(self, engine: Engine, ticks: watch::Sender<u64>) {
        while self.is_wanted(&ticks) {
            // A store that cannot be read for a moment has nothing new to tell.
            let looked = engine.last_change().await;
            if let Ok(last) = looked {
                ticks.send_if_modified(|known| {
                    let newer = last > *known;
                    *known = last.max(*known);
                    newer
                });
            }
            tokio::select! {
                // Nor is it looked at any sooner for having been told of something.
                () = engine.stirred(looked.unwrap_or(u64::MAX)) => {}
                () = time::sleep(TICK) => {}
                () = ticks.closed() => {}
            }
        }
    }

    /// Returns whether somebody wants to be told; if not, whoever comes next starts anew.
    fn is_wanted(&self, ticks: &watch::Sender<u64>) -> bool {
        let mut open = self.open();
        let wanted = ticks.receiver_count() > 0;
        if !wanted {
            open.ticks = None;
        }
        wanted
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        if let Some(own) = open.seats.get_mut(&self.caller) {
            *own -= 1;
            if *own == 0 {
                open.seats.remove(&self.caller);
            }
        }
    }
}
