use serde_json::{Map, Value};

use super::{Identifier, Kind, Scope, SourceType, State, Timestamp, Trust};

/// Which memories are meant: those in one of the scopes that meet every criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Whose they are; none means no memory at all.
    pub scopes: Vec<Scope>,
    /// The moment by which expiry is judged.
    pub now: Timestamp,
    /// What else must hold.
    pub criteria: Criteria,
}

impl Filter {
    /// Means every active memory in the scopes.
    pub fn new(scopes: Vec<Scope>, now: Timestamp) -> Self {
        Self { scopes, now, criteria: Criteria::default() }
    }
}

/// What must hold of a memory, whosever it is; by default that it is active.
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria {
    /// What it is; none means any kind.
    pub kinds: Vec<Kind>,
    /// Where it is in its life.
    pub states: Vec<State>,
    /// Labels of which it has at least one; none means any.
    pub tags: Vec<String>,
    /// What kind of event produced it.
    pub source_type: Option<SourceType>,
    /// Whether it stands for a document.
    pub has_knowledge_pointer: Option<bool>,
    /// Custom fields and the values they have.
    pub custom: Map<String, Value>,
    /// When it happened.
    pub time: TimeRange,
    /// The least it is to be trusted.
    pub minimum_trust: Trust,
    /// The conversation it does not come from.
    pub excluded_session: Option<Identifier>,
    /// The parts of a statement.
    pub triple: TriplePattern,
    /// The key it is kept under.
    pub key: Option<String>,
}

impl Default for Criteria {
    fn default() -> Self {
        Self {
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
}

/// A span of time, both ends included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// Not before.
    pub from: Option<Timestamp>,
    /// Not after.
    pub to: Option<Timestamp>,
}

/// The parts of a statement that are known; all parts unknown means any memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriplePattern {
    /// What kind of statement.
    pub fact_type: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// What is said of it.
    pub predicate: Option<String>,
    /// With respect to what.
    pub object: Option<String>,
}

/// What a search knows about the memories it wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cues {
    /// Terms, as [`crate::text::query_terms`] makes them.
    pub terms: Vec<String>,
    /// Names of entities, as [`crate::text::fold`] makes them.
    pub names: Vec<String>,
}
