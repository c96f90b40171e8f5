//! Several stores on one schema, as several processes have them.

use std::collections::BTreeSet;
use std::sync::Arc;

use cofio::store::{Entries, Store as _};
use pollster::block_on;

use super::place::Place;
use super::world::{engine, keeper, remember, search};

const EACH: usize = 60;

#[test]
fn stores_that_write_at_once_lose_nothing() {
    let Some(place) = Place::new() else { return };
    let stores = [Arc::new(place.open()), Arc::new(place.open())];
    std::thread::scope(|threads| {
        for (number, store) in stores.iter().enumerate() {
            for writer in 0..4 {
                let engine = engine(store);
                threads.spawn(move || {
                    for place in 0..EACH {
                        let text = format!("store {number} writer {writer} place {place}");
                        remember(&engine, &format!("user {writer}"), &text).unwrap();
                    }
                });
            }
        }
    });
    let all = 2 * 4 * EACH;
    for store in &stores {
        block_on(store.settle()).unwrap();
        assert_eq!(block_on(store.last_change()).unwrap(), all as u64);
        let entries = block_on(store.audit(None, Entries::After(0), 10_000)).unwrap();
        assert_eq!(block_on(store.verify_audit()).unwrap(), entries.len() as u64);
        let changes = block_on(store.changes(keeper().access(), 0, 10_000)).unwrap();
        let sequence: Vec<u64> = changes.iter().map(|change| change.sequence).collect();
        assert_eq!(sequence, (1..=all as u64).collect::<Vec<_>>());
        let ids: BTreeSet<_> = changes.iter().map(|change| &change.id).collect();
        assert_eq!(ids.len(), all);
    }
    assert_eq!(place.ask("SELECT sum(memories) FROM scopes"), [all.to_string()]);
    assert_eq!(place.ask("SELECT count(*) FROM memories"), [all.to_string()]);
}

#[test]
fn of_two_who_say_the_same_at_once_one_is_kept() {
    let Some(place) = Place::new() else { return };
    let stores = [Arc::new(place.open()), Arc::new(place.open())];
    for round in 0..10 {
        let text = format!("the same in round {round}");
        let created: usize = std::thread::scope(|threads| {
            let both: Vec<_> = stores
                .iter()
                .map(|store| {
                    let (engine, text) = (engine(store), text.clone());
                    threads.spawn(move || !remember(&engine, "alice", &text).unwrap().existing)
                })
                .collect();
            both.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
        });
        assert_eq!(created, 1);
    }
}

#[test]
fn what_one_store_writes_another_finds_at_once() {
    let Some(place) = Place::new() else { return };
    let (one, two) = (Arc::new(place.open()), Arc::new(place.open()));
    for animal in ["zebra", "lion", "bear"] {
        let text = format!("Alice saw the {animal}");
        remember(&engine(&one), "alice", &text).unwrap();
        assert_eq!(search(&engine(&two), "alice", animal).unwrap(), [text]);
    }
}

#[test]
fn what_nobody_waits_for_is_there_after_the_store_was_closed() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "Alice saw the zebra").unwrap();
    search(&engine(&store), "alice", "zebra").unwrap();
    drop(store);
    assert_eq!(place.ask("SELECT access_count FROM memories"), ["1"]);
}
