//! A guarded shelf keeps the contract, in whatever portions it is asked.

#[cfg(feature = "chroma")]
use std::net::TcpListener;
use std::sync::Arc;
#[cfg(feature = "chroma")]
use std::time::{Duration, Instant};

use cofio::model::Timestamp;
use cofio::shelf::{MemoryShelf, Shelf, conformance};
#[cfg(feature = "chroma")]
use cofio_adapters::chroma::{self, Chroma};
use cofio_adapters::guarded::{Circuit, Guarded, Options};
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

#[cfg(feature = "chroma")]
#[test]
fn a_silent_server_is_waited_for_as_long_as_the_options_say() {
    // Connections are taken, and nobody reads what arrives.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
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
