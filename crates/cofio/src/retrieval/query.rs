use super::merge::Hit;
use crate::model::{Criteria, Identifiers, Layer, Scope};

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
#[derive(Debug, Clone)]
pub struct Query {
    /// Among which memories.
    pub selection: Selection,
    /// The question.
    pub text: String,
    /// By which evidence.
    pub mode: Mode,
    /// How results of several layers are put together.
    pub merge: Merge,
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
            merge: Merge::Fused,
            limit: 10,
            limit_per_layer: None,
        }
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
    /// The scopes that were searched.
    pub searched: Vec<Scope>,
}
