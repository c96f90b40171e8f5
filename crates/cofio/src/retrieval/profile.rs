//! What memories tell of one entity: when, and together with what.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use crate::model::{EntityType, Memory, Mention};
use crate::text::fold;

/// How long a timeline is at most that goes day by day; a longer one goes month by month.
const DAY_BY_DAY: SignedDuration = SignedDuration::from_hours(62 * 24);

/// How many companions of an entity are told.
const MOST_COMPANIONS: usize = 10;

/// A day or a month, and what happened then.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    /// The day, such as `2026-03-01`, or the month, such as `2026-03`.
    pub name: String,
    /// What happened, in its order; what was replaced says until when it held.
    pub memories: Vec<Memory>,
}

/// Something that is named together with an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub entity_type: EntityType,
    /// How many memories name both.
    pub memories: u64,
}

/// Puts memories in the order in which they happened, by days or, over a long time, by months.
pub fn timeline(memories: &[Memory], zone: &TimeZone) -> Vec<Period> {
    let mut ordered: Vec<&Memory> = memories.iter().collect();
    ordered.sort_by_key(|memory| (memory.event_at, &memory.id));
    let (Some(first), Some(last)) = (ordered.first(), ordered.last()) else { return Vec::new() };
    let is_short = last.event_at.duration_since(first.event_at) <= DAY_BY_DAY;
    let form = if is_short { "%Y-%m-%d" } else { "%Y-%m" };
    let mut periods: Vec<Period> = Vec::new();
    for memory in ordered {
        let name = memory.event_at.to_zoned(zone.clone()).strftime(form).to_string();
        match periods.last_mut().filter(|period| period.name == name) {
            Some(period) => period.memories.push(memory.clone()),
            None => periods.push(Period { name, memories: vec![memory.clone()] }),
        }
    }
    periods
}

/// Returns what the memories name besides one entity, what most of them name first.
pub fn companions(memories: &[Memory], name: &str, entity_type: EntityType) -> Vec<Companion> {
    let own = (fold(name), entity_type);
    let mut counted: BTreeMap<(String, EntityType), Companion> = BTreeMap::new();
    for memory in memories {
        let key = |mention: &Mention| (fold(&mention.name), mention.entity_type);
        let named: BTreeMap<_, _> =
            memory.entities.iter().map(|mention| (key(mention), mention)).collect();
        for (key, mention) in named.into_iter().filter(|(key, _)| *key != own) {
            let new = || Companion { name: mention.name.clone(), entity_type: key.1, memories: 0 };
            counted.entry(key.clone()).or_insert_with(new).memories += 1;
        }
    }
    let mut companions: Vec<Companion> = counted.into_values().collect();
    companions.sort_by_key(|companion| Reverse(companion.memories));
    companions.truncate(MOST_COMPANIONS);
    companions
}

/// Returns what an entity is called, without marks before it, each spelling once.
pub fn spellings<'a>(name: &'a str, aliases: &'a [String]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let all = std::iter::once(name).chain(aliases.iter().map(String::as_str));
    let bare = all.map(|spelling| spelling.trim_start_matches(['@', '#']));
    bare.filter(|spelling| !spelling.is_empty() && seen.insert(fold(spelling))).collect()
}
