use std::fmt;

use jiff::tz::TimeZone;

use super::merge::Hit;
use crate::model::{Criteria, Identifier, Identifiers, Layer, Scope, Timestamp};

/// The least cosine of a hit found by vectors alone, if nothing is said.
pub const SEMANTIC_THRESHOLD: f64 = 0.7;

/// Which memories somebody means: whose, and what must hold of them.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The names at hand; together with `layers` they make the scopes.
    pub identifiers: Identifiers,
    /// The layers to look at; without any, all that the identifiers open.
    pub layers: Option<Vec<Layer>>,
    /// What else must hold.
    pub criteria: Criteria,
}

impl Selection {
    /// Means every active memory that the identifiers open.
    pub fn new(identifiers: Identifiers) -> Self {
        Self { identifiers, layers: None, criteria: Criteria::default() }
    }

    /// Means every memory that the identifiers open and that meets the criteria.
    pub fn with(identifiers: Identifiers, criteria: Criteria) -> Self {
        Self { identifiers, layers: None, criteria }
    }
}

/// A question to the memory.
#[derive(Clone)]
pub struct Query {
    /// Among which memories.
    pub selection: Selection,
    /// The question.
    pub text: String,
    /// By which evidence.
    pub mode: Mode,
    /// How pieces of evidence are put together.
    pub fusion: Fusion,
    /// How results of several layers are put together.
    pub merge: Merge,
    /// The least cosine of a memory whose meaning is known.
    ///
    /// Where nothing is said, vectors alone have to reach [`SEMANTIC_THRESHOLD`].
    pub threshold: Option<f64>,
    /// How much more what happened lately counts, from 0 to 1.
    pub recency: f64,
    /// The moment from which "yesterday" is meant; without one, that whose knowledge counts, or now.
    pub reference_time: Option<Timestamp>,
    /// Where days begin and end; without one, where the engine's do.
    pub time_zone: Option<TimeZone>,
    /// How many tokens all hits together may have, about.
    pub tokens: Option<usize>,
    /// How many hits at most.
    pub limit: usize,
    /// How many hits of one layer at most.
    pub limit_per_layer: Option<usize>,
}

impl Query {
    /// Asks for the ten best by all the evidence there is.
    pub fn new(selection: Selection, text: impl Into<String>) -> Self {
        Self {
            selection,
            text: text.into(),
            mode: Mode::Hybrid,
            fusion: Fusion::Weighted,
            merge: Merge::Fused,
            threshold: None,
            recency: 0.0,
            reference_time: None,
            time_zone: None,
            tokens: None,
            limit: 10,
            limit_per_layer: None,
        }
    }
}

impl Query {
    /// Returns the least cosine of a hit whose meaning is known.
    pub fn least_cosine(&self) -> Option<f64> {
        let default = (self.mode == Mode::Semantic).then_some(SEMANTIC_THRESHOLD);
        self.threshold.or(default)
    }
}

/// Shows the size of the question only: no secret was taken out of it yet.
impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("bytes", &self.text.len())
            .field("mode", &self.mode)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// By which evidence memories are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All there is.
    #[default]
    Hybrid,
    /// Vectors alone.
    Semantic,
    /// Words alone.
    Keyword,
}

/// How pieces of evidence are put together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Fusion {
    /// By how far each stands out.
    #[default]
    Weighted,
    /// By places in ranked lists alone (Cormack et al., 2009).
    Rrf,
}

/// How results of several layers are put together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Merge {
    /// The best first, whatever its layer.
    #[default]
    Fused,
    /// The most specific layer first.
    Precedence,
}

/// What the memory answers.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many memories were candidates before the limit.
    pub total: usize,
    /// How many hits did not fit into the tokens.
    pub left_out: usize,
    /// The scopes that were searched.
    pub searched: Vec<Scope>,
    /// How meaning took part.
    pub meaning: MeaningUsed,
    /// The shelves that did not answer: what stands there was not compared by its meaning, or is
    /// not among the hits.
    pub unavailable: Vec<Identifier>,
}

/// How the meaning of a question took part in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeaningUsed {
    /// It was not wanted.
    NotAsked,
    /// There is no embedder.
    NoEmbedder,
    /// The embedder failed, so words and names answered alone.
    Failed,
    /// It was compared with all memories but those that have no vector yet.
    Compared {
        /// How many have none yet.
        pending: u64,
    },
}
