//! A shelf whose server may be slow, busy or gone.
//!
//! Every call has a time, is made again where that can help, which is always safe on a shelf, and is
//! not made at all while the server is left alone. Large calls are made in portions, so that one
//! failure does not begin all of it anew.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{
    Abilities, Component, Content, Embedded, Health, Sampled, Shelf, Slot, Status, Within,
};
use cofio::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::breaker::{Breaker, Ticket};
pub use crate::breaker::{Circuit, Limits};
use crate::retry::{Again, Failure, Retry};
use crate::timer::Timer;

/// With how much patience a shelf is asked.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the shelf is called in messages, such as `redis`.
    pub name: String,
    /// How long one attempt at one portion may take.
    pub timeout: Duration,
    /// How many slots a portion has at most.
    pub portion: usize,
    /// When to try again what changes something; its deadline follows from the rest.
    pub retry: Retry,
    /// When to try again what is read or removed, for which somebody waits; its deadline follows too.
    pub reading_retry: Retry,
    /// When to leave the server alone.
    pub limits: Limits,
}

impl Options {
    /// Takes the name of the shelf.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            timeout: Duration::from_secs(10),
            portion: 500,
            retry: Retry::default(),
            reading_retry: Retry {
                retries: 1,
                first_delay: Duration::from_millis(100),
                ..Retry::default()
            },
            limits: Limits::default(),
        }
    }
}

/// What came of asking a shelf so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many portions were asked for.
    pub calls: u64,
    /// How many failed in the end.
    pub failures: u64,
    /// How often something was tried again.
    pub retries: u64,
    /// How often there was no answer in time.
    pub timeouts: u64,
    /// How often the server was not asked because it is left alone.
    pub refusals: u64,
    /// How often failures were too many.
    pub opened: u64,
}

/// A shelf that is asked with care.
pub struct Guarded {
    shelf: Arc<dyn Shelf>,
    options: Options,
    timer: Timer,
    start: Instant,
    breaker: Mutex<Breaker>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    failures: AtomicU64,
    retries: AtomicU64,
    timeouts: AtomicU64,
    refusals: AtomicU64,
}

impl Guarded {
    /// Guards a shelf.
    pub fn new(shelf: Arc<dyn Shelf>, options: Options) -> Result<Self> {
        let breaker = Mutex::new(Breaker::new(options.limits.clone()));
        let (timer, start) = (Timer::start()?, Instant::now());
        let Options { timeout, ref retry, ref reading_retry, .. } = options;
        let options = Options {
            retry: retry.clone().with_time_for(timeout),
            reading_retry: reading_retry.clone().with_time_for(timeout),
            ..options
        };
        Ok(Self { shelf, options, timer, start, breaker, counters: Counters::default() })
    }

    /// Returns what came of it so far.
    pub fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { calls, failures, retries, timeouts, refusals } = &self.counters;
        Counts {
            calls: read(calls),
            failures: read(failures),
            retries: read(retries),
            timeouts: read(timeouts),
            refusals: read(refusals),
            opened: self.breaker().opened(),
        }
    }

    /// Returns whether the server is asked at the moment.
    pub fn circuit(&self) -> Circuit {
        self.breaker().circuit()
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().expect("nothing panics while it holds the lock")
    }

    /// Asks until there is an answer, or none that is worth waiting for.
    async fn ask<T, F: Future<Output = Result<T>> + Send>(
        &self,
        retry: &Retry,
        what: &'static str,
        ask: impl Fn() -> F,
    ) -> Result<T> {
        count(&self.counters.calls);
        let mut attempts = retry.attempts();
        loop {
            let failure = match self.attempt(ask()).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            match attempts.after(failure) {
                Ok((delay, _)) => self.timer.sleep(delay).await,
                Err(error) => {
                    count(&self.counters.failures);
                    return Err(error.during(what));
                }
            }
            count(&self.counters.retries);
        }
    }

    /// Asks once, unless the server is left alone.
    async fn attempt<T>(
        &self,
        call: impl Future<Output = Result<T>> + Send,
    ) -> std::result::Result<T, Failure> {
        let ticket = self.breaker().admit(self.start.elapsed());
        let pass = match ticket {
            Ok(ticket) => Pass { breaker: &self.breaker, ticket: Some(ticket) },
            Err(rest) => {
                count(&self.counters.refusals);
                return Err(Failure::lasting(self.left_alone(rest)));
            }
        };
        // However late it begins, it has its whole time.
        let answer = self.timer.within(self.options.timeout, call).await;
        let answer = answer.unwrap_or_else(|| {
            count(&self.counters.timeouts);
            Err(self.too_slow())
        });
        match answer {
            Ok(answer) => {
                pass.succeed();
                Ok(answer)
            }
            Err(error) if error.kind().retryable() => {
                pass.fail(self.start.elapsed());
                let asked = error.details().get("retryAfterSeconds").and_then(Value::as_u64);
                Err(Failure { error, again: Again::Later(asked.map(Duration::from_secs)) })
            }
            // A server that refuses answers.
            Err(error) => {
                pass.succeed();
                Err(Failure::lasting(error))
            }
        }
    }

    /// Says whether the server is asked as usual.
    fn asked_as_usual(&self) -> Component {
        let (circuit, rest) = {
            let breaker = self.breaker();
            (breaker.circuit(), breaker.rest(self.start.elapsed()))
        };
        let (status, message) = match circuit {
            Circuit::Closed => (Status::Healthy, "it is asked as usual".to_owned()),
            Circuit::Open if rest.is_zero() => {
                (Status::Degraded, "it failed too often; the next call tries it again".to_owned())
            }
            Circuit::Open => {
                let message = format!(
                    "it failed {} times in a row and is left alone for {} s more",
                    self.options.limits.failures,
                    rest.as_secs() + 1
                );
                (Status::Degraded, message)
            }
            Circuit::HalfOpen => {
                (Status::Degraded, "it failed too often; one call tries it now".to_owned())
            }
        };
        Component { name: "calls", status, message }
    }

    fn left_alone(&self, rest: Duration) -> Error {
        let Options { name, limits, .. } = &self.options;
        let message = format!(
            "{name} failed {} times in a row and is left alone for {} s more",
            limits.failures,
            rest.as_secs() + 1
        );
        Error::new(ErrorKind::Provider, message).with("retryAfterSeconds", rest.as_secs() + 1)
    }

    fn too_slow(&self) -> Error {
        let Options { name, timeout, .. } = &self.options;
        let message = format!("{name} did not answer within {} ms", timeout.as_millis());
        Error::new(ErrorKind::Provider, message)
    }

    fn portions<'a, T>(&self, all: &'a [T]) -> impl Iterator<Item = &'a [T]> + Send
    where
        T: Sync,
    {
        all.chunks(self.options.portion.max(1))
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").field("options", &self.options).finish_non_exhaustive()
    }
}

/// How a call went that was let through; if nobody says, it was abandoned.
struct Pass<'a> {
    breaker: &'a Mutex<Breaker>,
    ticket: Option<Ticket>,
}

impl Pass<'_> {
    fn succeed(mut self) {
        self.tell(Breaker::succeed);
    }

    fn fail(mut self, now: Duration) {
        self.tell(|breaker, ticket| breaker.fail(ticket, now));
    }

    fn tell(&mut self, how: impl FnOnce(&mut Breaker, Ticket)) {
        if let Some(ticket) = self.ticket.take() {
            how(&mut self.breaker.lock().expect("nothing panics while it holds the lock"), ticket);
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.tell(Breaker::abandon);
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[async_trait]
impl Shelf for Guarded {
    fn abilities(&self) -> Abilities {
        self.shelf.abilities()
    }

    async fn put(&self, contents: &[Content]) -> Result<()> {
        for portion in self.portions(contents) {
            self.ask(&self.options.retry, "shelf.put", || self.shelf.put(portion)).await?;
        }
        Ok(())
    }

    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        let mut texts = Vec::with_capacity(slots.len());
        for portion in self.portions(slots) {
            let get = || self.shelf.get(portion);
            texts.extend(self.ask(&self.options.reading_retry, "shelf.get", get).await?);
        }
        Ok(texts)
    }

    async fn remove(&self, slots: &[Slot]) -> Result<()> {
        for portion in self.portions(slots) {
            // Somebody waits, and what cannot be removed now is removed when somebody tidies up.
            let remove = || self.shelf.remove(portion);
            self.ask(&self.options.reading_retry, "shelf.remove", remove).await?;
        }
        Ok(())
    }

    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        let slots = || self.shelf.slots(scope, after, limit);
        self.ask(&self.options.retry, "shelf.slots", slots).await
    }

    async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()> {
        for portion in self.portions(embedded) {
            let put = || self.shelf.put_vectors(model, portion);
            self.ask(&self.options.retry, "shelf.put_vectors", put).await?;
        }
        Ok(())
    }

    async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        let mut vectors = Vec::with_capacity(slots.len());
        for portion in self.portions(slots) {
            let read = || self.shelf.vectors(model, portion);
            vectors.extend(self.ask(&self.options.reading_retry, "shelf.vectors", read).await?);
        }
        Ok(vectors)
    }

    async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()> {
        for portion in self.portions(slots) {
            let remove = || self.shelf.remove_vectors(model, portion);
            self.ask(&self.options.retry, "shelf.remove_vectors", remove).await?;
        }
        Ok(())
    }

    async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        let nearest = || self.shelf.nearest(meaning, within, limit);
        self.ask(&self.options.reading_retry, "shelf.nearest", nearest).await
    }

    async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        let mut cosines = Vec::with_capacity(slots.len());
        for portion in self.portions(slots) {
            let compare = || self.shelf.cosines(meaning, portion);
            cosines.extend(self.ask(&self.options.reading_retry, "shelf.cosines", compare).await?);
        }
        Ok(cosines)
    }

    async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        let sample = || self.shelf.sample(meaning, scopes, limit);
        self.ask(&self.options.reading_retry, "shelf.sample", sample).await
    }

    /// Asks once, whether or not the server is left alone, and says whether it is.
    async fn health(&self) -> Result<Health> {
        let answer = self.timer.within(self.options.timeout, self.shelf.health()).await;
        let health = answer.unwrap_or_else(|| Err(self.too_slow()))?;
        let Health { latency, version, mut components, .. } = health;
        components.push(self.asked_as_usual());
        Ok(Health::new(latency, version, components))
    }
}
