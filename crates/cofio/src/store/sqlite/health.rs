//! How the file is, as far as a glance tells.

use rusqlite::Connection;

use super::{SqliteStore, unexpected};
use crate::error::Result;
use crate::model::{Checkup, Component, Health, Status};
use crate::store::Watch;

/// What the store is called.
const NAME: &str = "sqlite";

/// Reads a little of the file.
pub(super) async fn check(store: &SqliteStore, clock: Watch<'_>) -> Checkup {
    let start = clock();
    let version = store.threads.read(schema_version).await;
    let latency = clock().duration_since(start).unsigned_abs();
    let health = version.map(|version| {
        let file = Component {
            name: "file",
            status: Status::Healthy,
            message: format!("tables of version {version}"),
        };
        Health::new(latency, Some(rusqlite::version().to_owned()), vec![file])
    });
    Checkup { name: NAME.to_owned(), health }
}

fn schema_version(connection: &Connection) -> Result<u64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(unexpected)
}
