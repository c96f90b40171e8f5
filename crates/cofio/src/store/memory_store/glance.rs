//! What a search sees of a memory at a glance, so that thousands are seen in the time that it takes
//! to read a few.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::kept::Kept;
use crate::model::{Criteria, Filter, Memory, Place, State, Timestamp, Turn};
use crate::store::vectors::Half;

/// What a search sees of a memory.
pub(super) struct Glance {
    /// How ranking sees it, as far as that does not depend on what is asked.
    pub turn: Turn,
    state: State,
    expires_at: Option<Timestamp>,
    /// The model that its vectors are of, by its place among those of the scope.
    pub model: Option<usize>,
    /// The numbers of its vectors, one after the other.
    pub vectors: Arc<[Half]>,
}

impl Glance {
    pub fn of(kept: &Kept, model: Option<usize>) -> Self {
        let memory = &kept.memory;
        let turn = Turn {
            place: Place(kept.number),
            scope: 0,
            session: memory.conversation().map(key),
            author: memory.author().map(key),
            kind: memory.kind,
            trust: memory.source.trust(),
            assistant: memory.said_by_assistant(),
            question: kept.analysed.question,
            instructs: memory.instructs,
            length: kept.analysed.length(),
            event_at: memory.event_at.as_microsecond(),
            cosine: None,
            named: 0,
        };
        let Memory { state, expires_at, .. } = *memory;
        Self { turn, state, expires_at, model, vectors: kept.vectors.numbers() }
    }
}

/// Tells one name from the others.
pub(super) fn key(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Decides which memories of the scopes that are asked a filter means.
pub(super) struct Sieve<'a> {
    filter: &'a Filter,
    /// Whether a glance tells it.
    plain: bool,
}

impl<'a> Sieve<'a> {
    pub fn of(filter: &'a Filter) -> Self {
        let asked = &filter.criteria;
        let plain = Criteria {
            kinds: asked.kinds.clone(),
            states: asked.states.clone(),
            minimum_trust: asked.minimum_trust,
            ..Criteria::default()
        };
        Self { filter, plain: plain == *asked }
    }

    /// Returns whether a memory is meant.
    pub fn lets_pass(&self, kept: &Kept, glance: &Glance) -> bool {
        if !self.plain {
            return kept.meant(self.filter).is_some();
        }
        let Criteria { kinds, states, minimum_trust, .. } = &self.filter.criteria;
        glance.expires_at.is_none_or(|end| self.filter.now < end)
            && states.contains(&glance.state)
            && (kinds.is_empty() || kinds.contains(&glance.turn.kind))
            && glance.turn.trust >= *minimum_trust
    }
}
