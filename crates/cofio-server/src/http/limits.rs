//! How much is taken from anybody before anything is done for them.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use cofio::ErrorKind;
use cofio::model::Identifier;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use tokio::time;

use super::failure::{Failure, Outcome};
use super::house::House;
use super::manner::Manner;
use super::progress::Progress;

/// How many more requests are answered at once.
const REMAINING: HeaderName = HeaderName::from_static("x-rate-limit-remaining");

/// In how many seconds as many as ever are.
const RESET: HeaderName = HeaderName::from_static("x-rate-limit-reset");

/// Above how many callers those are forgotten that have not asked lately.
const CALLERS: usize = 10_000;

/// How much is taken.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a body that brings many things at once.
    pub body_bytes: usize,
    /// Bytes of any other body.
    pub document_bytes: usize,
    /// Bytes of the bodies of all requests together, as far as they have arrived.
    pub bodies_bytes: usize,
    /// Requests that are answered at the same time.
    pub at_once: usize,
    /// Connections that are open at the same time.
    pub connections: usize,
    /// Requests of one key in a second; twice as many at once after a pause.
    pub rate: Option<NonZeroU32>,
    /// How long a request may take until its answer begins.
    pub patience: Duration,
    /// How long an answer may wait for somebody to read on, before the connection is closed.
    pub stall: Duration,
    /// Streams of changes that are open at the same time.
    pub streams: usize,
    /// Streams of one caller that are open at the same time.
    pub streams_per_caller: usize,
    /// Sessions of MCP that are open at the same time.
    pub sessions: usize,
    /// Sessions of one caller; whoever begins another one ends the one that was silent for longest.
    pub sessions_per_caller: usize,
    /// How long a session may be silent until it ends.
    pub session_silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 16 * 1024 * 1024,
            // A memory of the greatest usual size, however JSON writes it.
            document_bytes: 2 * 1024 * 1024,
            bodies_bytes: 64 * 1024 * 1024,
            at_once: 256,
            connections: 1_024,
            rate: NonZeroU32::new(500),
            patience: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            streams: 256,
            streams_per_caller: 32,
            sessions: 1_024,
            sessions_per_caller: 64,
            session_silence: Duration::from_secs(30 * 60),
        }
    }
}

/// Counts the requests of every key.
#[derive(Debug)]
pub(super) struct Rates {
    limiter: Option<Limiter>,
    clock: DefaultClock,
}

type Limiter = RateLimiter<
    Identifier,
    DefaultKeyedStateStore<Identifier>,
    DefaultClock,
    StateInformationMiddleware,
>;

/// How many requests of a key are left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    remaining: u32,
    reset: Duration,
}

impl Rates {
    pub(super) fn new(rate: Option<NonZeroU32>) -> Self {
        let limiter = rate.map(|rate| {
            let quota = Quota::per_second(rate).allow_burst(rate.saturating_mul(BURST));
            RateLimiter::keyed(quota).with_middleware()
        });
        Self { limiter, clock: DefaultClock::default() }
    }

    /// Counts one more request, unless there were too many, and returns how many are left.
    pub(super) fn count(&self, caller: &Identifier) -> (Option<Left>, Outcome<()>) {
        let Some(limiter) = &self.limiter else { return (None, Ok(())) };
        if limiter.len() > CALLERS {
            limiter.retain_recent();
        }
        match limiter.check_key(caller) {
            Ok(state) => (Some(Left::new(state.quota(), state.remaining_burst_capacity())), Ok(())),
            Err(until) => {
                let wait = until.wait_time_from(self.clock.now());
                let message = "this key asked too often; wait before asking again";
                let failure = Failure::busy(StatusCode::TOO_MANY_REQUESTS, message, wait);
                (Some(Left::new(until.quota(), 0)), Err(failure))
            }
        }
    }
}

/// How many seconds' worth of requests may come at once after a pause.
const BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

impl Left {
    fn new(quota: Quota, remaining: u32) -> Self {
        let used = quota.burst_size().get().saturating_sub(remaining);
        Self { remaining, reset: quota.replenish_interval().saturating_mul(used) }
    }

    /// Says it in the headers of an answer.
    pub(super) fn tell(self, response: &mut Response) {
        let seconds = self.reset.as_secs_f64().ceil();
        let headers = response.headers_mut();
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.extend(HeaderValue::from_str(&format!("{seconds:.0}")).ok().map(|at| (RESET, at)));
    }
}

/// Lets a request pass if there is room, and gives up on it if it takes too long.
pub(super) async fn keep_within(
    State(house): State<House>,
    request: Request,
    next: Next,
) -> Response {
    let manner = request.extensions().get::<Manner>().cloned().unwrap_or_default();
    let busy =
        |message| Failure::busy(StatusCode::SERVICE_UNAVAILABLE, message, Duration::from_secs(1));
    let Ok(_room) = house.room().try_acquire() else {
        return busy("too many requests are being answered; try again").answer(&manner);
    };
    let progress = Progress::default();
    let mut request = request.map(|body| progress.weigh(body, house.bodies()));
    request.extensions_mut().insert(progress.clone());
    let answered = time::timeout(house.limits().patience, next.run(request)).await;
    drop(progress.hand_over());
    match answered {
        Ok(_) if progress.was_turned_away() => {
            busy("too much is being sent at the same time; try again").answer(&manner)
        }
        Ok(response) => response,
        Err(_) => late(&progress).answer(&manner),
    }
}

/// Says what may have become of a request that nobody waits for any longer.
fn late(progress: &Progress) -> Failure {
    let again = Duration::from_secs(1);
    if !progress.is_whole() {
        let message = "the request did not come in time, and nothing was done";
        return Failure::busy(StatusCode::SERVICE_UNAVAILABLE, message, again);
    }
    if progress.is_repeatable() {
        let message = "the request took too long; it can be repeated";
        return Failure::busy(StatusCode::SERVICE_UNAVAILABLE, message, again);
    }
    let message = "the request took too long, and may have been done; look before you repeat it";
    Failure::new(StatusCode::GATEWAY_TIMEOUT, ErrorKind::Provider.code(), message)
}
