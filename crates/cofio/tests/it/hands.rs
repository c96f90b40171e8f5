//! Whatever a person does to files and an agent to the store in between: in the end both say the same,
//! and nothing is lost that either of them wrote.
//!
//! Step by step, with no two things at the same time, so that what goes wrong goes wrong again.
//! `COFIO_FILES_SOAK` gives another number of cases, as in `cases=2000`; `cargo xtask soak files` does
//! so. What happens at the same time is in `files::crowd` of the command's tests.

#![expect(clippy::disallowed_methods, reason = "a long run is told its size")]

mod deeds;
mod desk;
mod verdict;

use std::sync::Arc;

use cofio::Config;
use cofio::store::{Durability, MemoryStore, SqliteOptions, SqliteStore};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use deeds::{Deed, deeds};
use desk::Desk;

use crate::life::Life;

/// Returns the size of a run: what the environment says, or little.
fn size(name: &str, otherwise: u64) -> u64 {
    let said = std::env::var("COFIO_FILES_SOAK").unwrap_or_default();
    let mut sizes = said.split(',').filter_map(|size| size.split_once('='));
    let last = sizes.rfind(|(known, _)| *known == name);
    last.map_or(otherwise, |(_, number)| number.parse().expect("the value is a number"))
}

/// Does random things at desks of their own.
fn run(few: u64, deeds: impl Strategy<Value = Vec<Deed>>, fresh: impl Fn() -> Life) {
    let cases = u32::try_from(size("cases", few)).unwrap();
    let (max_shrink_iters, source_file) = (3_000, Some(file!()));
    let config =
        ProptestConfig { max_shrink_iters, source_file, ..ProptestConfig::with_cases(cases) };
    let seed = [size("seed", 7).to_le_bytes(); 4].concat();
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let outcome = TestRunner::new_with_rng(config, random).run(&deeds, |deeds| {
        let life = fresh();
        let mut desk = Desk::new(&life);
        for deed in &deeds {
            desk.perform(deed);
        }
        let problems = desk.finish();
        prop_assert!(problems.is_empty(), "{}", problems.join("\n"));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Returns a life in a file that goes with the folder it is in.
fn in_a_file(folder: &std::path::Path) -> Life {
    let options = SqliteOptions { durability: Durability::ProcessOnly, ..SqliteOptions::default() };
    let store = SqliteStore::open_with(&folder.join("cofio.db"), options).unwrap();
    Life::on(Arc::new(store), Config::default())
}

#[test]
fn two_hands_that_take_turns_lose_nothing_in_memory() {
    let fresh = || Life::on(Arc::new(MemoryStore::new()), Config::default());
    run(96, deeds(false), fresh);
}

#[test]
fn two_hands_that_take_turns_lose_nothing_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    run(24, deeds(false), || {
        number.set(number.get() + 1);
        let folder = folder.path().join(number.get().to_string());
        std::fs::create_dir(&folder).unwrap();
        in_a_file(&folder)
    });
}

#[test]
fn two_hands_lose_nothing_if_bringing_them_together_is_cut_short() {
    let fresh = || Life::on(Arc::new(MemoryStore::new()), Config::default());
    run(96, deeds(true), fresh);
}
