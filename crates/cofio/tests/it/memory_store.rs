//! The store in memory keeps the contract.

use std::sync::Arc;

use cofio::store::{MemoryStore, Store, conformance};

fn fresh() -> (Arc<dyn Store>, ()) {
    (Arc::new(MemoryStore::new()), ())
}

conformance::suite!(fresh, pollster::block_on);
