//! What memories name: gathered from the memories each time it is asked for, so that it cannot
//! outlive them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::kept::{EntityKey, Kept};
use super::latest_first;
use crate::model::{Entity, Memory, Mention};
use crate::text::fold;

/// How many memories of an entity are returned with it.
const MEMORIES_SHOWN: usize = 100;

/// Returns the entities that the memories name, those that most name first.
pub(super) fn list(inside: &[&Kept], name: Option<&str>, limit: usize) -> Vec<Entity> {
    let wanted = name.map(|name| called(inside, &BTreeSet::from([fold(name)])));
    let mut entities: Vec<Entity> = gathered(inside)
        .into_iter()
        .filter(|(key, _)| wanted.as_ref().is_none_or(|wanted| wanted.contains(key)))
        .map(|(_, entity)| entity)
        .collect();
    entities.sort_by_key(|entity| (Reverse(entity.mention_count), Reverse(entity.last_at)));
    entities.truncate(limit);
    entities
}

/// Returns how many of the entities each memory names, by its number.
pub(super) fn named(inside: &[&Kept], names: &[String]) -> HashMap<u64, u32> {
    let called = called(inside, &names.iter().cloned().collect());
    let count = |kept: &&Kept| {
        let named: BTreeSet<&EntityKey> =
            kept.entities().filter(|key| called.contains(key)).collect();
        let count = u32::try_from(named.len()).unwrap_or(u32::MAX);
        (count > 0).then_some((kept.number, count))
    };
    inside.iter().filter_map(count).collect()
}

/// Returns the entities that are called or, in any of the memories, written like one of the names.
fn called<'a>(inside: &[&'a Kept], names: &BTreeSet<String>) -> BTreeSet<&'a EntityKey> {
    let mentions = inside.iter().flat_map(|kept| &kept.mentions);
    mentions
        .filter(|mention| names.contains(&mention.entity.0) || names.contains(&mention.alias))
        .map(|mention| &mention.entity)
        .collect()
}

fn gathered<'a>(inside: &[&'a Kept]) -> BTreeMap<&'a EntityKey, Entity> {
    let mut latest_first = inside.to_vec();
    latest_first.sort_by(|one, two| by_event(one).cmp(&by_event(two)));
    let mut entities = BTreeMap::new();
    for kept in latest_first {
        let mut counted = BTreeSet::new();
        for (mention, key) in kept.memory.entities.iter().zip(kept.entities()) {
            let entity = entities.entry(key).or_insert_with(|| unnamed(mention, &kept.memory));
            spell(entity, mention);
            if counted.insert(key) {
                count(entity, &kept.memory);
            }
        }
    }
    entities
}

fn by_event(kept: &Kept) -> impl Ord {
    latest_first(kept.memory.event_at, &kept.memory)
}

fn unnamed(mention: &Mention, memory: &Memory) -> Entity {
    Entity {
        name: String::new(),
        entity_type: mention.entity_type,
        aliases: Vec::new(),
        mention_count: 0,
        first_at: memory.event_at,
        last_at: memory.event_at,
        memories: Vec::new(),
    }
}

/// Adds a spelling; the earliest memory has the last word on the name.
fn spell(entity: &mut Entity, mention: &Mention) {
    entity.name.clone_from(&mention.name);
    if !entity.aliases.contains(&mention.alias) {
        entity.aliases.push(mention.alias.clone());
    }
}

fn count(entity: &mut Entity, memory: &Memory) {
    entity.mention_count += 1;
    entity.first_at = memory.event_at;
    if entity.memories.len() < MEMORIES_SHOWN {
        entity.memories.push(memory.id.clone());
    }
}
