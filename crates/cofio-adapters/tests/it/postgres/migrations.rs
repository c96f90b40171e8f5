//! How tables are made, found again and refused.

use std::sync::Arc;

use cofio::ErrorKind;
use cofio::store::Store as _;
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::place::Place;
use super::world::{engine, remember, search};

/// Asks whether every version was made once.
const EACH_ONCE: &str =
    "SELECT (count(*) = max(version) AND min(version) = 1)::text FROM migrations";

#[test]
fn a_store_is_made_once_and_found_again() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "Alice saw the zebra").unwrap();
    drop(store);
    let store = Arc::new(place.open());
    assert_eq!(search(&engine(&store), "alice", "zebra").unwrap(), ["Alice saw the zebra"]);
    assert_eq!(place.ask(EACH_ONCE), ["true"]);
    assert!(block_on(store.verify_audit()).unwrap() > 0);
}

#[test]
fn of_many_who_open_a_new_store_at_once_none_fails() {
    let Some(place) = Place::new() else { return };
    std::thread::scope(|threads| {
        let all: Vec<_> = (0..4).map(|_| threads.spawn(|| drop(place.open()))).collect();
        for one in all {
            one.join().unwrap();
        }
    });
    assert_eq!(place.ask(EACH_ONCE), ["true"]);
}

#[test]
fn what_a_newer_version_wrote_is_refused() {
    let Some(place) = Place::new() else { return };
    drop(place.open());
    let check = |before: &str, after: &str| {
        place.run(before);
        let error = PostgresStore::open(&place.options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("update Cofio"), "{error}");
        place.run(after);
        drop(place.open());
    };
    check("INSERT INTO migrations VALUES (99)", "DELETE FROM migrations WHERE version = 99");
    check(
        "UPDATE settings SET value = '999' WHERE name = 'analyser'",
        "UPDATE settings SET value = '1' WHERE name = 'analyser'",
    );
}

#[test]
fn an_index_of_an_older_analyser_is_made_anew() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "Alice saw the zebra").unwrap();
    place.run(
        "DELETE FROM passages; UPDATE scopes SET passages = 0;
         UPDATE settings SET value = '1' WHERE name = 'analyser'",
    );
    assert_eq!(search(&engine(&store), "alice", "zebra").unwrap(), [] as [String; 0]);
    drop(store);
    let store = Arc::new(place.open());
    assert_eq!(search(&engine(&store), "alice", "zebra").unwrap(), ["Alice saw the zebra"]);
    assert_eq!(place.ask("SELECT passages FROM scopes"), ["1"]);
}

#[test]
fn a_name_that_would_have_to_be_quoted_is_refused() {
    for schema in ["", "Public", "a b", "a;drop", "1a", &"a".repeat(41)] {
        let schema = schema.to_owned();
        let options = PostgresOptions { schema, ..PostgresOptions::new("postgres://localhost") };
        let error = PostgresStore::open(&options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
    }
}
