use serde_json::{Map, Value};

use super::merge::Hit;
use crate::model::{
    Filter, Identifier, Identifiers, Kind, Layer, Scope, SourceType, State, TimeRange, Timestamp,
    TriplePattern, Trust,
};

/// Which memories somebody means: whose, of what kind, about when.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The names at hand; together with `layers` they make the scopes.
    pub identifiers: Identifiers,
    /// The layers to look at; without any, all that the identifiers open.
    pub layers: Option<Vec<Layer>>,
    /// What they are; none means any kind.
    pub kinds: Vec<Kind>,
    /// Where they are in their lives.
    pub states: Vec<State>,
    /// Labels of which they have at least one.
    pub tags: Vec<String>,
    /// What kind of event produced them.
    pub source_type: Option<SourceType>,
    /// Whether they stand for a document.
    pub has_knowledge_pointer: Option<bool>,
    /// Custom fields and the values they have.
    pub custom: Map<String, Value>,
    /// When they happened.
    pub time: TimeRange,
    /// The least they are to be trusted.
    pub minimum_trust: Trust,
    /// The conversation they do not come from.
    pub excluded_session: Option<Identifier>,
    /// The parts of a statement.
    pub triple: TriplePattern,
    /// The key they are kept under.
    pub key: Option<String>,
}

impl Selection {
    /// Means every active memory that the identifiers open.
    pub fn new(identifiers: Identifiers) -> Self {
        Self {
            identifiers,
            layers: None,
            kinds: Vec::new(),
            states: vec![State::Active],
            tags: Vec::new(),
            source_type: None,
            has_knowledge_pointer: None,
            custom: Map::new(),
            time: TimeRange::default(),
            minimum_trust: Trust::Low,
            excluded_session: None,
            triple: TriplePattern::default(),
            key: None,
        }
    }

    /// Returns the filter for scopes that a caller was found to open.
    pub(crate) fn filter(&self, scopes: Vec<Scope>, now: Timestamp) -> Filter {
        Filter {
            scopes,
            now,
            kinds: self.kinds.clone(),
            states: self.states.clone(),
            tags: self.tags.clone(),
            source_type: self.source_type,
            has_knowledge_pointer: self.has_knowledge_pointer,
            custom: self.custom.clone(),
            time: self.time,
            minimum_trust: self.minimum_trust,
            excluded_session: self.excluded_session.clone(),
            triple: self.triple.clone(),
            key: self.key.clone(),
        }
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
