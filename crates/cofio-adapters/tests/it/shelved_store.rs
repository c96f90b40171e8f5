//! A store whose texts stand on real shelves keeps the contract too: in PostgreSQL, and in a file.

use std::collections::HashMap;
use std::sync::Arc;

use cofio::model::{Identifier, Timestamp};
use cofio::shelf::Shelf;
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::{Durability, MemoryStore, SqliteOptions, SqliteStore, Store, conformance};
use tempfile::TempDir;

use crate::postgres::place::Place;

/// Puts every text on one shelf.
fn shelved(home: impl Store + 'static, shelf: Arc<dyn Shelf>) -> Arc<dyn Store> {
    let name = Identifier::new("attic").unwrap();
    let shelves = HashMap::from([(name.clone(), shelf)]);
    let rules = Rules(vec![Rule::everything(name)]);
    Arc::new(Shelved::new(Arc::new(home), shelves, rules, Timestamp::now).unwrap())
}

/// Puts every text on a shelf, if there is one, and everything else into a file.
fn beside_file(shelf: Option<Arc<dyn Shelf>>) -> (Arc<dyn Store>, Option<TempDir>) {
    let Some(shelf) = shelf else {
        // Nobody asks it anything.
        return (Arc::new(MemoryStore::new()), None);
    };
    let folder = TempDir::new().unwrap();
    // It is thrown away, so nothing has to wait for the disk.
    let options = SqliteOptions { durability: Durability::ProcessOnly, ..Default::default() };
    let file = SqliteStore::open_with(&folder.path().join("cofio.db"), options).unwrap();
    (shelved(file, shelf), Some(folder))
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
            Some(place) => (shelved(place.open(), redis::fresh().0), Some(place)),
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
            Some((place, own)) => (shelved(place.open(), own.shelf.clone()), Some((place, own))),
            // Nobody asks it anything.
            None => (Arc::new(MemoryStore::new()), None),
        }
    }

    fn unless_skipped(case: impl Future<Output = ()>) {
        super::unless_skipped(URL, case);
    }

    conformance::suite!(fresh, unless_skipped);
}

/// As the preset `tiered` of the program arranges it.
mod on_tiers {
    use cofio::model::{Kind, Layer, State};

    use super::*;
    use crate::qdrant::{Own, URL};
    use crate::redis;

    /// Returns the rules of the preset.
    fn rules(redis: &Identifier, qdrant: &Identifier) -> Rules {
        let to = |shelf: &Identifier| Rule::everything(shelf.clone());
        Rules(vec![
            Rule { states: vec![State::Archived], ..to(qdrant) },
            Rule { kinds: vec![Kind::Working, Kind::Context], ..to(redis) },
            Rule { kinds: vec![Kind::Fact], layers: vec![Layer::User], ..Rule::default() },
            Rule { kinds: vec![Kind::Fact, Kind::Reflection], ..to(qdrant) },
        ])
    }

    fn fresh() -> (Arc<dyn Store>, Option<(Place, Own)>) {
        let provisioned = Place::new().zip(Own::open());
        match provisioned.filter(|_| crate::shelves::provisioned(redis::URL).is_some()) {
            Some((place, own)) => {
                let [first, second] =
                    ["redis", "qdrant"].map(|name| Identifier::new(name).unwrap());
                let rules = rules(&first, &second);
                let shelves: [(_, Arc<dyn Shelf>); 2] =
                    [(first, redis::fresh().0), (second, own.shelf.clone())];
                let store =
                    Shelved::new(Arc::new(place.open()), shelves.into(), rules, Timestamp::now)
                        .unwrap();
                (Arc::new(store), Some((place, own)))
            }
            // Nobody asks it anything.
            None => (Arc::new(MemoryStore::new()), None),
        }
    }

    fn unless_skipped(case: impl Future<Output = ()>) {
        if std::env::var_os(redis::URL).is_some() {
            super::unless_skipped(URL, case);
        }
    }

    conformance::suite!(fresh, unless_skipped);
}

mod on_chroma {
    use super::*;
    use crate::chroma;
    use crate::shelves::provisioned;

    fn fresh() -> (Arc<dyn Store>, Option<TempDir>) {
        beside_file(provisioned(chroma::URL).map(|_| chroma::fresh().0))
    }

    fn unless_skipped(case: impl Future<Output = ()>) {
        crate::shelves::unless_skipped(chroma::URL, case);
    }

    conformance::suite!(fresh, unless_skipped);
}
