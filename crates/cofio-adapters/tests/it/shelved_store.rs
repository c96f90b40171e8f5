//! A store in PostgreSQL whose texts stand on real shelves keeps the contract too.

use std::collections::HashMap;
use std::sync::Arc;

use cofio::model::Identifier;
use cofio::shelf::Shelf;
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::{MemoryStore, Store, conformance};

use crate::postgres::place::Place;

/// Puts every text on one shelf.
fn shelved(place: &Place, shelf: Arc<dyn Shelf>) -> Arc<dyn Store> {
    let name = Identifier::new("attic").unwrap();
    let shelves = HashMap::from([(name.clone(), shelf)]);
    let rules = Rules(vec![Rule::everything(name)]);
    Arc::new(Shelved::new(Arc::new(place.open()), shelves, rules).unwrap())
}

/// Runs a case if variables name both servers.
fn unless_skipped(shelf: &str, case: impl Future<Output = ()>) {
    if [shelf, "COFIO_TEST_POSTGRES_URL"].iter().all(|name| std::env::var_os(name).is_some()) {
        pollster::block_on(case);
    }
}

mod on_redis {
    use super::*;
    use crate::redis;

    fn fresh() -> (Arc<dyn Store>, Option<Place>) {
        match Place::new().filter(|_| crate::shelves::provisioned(redis::URL).is_some()) {
            Some(place) => (shelved(&place, redis::fresh().0), Some(place)),
            // Nobody asks it anything.
            None => (Arc::new(MemoryStore::new()), None),
        }
    }

    fn unless_skipped(case: impl Future<Output = ()>) {
        super::unless_skipped(redis::URL, case);
    }

    conformance::suite!(fresh, unless_skipped);
}

mod on_qdrant {
    use super::*;
    use crate::qdrant::{Own, URL};

    fn fresh() -> (Arc<dyn Store>, Option<(Place, Own)>) {
        match Place::new().zip(Own::open()) {
            Some((place, own)) => (shelved(&place, own.shelf.clone()), Some((place, own))),
            // Nobody asks it anything.
            None => (Arc::new(MemoryStore::new()), None),
        }
    }

    fn unless_skipped(case: impl Future<Output = ()>) {
        super::unless_skipped(URL, case);
    }

    conformance::suite!(fresh, unless_skipped);
}
