//! How the file is, as far as a glance tells.

use rusqlite::Connection;

use super::{SqliteStore, unexpected};
use crate::error::Result;
use crate::model::{Component, Health, Status};
use crate::store::Clock;

/// Reads a little of the file.
pub(super) async fn check(store: &SqliteStore, clock: &dyn Clock) -> Result<Health> {
    let start = clock.now();
    let version = store.threads.read(schema_version).await?;
    let latency = clock.now().duration_since(start).unsigned_abs();
    let file = Component {
        name: "file",
        status: Status::Healthy,
        message: format!("tables of version {version}"),
    };
    Ok(Health::new(latency, Some(rusqlite::version().to_owned()), vec![file]))
}

fn schema_version(connection: &Connection) -> Result<u64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(unexpected)
}
