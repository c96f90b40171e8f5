//! The values that govern an engine; where they come from is the binary's business.

use jiff::SignedDuration;
use jiff::tz::TimeZone;

/// Governs an engine.
#[derive(Debug, Clone)]
pub struct Config {
    /// How much of anything is accepted.
    pub limits: Limits,
    /// How long memories live.
    pub expiry: Expiry,
    /// What stands where a secret stood.
    pub secret_replacement: String,
    /// Whether a text with a secret is refused, in place of being kept without it.
    pub fail_on_secret: bool,
    /// How many turns a context window holds; a turn is a question and its answer.
    pub window_turns: usize,
}

/// How much of anything is accepted.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of one memory's text.
    pub content_bytes: usize,
    /// Bytes of one memory's metadata, written as JSON.
    pub metadata_bytes: usize,
    /// How deep metadata may nest.
    pub metadata_depth: usize,
    /// Tags of one memory.
    pub tags: usize,
    /// Memories that one memory is derived from.
    pub derived_from: usize,
    /// Bytes of a query.
    pub query_bytes: usize,
    /// Memories in one request.
    pub batch: usize,
    /// Hits of one search.
    pub search_results: usize,
    /// Memories on one page.
    pub page: usize,
}

/// How long memories live.
#[derive(Debug, Clone)]
pub struct Expiry {
    /// In whose evening a day's context ends, and from whose today "yesterday" is meant.
    pub time_zone: TimeZone,
    /// How long an episode lives.
    pub episode: SignedDuration,
    /// The longest an episode may live.
    pub episode_at_most: SignedDuration,
    /// What is too much to have ended at once, so that the clock may be wrong.
    pub held: Held,
}

/// What is too much to have ended at once: then nothing is removed until somebody agrees.
#[derive(Debug, Clone)]
pub struct Held {
    /// More than this share of all memories, from 0 to 1, if it is at least `count`.
    pub share: f64,
    /// How many memories at least make a share count.
    pub count: usize,
    /// How long ago the end of any one was; what is swept regularly has ended lately.
    pub overdue: SignedDuration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            expiry: Expiry::default(),
            secret_replacement: "[SECRET_REDACTED]".to_owned(),
            fail_on_secret: false,
            window_turns: 5,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            content_bytes: 256 * 1024,
            metadata_bytes: 64 * 1024,
            metadata_depth: 32,
            tags: 64,
            derived_from: 1_000,
            query_bytes: 16 * 1024,
            batch: 10_000,
            search_results: 1_000,
            page: 100,
        }
    }
}

impl Default for Expiry {
    fn default() -> Self {
        let days = |count: i64| SignedDuration::from_hours(24 * count);
        Self {
            time_zone: TimeZone::UTC,
            episode: days(90),
            episode_at_most: days(365),
            held: Held { share: 0.2, count: 100, overdue: days(30) },
        }
    }
}
