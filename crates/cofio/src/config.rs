//! The values that govern an engine; where they come from is the binary's business.

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use crate::model::Layer;
use crate::model::names::names;

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
    /// How memories fade.
    pub decay: Decay,
    /// What becomes of conversations that are over.
    pub sessions: Sessions,
    /// When memories that say the same are brought together.
    pub merge: Merge,
    /// How much a job may change without anybody's word.
    pub guard: Guard,
}

/// When memories that say the same are brought together.
#[derive(Debug, Clone)]
pub struct Merge {
    /// How alike two memories are at least, from 0 to 1: by meaning where that is known, otherwise by
    /// their words.
    pub similarity: f64,
    /// How many facts a place has at least before anything is proposed.
    pub facts: usize,
    /// The layers where it is proposed.
    pub layers: Vec<Layer>,
}

/// How memories fade that nobody uses.
#[derive(Debug, Clone)]
pub struct Decay {
    /// By which formula.
    pub formula: Formula,
    /// How many times as fast as its own rate says; at 0 nothing fades.
    pub pace: f64,
    /// The strength, from 0 to 1, below which a memory is out of use.
    pub threshold: f64,
    /// How long a memory is out of use before it is put away.
    pub rest: SignedDuration,
    /// The layers where nothing fades.
    pub exempt: Vec<Layer>,
}

/// How strength follows from time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Formula {
    /// The confidence, less with every day since the memory was last read (Ebbinghaus, 1885).
    Ebbinghaus,
    /// The relevance, less with every day since the memory was learnt.
    Daily,
}

names!(Formula, "formula", Configuration, { Ebbinghaus => "ebbinghaus", Daily => "daily" });

/// What becomes of conversations that are over.
#[derive(Debug, Clone)]
pub struct Sessions {
    /// How long a conversation rests before it counts as over.
    pub idle: SignedDuration,
    /// How long its own memories stay after that; without one, until they are forgotten.
    pub retention: Option<SignedDuration>,
    /// The importance, from 0 to 1, from which its memories are taken to the user; without one,
    /// none is.
    pub promotion: Option<f64>,
}

/// How much a job may change in one place without anybody's word.
#[derive(Debug, Clone)]
pub struct Guard {
    /// At most this share of the memories that are there, from 0 to 1.
    pub share: f64,
    /// Or this many, whatever their share.
    pub count: usize,
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
            decay: Decay::default(),
            sessions: Sessions::default(),
            merge: Merge::default(),
            guard: Guard::default(),
        }
    }
}

impl Default for Decay {
    fn default() -> Self {
        let rest = SignedDuration::from_hours(24 * 30);
        let (formula, exempt) = (Formula::Ebbinghaus, Vec::new());
        Self { formula, pace: 1.0, threshold: 0.05, rest, exempt }
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Self { idle: SignedDuration::from_mins(30), retention: None, promotion: Some(0.7) }
    }
}

impl Default for Merge {
    fn default() -> Self {
        Self { similarity: 0.9, facts: 2, layers: Layer::ALL.to_vec() }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self { share: 0.3, count: 20 }
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
