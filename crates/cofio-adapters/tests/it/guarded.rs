//! A guarded shelf keeps the contract, in whatever portions it is asked.

#[cfg(feature = "qdrant")]
use std::collections::HashMap;
#[cfg(any(feature = "chroma", feature = "qdrant"))]
use std::net::TcpListener;
use std::sync::Arc;
#[cfg(any(feature = "chroma", feature = "qdrant"))]
use std::time::Duration;
#[cfg(feature = "chroma")]
use std::time::Instant;

use cofio::model::Timestamp;
#[cfg(feature = "qdrant")]
use cofio::model::{Cues, Evidence, Filter, Fingerprint, Identifier, Meaning, Place, Survey};
use cofio::shelf::{MemoryShelf, Shelf, conformance};
#[cfg(feature = "qdrant")]
use cofio::shelved::{Rule, Rules, Shelved};
#[cfg(feature = "qdrant")]
use cofio::store::{Cued, Inquiry, MemoryStore, Store as _};
#[cfg(feature = "chroma")]
use cofio_adapters::chroma::{self, Chroma};
use cofio_adapters::guarded::{Circuit, Guarded, Options};
#[cfg(feature = "qdrant")]
use cofio_adapters::qdrant::{self, Qdrant};
#[cfg(feature = "chroma")]
use cofio_adapters::retry::Retry;
use pollster::block_on;

use crate::shelves::{content, slot, user};

fn guarded() -> Guarded {
    let shelf = Arc::new(MemoryShelf::new(Timestamp::now));
    Guarded::new(shelf, Options { portion: 7, ..Options::new("memory") }).unwrap()
}

fn fresh() -> (Arc<dyn Shelf>, ()) {
    (Arc::new(guarded()), ())
}

conformance::suite!(fresh, pollster::block_on);

/// Returns a server that takes connections, and reads nothing of what arrives.
#[cfg(any(feature = "chroma", feature = "qdrant"))]
fn silent() -> (TcpListener, String) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    (server, url)
}

#[cfg(feature = "chroma")]
#[test]
fn a_silent_server_is_waited_for_as_long_as_the_options_say() {
    let (_server, url) = silent();
    let shelf = Chroma::new(&chroma::Options::new(url)).unwrap();
    let (timeout, own) = (Duration::from_millis(300), slot(&user("alice"), 1));
    let retry = |retries| Retry {
        retries,
        first_delay: Duration::from_millis(10),
        deadline: Duration::from_millis(100),
        ..Retry::default()
    };
    let (retry, reading_retry) = (retry(2), retry(1));
    let options = Options { timeout, retry, reading_retry, ..Options::new("chroma") };
    let guarded = Guarded::new(Arc::new(shelf), options).unwrap();
    let check = |begun: Instant, error: cofio::Error, attempts: u32| {
        assert!(error.to_string().ends_with("did not answer within 300 ms"), "{error}");
        assert_eq!(error.details()["attempts"], attempts);
        assert!(begun.elapsed() >= attempts * timeout, "{:?}", begun.elapsed());
    };
    let begun = Instant::now();
    check(begun, block_on(guarded.get(std::slice::from_ref(&own))).unwrap_err(), 2);
    let begun = Instant::now();
    check(begun, block_on(guarded.put(&[content(&own)])).unwrap_err(), 3);
    let told = block_on(guarded.health()).unwrap_err().to_string();
    assert!(told.ends_with("did not answer within 300 ms"), "{told}");
}

/// Looks for what is near to something, each memory by itself.
#[cfg(feature = "qdrant")]
struct Nearby(Meaning);

#[cfg(feature = "qdrant")]
impl Inquiry for Nearby {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _: &Survey) -> Cued {
        let meaning = Some(self.0.clone());
        Cued::By(Cues { meaning, alone: true, ..Cues::default() })
    }

    fn choose(&mut self, _: &Evidence) -> Vec<Place> {
        Vec::new()
    }
}

#[cfg(feature = "qdrant")]
#[test]
fn a_silent_server_is_left_alone_by_those_who_search() {
    let (_server, url) = silent();
    let shelf = Qdrant::new(&qdrant::Options::new(url)).unwrap();
    let options = Options { timeout: Duration::from_millis(100), ..Options::new("qdrant") };
    let guarded = Arc::new(Guarded::new(Arc::new(shelf), options).unwrap());
    let name = Identifier::new("qdrant").unwrap();
    let shelves = HashMap::from([(name.clone(), guarded.clone() as Arc<dyn Shelf>)]);
    let rules = Rules(vec![Rule { shelf: Some(name.clone()), ..Rule::default() }]);
    let shelved =
        Shelved::new(Arc::new(MemoryStore::new()), shelves, rules, Timestamp::now).unwrap();
    let filter = Filter::new(vec![user("alice")], Timestamp::now());
    let fingerprint = Fingerprint::new("model").unwrap();
    let meaning = Meaning { fingerprint, vector: vec![1.0, 0.0] };
    for _ in 0..3 {
        let inquiry = Box::new(Nearby(meaning.clone()));
        let found = block_on(shelved.find(&filter, 10, inquiry)).unwrap();
        assert_eq!(found.unavailable, std::slice::from_ref(&name));
    }
    assert_eq!(guarded.circuit(), Circuit::Open);
}

#[test]
fn every_portion_is_counted() {
    let guarded = guarded();
    let contents: Vec<_> = (0..15).map(|number| content(&slot(&user("alice"), number))).collect();
    block_on(guarded.put(&contents)).unwrap();
    let counts = guarded.counts();
    assert_eq!((counts.calls, counts.failures, counts.retries), (3, 0, 0));
    assert_eq!(guarded.circuit(), Circuit::Closed);
    let health = block_on(guarded.health()).unwrap();
    let told = |component: &cofio::shelf::Component| component.message == "it is asked as usual";
    assert!(health.components.iter().any(told), "{health:?}");
}
