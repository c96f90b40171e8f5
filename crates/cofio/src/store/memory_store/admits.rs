//! Which memories a filter means.

use crate::model::{Criteria, Filter, Memory, TimeRange, Timestamp, Triple, TriplePattern};
use crate::text::fold;

/// Returns whether a filter means a memory.
pub(super) fn admits(filter: &Filter, memory: &Memory) -> bool {
    filter.scopes.contains(&memory.scope)
        && !memory.expired(filter.now)
        && meets(memory, &filter.criteria)
}

fn meets(memory: &Memory, criteria: &Criteria) -> bool {
    let metadata = &memory.metadata;
    let source = &memory.source;
    criteria.states.contains(&memory.state)
        && (criteria.kinds.is_empty() || criteria.kinds.contains(&memory.kind))
        && (criteria.tags.is_empty() || criteria.tags.iter().any(|tag| metadata.tags.contains(tag)))
        && criteria.source_type.is_none_or(|wanted| wanted == source.source_type)
        && criteria
            .has_knowledge_pointer
            .is_none_or(|wanted| wanted == metadata.knowledge.is_some())
        && criteria.custom.iter().all(|(name, value)| metadata.custom.get(name) == Some(value))
        && within(criteria.time, memory.event_at)
        && source.trust() >= criteria.minimum_trust
        && (criteria.excluded_session.is_none() || criteria.excluded_session != source.session)
        && matches(&criteria.triple, memory.triple.as_ref())
        && (criteria.key.is_none() || criteria.key == memory.key)
}

fn within(range: TimeRange, at: Timestamp) -> bool {
    range.from.is_none_or(|from| from <= at) && range.to.is_none_or(|to| at <= to)
}

fn matches(pattern: &TriplePattern, triple: Option<&Triple>) -> bool {
    let same = |wanted: &Option<String>, part: fn(&Triple) -> &String| {
        wanted
            .as_ref()
            .is_none_or(|wanted| triple.is_some_and(|triple| fold(wanted) == fold(part(triple))))
    };
    same(&pattern.fact_type, |triple| &triple.fact_type)
        && same(&pattern.subject, |triple| &triple.subject)
        && same(&pattern.predicate, |triple| &triple.predicate)
        && same(&pattern.object, |triple| &triple.object)
}
