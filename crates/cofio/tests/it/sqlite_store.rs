//! The SQLite store keeps the contract.

use std::sync::Arc;

use cofio::store::{SqliteStore, Store, conformance};
use tempfile::TempDir;

fn fresh() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
    (Arc::new(store), folder)
}

conformance::suite!(fresh, pollster::block_on);
