use std::collections::HashSet;

use cofio::engine::Changed;
use cofio::model::{ChangeKind, ChangeRecord, Identifier, Kind, Layer, State};
use cofio::{Error, Result, text};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a stream can tell.
pub(crate) const TYPES: [&str; 3] = ["query", "updates", "notifications"];

/// What a stream tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    /// Changes of memories that have some words.
    Query,
    /// Every change, with the memory.
    Updates,
    /// Every change, without the memory.
    Notifications,
}

/// Which changes somebody wants to be told, among those they may see.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Names that say whose they are.
    pub(super) names: Vec<(Layer, Identifier)>,
    /// Whose they are; none means anybody's.
    pub(super) layers: Vec<Layer>,
    /// What they are; none means any kind.
    pub(super) kinds: Vec<Kind>,
    /// Where they are in their life; none means anywhere.
    pub(super) states: Vec<State>,
    /// Whether memories are told too.
    pub(super) with_memories: bool,
    /// Words that a memory has, each with the terms that may stand for it.
    pub(super) words: Vec<Vec<String>>,
}

/// Reads a name.
pub(super) fn named((layer, name): (Layer, &str)) -> Result<(Layer, Identifier)> {
    Ok((layer, Identifier::new(name)?))
}

impl Wanted {
    /// Wants everything, or what has some words.
    pub(super) fn new(kind: Option<Type>, query: Option<&str>) -> Result<Self> {
        let kind = kind.unwrap_or(Type::Updates);
        let words = query.map(text::query_words).unwrap_or_default();
        if (kind == Type::Query) == words.is_empty() {
            return Err(Error::invalid("query, with a word in it, goes with type=query"));
        }
        Ok(Self {
            names: Vec::new(),
            layers: Vec::new(),
            kinds: Vec::new(),
            states: Vec::new(),
            with_memories: kind != Type::Notifications,
            words,
        })
    }

    /// Returns whether a change is wanted as far as it tells by itself.
    pub(super) fn admits(&self, record: &ChangeRecord) -> bool {
        let scope = &record.scope;
        let mut names = self.names.iter();
        let kind = record.id.kind();
        names.all(|(layer, name)| scope.identifiers().get(*layer) == Some(name))
            && (self.layers.is_empty() || self.layers.contains(&scope.layer()))
            && (self.kinds.is_empty() || kind.is_some_and(|kind| self.kinds.contains(&kind)))
    }

    /// Returns whether a change is wanted in the light of what the memory is by now.
    ///
    /// Of one that is gone nobody knows what it said, so whoever may have been told of it is told.
    pub(super) fn admits_memory(&self, changed: &Changed) -> bool {
        let Some(memory) = &changed.memory else {
            return self.words.is_empty() || changed.record.kind == ChangeKind::Deleted;
        };
        if !self.states.is_empty() && !self.states.contains(&memory.state) {
            return false;
        }
        if self.words.is_empty() {
            return true;
        }
        let terms: HashSet<String> =
            text::document_terms(&memory.searchable()).into_iter().collect();
        self.words.iter().all(|word| word.iter().any(|term| terms.contains(term)))
    }

    /// Returns whether memories have to be looked at.
    pub(super) fn needs_memories(&self) -> bool {
        self.with_memories || !self.words.is_empty() || !self.states.is_empty()
    }
}
