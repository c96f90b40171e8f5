//! Which memories a filter means.

use crate::model::{Filter, Memory, TimeRange, Timestamp, Triple, TriplePattern};
use crate::text::fold;

/// Returns whether a filter means a memory.
pub(super) fn admits(filter: &Filter, memory: &Memory) -> bool {
    let metadata = &memory.metadata;
    let source = &memory.source;
    filter.scopes.contains(&memory.scope)
        && filter.states.contains(&memory.state)
        && !memory.expired(filter.now)
        && (filter.kinds.is_empty() || filter.kinds.contains(&memory.kind))
        && (filter.tags.is_empty() || filter.tags.iter().any(|tag| metadata.tags.contains(tag)))
        && filter.source_type.is_none_or(|wanted| wanted == source.source_type)
        && filter.has_knowledge_pointer.is_none_or(|wanted| wanted == metadata.knowledge.is_some())
        && filter.custom.iter().all(|(name, value)| metadata.custom.get(name) == Some(value))
        && within(filter.time, memory.event_at)
        && source.trust() >= filter.minimum_trust
        && (filter.excluded_session.is_none() || filter.excluded_session != source.session)
        && matches(&filter.triple, memory.triple.as_ref())
        && (filter.key.is_none() || filter.key == memory.key)
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
