//! Moving everything to PostgreSQL and away from it, and to shelves on servers.

use std::collections::HashMap;
use std::sync::Arc;

use cofio::model::{Identifier, Timestamp};
use cofio::shelf::Shelf;
use cofio::shelved::{MovableShelved, Rule, Rules, Shelved};
use cofio::store::conformance::moving::{World, assert_same};
use cofio::store::{MemoryStore, Movable, Moved, Mover, SqliteStore, Store as _};
use cofio::{ErrorKind, Result};
use cofio_adapters::postgres::PostgresStore;
use pollster::block_on;

use super::place::Place;

fn run(from: &dyn Movable, to: &dyn Movable) -> Result<Moved> {
    let clock = || "2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap();
    block_on(Mover { from, to, holder: "tester", clock: &clock }.run(&mut |_| {}))
}

/// Fills a store, moves it, and moves what is new.
fn check(from: &dyn Movable, to: &dyn Movable, seed: u64) {
    let mut world = World::new(seed);
    block_on(world.happen(from.store(), 120));
    let moved = run(from, to).unwrap();
    assert_eq!(moved.passes, 2);
    block_on(assert_same(from, to));
    block_on(world.happen(from.store(), 40));
    run(from, to).unwrap();
    block_on(assert_same(from, to));
    assert_eq!(run(from, to).unwrap().passes, 1);
    // What was moved goes on like any store, and can be moved back.
    block_on(world.happen(to.store(), 40));
    run(to, from).unwrap();
    block_on(assert_same(to, from));
}

#[test]
fn everything_moves_between_a_file_and_postgres() {
    let Some(place) = Place::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&folder.path().join("a.db")).unwrap();
    let postgres = place.open();
    check(&file, &postgres, 1);
    let back = SqliteStore::open(&folder.path().join("b.db")).unwrap();
    run(&postgres, &back).unwrap();
    assert_eq!(block_on(back.check()).unwrap().problems, Vec::<String>::new());
}

#[test]
fn everything_moves_from_one_schema_to_another() {
    let (Some(one), Some(two)) = (Place::new(), Place::new()) else { return };
    check(&one.open(), &two.open(), 2);
}

#[test]
fn an_unfinished_copy_in_postgres_is_opened_by_nobody_else() {
    let Some(place) = Place::new() else { return };
    let from = MemoryStore::new();
    block_on(World::new(3).happen(&from, 30));
    let to = place.open();
    block_on(to.mark(Some("another"))).unwrap();
    drop(to);
    let error = PostgresStore::open(&place.options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("unfinished copy"), "{error}");
    let to = PostgresStore::open_to_fill(&place.options).unwrap();
    let error = run(&from, &to).unwrap_err();
    assert!(error.to_string().contains("unfinished copy of another"), "{error}");
    block_on(to.mark(None)).unwrap();
    run(&from, &to).unwrap();
    drop(to);
    assert!(block_on(place.open().verify_audit()).unwrap() > 0);
}

#[test]
fn what_somebody_wrote_to_the_destination_is_not_overwritten() {
    let Some(place) = Place::new() else { return };
    let (from, to) = (MemoryStore::new(), place.open());
    block_on(World::new(4).happen(&from, 30));
    run(&from, &to).unwrap();
    block_on(World::new(5).happen(&to, 0));
    let error = run(&from, &to).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
}

/// Returns a home whose every text stands on a shelf.
fn shelved(
    home: Arc<dyn Movable>,
    store: Arc<dyn cofio::store::Store>,
    shelf: Arc<dyn Shelf>,
) -> MovableShelved {
    let name = Identifier::new("shelf").unwrap();
    let shelves = HashMap::from([(name.clone(), shelf)]);
    let shelved =
        Shelved::new(store, shelves, Rules(vec![Rule::everything(name)]), Timestamp::now).unwrap();
    MovableShelved::new(shelved, home)
}

fn check_shelf(shelf: Arc<dyn Shelf>, seed: u64) {
    let Some(place) = Place::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let home = Arc::new(SqliteStore::open(&folder.path().join("a.db")).unwrap());
    let on_shelf = shelved(home.clone(), home, shelf);
    let postgres = place.open();
    check(&postgres, &on_shelf, seed);
    let file = SqliteStore::open(&folder.path().join("b.db")).unwrap();
    run(&on_shelf, &file).unwrap();
    block_on(assert_same(&on_shelf, &file));
    assert_eq!(block_on(file.check()).unwrap().problems, Vec::<String>::new());
}

#[cfg(feature = "redis")]
#[test]
fn everything_moves_to_redis_and_away_from_it() {
    use cofio_adapters::redis::{Options, Redis};
    let Some(url) = crate::shelves::provisioned("COFIO_TEST_REDIS_URL") else { return };
    let options = Options { prefix: crate::shelves::own_prefix(), ..Options::new(url) };
    check_shelf(Arc::new(Redis::new(&options).unwrap()), 6);
}

#[cfg(feature = "qdrant")]
#[test]
fn everything_moves_to_qdrant_and_away_from_it() {
    use cofio_adapters::qdrant::{Options, Qdrant};
    let Some(url) = crate::shelves::provisioned("COFIO_TEST_QDRANT_URL") else { return };
    let options = Options { prefix: crate::shelves::own_prefix(), ..Options::new(url) };
    check_shelf(Arc::new(Qdrant::new(&options).unwrap()), 7);
}

#[cfg(feature = "chroma")]
#[test]
fn everything_moves_to_chroma_and_away_from_it() {
    use cofio_adapters::chroma::{Chroma, Options};
    let Some(url) = crate::shelves::provisioned("COFIO_TEST_CHROMA_URL") else { return };
    let options = Options { prefix: crate::shelves::own_prefix(), ..Options::new(url) };
    check_shelf(Arc::new(Chroma::new(&options).unwrap()), 8);
}
