//! The servers that texts stand on, each asked with care.

use std::sync::Arc;

use cofio::Result;
use cofio::model::Timestamp;
use cofio::shelf::Shelf;
use cofio::shelved::{Rules, Shelved};
use cofio::store::Store;
use cofio_adapters::guarded::{self, Guarded};
use cofio_adapters::retry::Retry;
use cofio_adapters::{chroma, mem0, qdrant, redis};
use cofio_server::{Circuit, Tallies, Tally};

use crate::settings::{Address, Patience, Promise, Settings, ShelfName, Surroundings};

/// What everything on a shelf is called at the beginning; then comes what its home is called.
const PREFIX: &str = "cofio";

/// Servers that texts stand on, and what they are called.
pub type Shelves = Vec<(ShelfName, Arc<Guarded>)>;

/// Makes ready what the rules of the settings name, for the home of this name; nobody is asked
/// anything yet.
pub fn open(home: &str, settings: &Settings, around: &Surroundings) -> Result<Shelves> {
    let named = settings.stores().shelves.iter();
    named.map(|(name, at)| Ok((*name, open_one(*name, at, home, settings, around)?))).collect()
}

/// Puts texts of a home on shelves by rules.
pub fn around(home: Arc<dyn Store>, shelves: &Shelves, rules: Rules) -> Result<Shelved> {
    let named = shelves.iter().map(|(name, shelf)| {
        let shelf: Arc<dyn Shelf> = shelf.clone();
        (name.identifier(), shelf)
    });
    Shelved::new(home, named.collect(), rules, Timestamp::now)
}

/// Reads what came of asking each of them.
pub fn tallies(shelves: Shelves) -> Tallies {
    Tallies::new(move || shelves.iter().map(|(name, shelf)| tally(*name, shelf)).collect())
}

fn tally(name: ShelfName, shelf: &Guarded) -> Tally {
    let guarded::Counts { calls, failures, retries, timeouts, refusals, opened } = shelf.counts();
    let circuit = match shelf.circuit() {
        guarded::Circuit::Closed => Circuit::Closed,
        guarded::Circuit::Open => Circuit::Open,
        guarded::Circuit::HalfOpen => Circuit::HalfOpen,
    };
    let store = name.as_str().to_owned();
    Tally { store, calls, failures, retries, timeouts, refusals, opened, circuit }
}

/// Makes one of them ready.
///
/// What one home has there is out of sight for every other, as a home takes for left over what it
/// does not know.
pub fn open_one(
    name: ShelfName,
    at: &Address,
    home: &str,
    settings: &Settings,
    around: &Surroundings,
) -> Result<Arc<Guarded>> {
    let shelf = shelf(name, at.reveal(), format!("{PREFIX}-{home}"), settings, around)?;
    Ok(Arc::new(Guarded::new(shelf, patience(name, settings))?))
}

fn shelf(
    name: ShelfName,
    url: &str,
    prefix: String,
    settings: &Settings,
    around: &Surroundings,
) -> Result<Arc<dyn Shelf>> {
    let values = settings.values();
    let timeout = settings.stores().patience.timeout;
    let key = |variable: &str| {
        around.variable(variable).map(|key| chroma::Key::new(&key.to_string_lossy())).transpose()
    };
    Ok(match name {
        ShelfName::Redis => {
            let keeping = match values.redis_promise.value {
                Promise::Durable => redis::Keeping::Durable,
                Promise::AsConfigured => redis::Keeping::AsConfigured,
            };
            let options = redis::Options { prefix, timeout, keeping, ..redis::Options::new(url) };
            Arc::new(redis::Redis::new(&options)?)
        }
        ShelfName::Qdrant => Arc::new(qdrant::Qdrant::new(&qdrant::Options {
            prefix,
            key: key(&values.qdrant_key_env.value)?,
            timeout,
            ..qdrant::Options::new(url)
        })?),
        ShelfName::Chroma => Arc::new(chroma::Chroma::new(&chroma::Options {
            prefix,
            tenant: values.chroma_tenant.value.clone(),
            database: values.chroma_database.value.clone(),
            key: key(&values.chroma_key_env.value)?,
            timeout,
            ..chroma::Options::new(url)
        })?),
        ShelfName::Mem0 => Arc::new(mem0::Mem0::new(&mem0::Options {
            prefix,
            key: key(&values.mem0_key_env.value)?,
            timeout,
            ..mem0::Options::new(url)
        })?),
    })
}

fn patience(name: ShelfName, settings: &Settings) -> guarded::Options {
    let Patience { retries, first_delay, longest_delay, timeout } = settings.stores().patience;
    let usual = guarded::Options::new(name.as_str());
    let (writing, reading) = (usual.retry.clone(), usual.reading_retry.clone());
    guarded::Options {
        timeout,
        retry: Retry { retries, first_delay, longest_delay, ..writing },
        // Somebody waits for what is read.
        reading_retry: Retry { retries: retries.min(reading.retries), longest_delay, ..reading },
        ..usual
    }
}
