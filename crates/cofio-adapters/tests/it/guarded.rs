//! A guarded shelf keeps the contract, in whatever portions it is asked.

use std::sync::Arc;

use cofio::model::Timestamp;
use cofio::shelf::{MemoryShelf, Shelf, conformance};
use cofio_adapters::guarded::{Circuit, Guarded, Options};
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

#[test]
fn every_portion_is_counted() {
    let guarded = guarded();
    let contents: Vec<_> = (0..15).map(|number| content(&slot(&user("alice"), number))).collect();
    block_on(guarded.put(&contents)).unwrap();
    let counts = guarded.counts();
    assert_eq!((counts.calls, counts.failures, counts.retries), (3, 0, 0));
    assert_eq!(guarded.circuit(), Circuit::Closed);
    let health = block_on(guarded.health()).unwrap();
    let told = |component: &cofio::shelf::Component| component.message == "the circuit is closed";
    assert!(health.components.iter().any(told), "{health:?}");
}
