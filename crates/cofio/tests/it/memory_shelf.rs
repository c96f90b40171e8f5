//! The shelf in the process keeps the contract.

use std::sync::Arc;

use cofio::shelf::{MemoryShelf, Shelf, conformance};

use crate::fixture::START;

fn fresh() -> (Arc<dyn Shelf>, ()) {
    (Arc::new(MemoryShelf::new(|| START.parse().unwrap())), ())
}

conformance::suite!(fresh, pollster::block_on);
