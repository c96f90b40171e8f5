//! Whatever was told, written, changed and forgotten before: what the engine does of itself leaves
//! no loose ends, raises no trust, stays in its place, and can be taken back.
//!
//! `COFIO_JOBS` gives another number of cases, as in `cases=2000`; `cargo xtask soak jobs` does so.

#![expect(clippy::disallowed_methods, reason = "a long run is told its size")]

mod checks;
mod deeds;
mod world;

use std::collections::BTreeSet;
use std::sync::Arc;

use cofio::store::{Durability, MemoryStore, SqliteOptions, SqliteStore};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use deeds::{Deed, REVERSIBLE, deeds};
use world::World;

/// Returns what the environment says of a size.
fn size(name: &str) -> Option<u64> {
    let said = std::env::var("COFIO_JOBS").unwrap_or_default();
    let mut sizes = said.split(',').filter_map(|size| size.split_once('='));
    let last = sizes.rfind(|(known, _)| *known == name);
    last.map(|(_, number)| number.parse().expect("the value is a number"))
}

/// Does random things in worlds of their own, as many as are said or few enough for every run.
fn run(few: u32, fresh: impl Fn() -> World) {
    let cases = size("cases").map_or(few, |cases| u32::try_from(cases).unwrap());
    let (max_shrink_iters, source_file) = (3_000, Some(file!()));
    let config =
        ProptestConfig { max_shrink_iters, source_file, ..ProptestConfig::with_cases(cases) };
    let mut runner = match size("seed") {
        Some(seed) => {
            let seed = [seed.to_le_bytes(); 4].concat();
            let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
            TestRunner::new_with_rng(config, random)
        }
        None => TestRunner::new(config),
    };
    let taken_back = std::cell::RefCell::new(BTreeSet::new());
    let outcome = runner.run(&deeds(), |deeds: Vec<Deed>| {
        let world = fresh();
        for deed in &deeds {
            taken_back.borrow_mut().extend(world.perform(deed));
        }
        taken_back.borrow_mut().extend(world.finish());
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let taken_back = taken_back.into_inner();
    assert!(REVERSIBLE.iter().all(|task| taken_back.contains(task)), "only {taken_back:?}");
}

#[test]
fn what_the_engine_does_of_itself_can_be_taken_back_in_memory() {
    run(64, || World::new(Arc::new(MemoryStore::new()), None));
}

#[test]
fn what_the_engine_does_of_itself_can_be_taken_back_in_a_file() {
    let options = SqliteOptions { durability: Durability::ProcessOnly, ..SqliteOptions::default() };
    run(24, || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        let store = SqliteStore::open_with(&path, options).unwrap();
        World::new(Arc::new(store), Some(folder))
    });
}
