//! The store in PostgreSQL: it keeps the contract, and what else it promises.

mod at_hand;
mod faults;
mod indexes;
mod large;
mod limits;
mod listening;
mod migrations;
mod moving;
mod opening;
mod outages;
pub mod place;
mod security;
mod sharing;
mod shelved;
mod tls;
mod world;

use std::sync::Arc;

use cofio::store::{MemoryStore, Store, conformance};

use place::Place;

fn fresh() -> (Arc<dyn Store>, Option<Place>) {
    match Place::new() {
        Some(place) => (Arc::new(place.open()), Some(place)),
        // Nobody asks it anything.
        None => (Arc::new(MemoryStore::new()), None),
    }
}

fn unless_skipped(case: impl Future<Output = ()>) {
    if place::url().is_some() {
        pollster::block_on(case);
    }
}

conformance::suite!(fresh, unless_skipped);
