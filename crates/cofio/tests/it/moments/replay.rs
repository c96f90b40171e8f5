//! Whatever happens to memories, what is listed as of a moment is what was listed at that moment.

use std::collections::BTreeSet;

use cofio::model::{
    Accesses, Channel, Criteria, Draft, Edit, Embedding, Fraction, Kind, Memory, MemoryId,
    MetadataPatch, Patch, Scope, Source, State,
};
use pollster::block_on;
use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{World, at, query};
use crate::fixture::{local, named};

/// Something that happens to a memory, told by its place among all there are.
#[derive(Debug, Clone, Copy)]
enum Event {
    Learn(Channel),
    Correct(usize, Option<i64>),
    Rewrite(usize),
    Doubt(usize),
    PutAway(usize),
    BringBack(usize),
    Approve(usize),
    Forget(usize),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let one = 0_usize..6;
    vec(
        prop_oneof![
            4 => Just(Event::Learn(Channel::ExplicitSave)),
            1 => Just(Event::Learn(Channel::WebFetch)),
            2 => (one.clone(), proptest::option::of(0_i64..30))
                .prop_map(|(one, since)| Event::Correct(one, since)),
            2 => one.clone().prop_map(Event::Rewrite),
            1 => one.clone().prop_map(Event::Doubt),
            2 => one.clone().prop_map(Event::PutAway),
            2 => one.clone().prop_map(Event::BringBack),
            1 => one.clone().prop_map(Event::Approve),
            1 => one.prop_map(Event::Forget),
        ],
        1..24,
    )
}

/// Lets something happen; what is refused has not happened.
fn happen(world: &World, event: Event, hour: i64) {
    let caller = &local("alice");
    let all = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
    let memories = world.list(&all);
    let pick = |one: usize| memories.get(one % memories.len().max(1));
    let text = format!("the canary sings at {hour}");
    match event {
        Event::Learn(channel) => {
            let scope = Scope::user(named("alice"));
            world.remember(Draft::new(scope, Kind::Fact, text, Source::through(channel)));
        }
        Event::Correct(one, since) => {
            let since = since.map(at);
            let _ = pick(one).map(|memory| world.correct(memory, &text, since));
        }
        Event::Rewrite(one) => {
            let _ = pick(one).map(|memory| world.rewrite(memory, &text));
        }
        Event::Doubt(one) => {
            let confidence = Edit::Set(Fraction::new(0.3).unwrap());
            let metadata = MetadataPatch { confidence, ..MetadataPatch::default() };
            let patch = Patch { metadata, ..Patch::default() };
            let _ =
                pick(one).map(|memory| block_on(world.engine.update(caller, &memory.id, patch)));
        }
        Event::PutAway(one) => {
            let _ = pick(one).map(|memory| block_on(world.engine.archive(caller, &memory.id)));
        }
        Event::BringBack(one) => {
            let _ = pick(one).map(|memory| block_on(world.engine.bring_back(caller, &memory.id)));
        }
        Event::Approve(one) => {
            let _ = pick(one).map(|memory| {
                block_on(world.engine.approve(caller, &memory.id, memory.content.as_str()))
            });
        }
        Event::Forget(one) => {
            let ids: Vec<MemoryId> =
                pick(one).map(|memory| memory.id.clone()).into_iter().collect();
            block_on(world.engine.forget(caller, &ids)).unwrap();
        }
    }
}

/// Returns what is part of a version.
fn versions(memories: Vec<Memory>) -> Vec<Memory> {
    let version =
        |memory| Memory { accesses: Accesses::default(), embedding: Embedding::Pending, ..memory };
    memories.into_iter().map(version).collect()
}

fn ids<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> BTreeSet<MemoryId> {
    memories.into_iter().map(|memory| memory.id.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_listed_as_of_a_moment_is_what_was_listed_then(events in events()) {
        for world in World::each() {
            let mut snapshots = Vec::new();
            for (hour, &event) in (1..).zip(&events) {
                world.go_to(hour);
                happen(&world, event, hour);
                snapshots.push((hour, versions(world.list(&Criteria::default()))));
            }
            let all = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
            let left = ids(&world.list(&all));
            for (hour, mut snapshot) in snapshots {
                snapshot.retain(|memory| left.contains(&memory.id));
                let then = Criteria { as_of: Some(at(hour)), ..Criteria::default() };
                let listed = versions(world.list(&then));
                prop_assert_eq!(&listed, &snapshot, "at {} by {:?}", hour, world);
                let question = query(&then, "canary");
                let answer = block_on(world.engine.search(&local("alice"), &question)).unwrap();
                let found = answer.hits.iter().map(|hit| &hit.memory);
                prop_assert_eq!(ids(found), ids(&snapshot), "at {} by {:?}", hour, world);
            }
        }
    }
}
