//! Nobody hears of another: random operations of many tenants on one store, of which every answer
//! is searched for what it must not contain.
//!
//! Each scope has a word that stands in all its texts and that nobody outside ever says. An answer
//! is everything that came back, as JSON and as `Debug`, errors included. It must not contain the
//! word or an id of a scope that its caller may not open, and what is said of a foreign id must be
//! what is said of an unknown one. At the end each tenant is alone in a store of its own and asks
//! the same: totals, scores and entities must be those of the crowd.
//!
//! `COFIO_ISOLATION` gives other sizes, as in `tenants=50,operations=20000,seed=7`;
//! `cargo xtask soak isolation` does so.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a long run is told its size, and says how far it is"
)]

mod alone;
mod operations;
mod told;
mod world;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofio::store::{Durability, MemoryStore, SqliteOptions, SqliteStore, Store};

use world::World;

/// How much is tried, and which random numbers decide.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    tenants: usize,
    operations: u64,
    seed: u64,
}

impl Sizes {
    /// Returns what the environment says, or few enough for every run of the tests.
    fn wanted() -> Self {
        let mut sizes = Self { tenants: 12, operations: 500, seed: 1 };
        let Ok(said) = std::env::var("COFIO_ISOLATION") else { return sizes };
        for part in said.split(',') {
            let (name, value) = part.split_once('=').expect("the form is name=number");
            let number: u64 = value.parse().expect("the value is a number");
            match name {
                "tenants" => sizes.tenants = usize::try_from(number).unwrap(),
                "operations" => sizes.operations = number,
                "seed" => sizes.seed = number,
                _ => panic!("COFIO_ISOLATION knows tenants, operations and seed, not {name:?}"),
            }
        }
        sizes
    }
}

/// Says which run this was, if it fails.
struct Confession(Sizes);

impl Drop for Confession {
    fn drop(&mut self) {
        let Sizes { tenants, operations, seed } = self.0;
        if std::thread::panicking() {
            eprintln!(
                "again: COFIO_ISOLATION=tenants={tenants},operations={operations},seed={seed}"
            );
        }
    }
}

fn run(fresh: &dyn Fn() -> Arc<dyn Store>, sizes: Sizes) {
    let _confession = Confession(sizes);
    let mut world = World::new(fresh(), sizes.tenants, sizes.seed);
    let step = (sizes.operations / 20).max(1_000);
    for number in 1..=sizes.operations {
        world.operate();
        if number % step == 0 {
            eprintln!("{number} of {} operations: {} answers", sizes.operations, world.answers());
        }
    }
    world.check_contents();
    let alone = alone::check_all(&world, fresh);
    let mut summary =
        format!("{} answers, {} compared with a tenant alone", world.answers(), alone);
    for (what, succeeded, failed) in world.tally() {
        let _ = write!(summary, "\n  {what}: {succeeded} answered, {failed} refused");
        let is_never_answered = what == operations::FOREIGN_CURSOR;
        let is_short = sizes.operations < 2_000;
        assert!(succeeded > 0 || is_never_answered || is_short, "{what} never had an answer");
    }
    eprintln!("{summary}");
}

#[test]
fn no_tenant_hears_of_another_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let files = AtomicUsize::new(0);
    let options = SqliteOptions { durability: Durability::ProcessOnly, ..SqliteOptions::default() };
    let fresh = || -> Arc<dyn Store> {
        let number = files.fetch_add(1, Ordering::Relaxed);
        let path = folder.path().join(format!("{number}.db"));
        Arc::new(SqliteStore::open_with(&path, options).unwrap())
    };
    run(&fresh, Sizes::wanted());
}

#[test]
fn no_tenant_hears_of_another_in_memory() {
    let sizes = Sizes::wanted();
    let sizes = Sizes { operations: sizes.operations.min(5_000), ..sizes };
    run(&|| Arc::new(MemoryStore::new()), sizes);
}
