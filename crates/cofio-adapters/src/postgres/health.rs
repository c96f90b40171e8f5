//! How the server is.

use std::time::Duration;

use cofio::Result;
use cofio::model::{Component, Health, Status};

use super::rows::get;
use super::session::Session;

/// What the server says of itself.
#[derive(Debug)]
pub(super) struct Seen {
    server: String,
    vector: String,
}

/// Asks the server for its versions.
pub(super) async fn look(session: &Session) -> Result<Seen> {
    let sql = "SELECT current_setting('server_version'), extversion FROM pg_extension
               WHERE extname = 'vector'";
    let rows = session.query(sql, &[]).await?;
    let Some(row) = rows.first() else {
        return Ok(Seen { server: String::new(), vector: String::new() });
    };
    Ok(Seen { server: get(row, 0)?, vector: get(row, 1)? })
}

impl Seen {
    /// Makes a health of it.
    pub(super) fn after(self, latency: Duration) -> Health {
        let vector = Component {
            name: "pgvector",
            status: if self.vector.is_empty() { Status::Unhealthy } else { Status::Healthy },
            message: format!("version {}", self.vector),
        };
        Health::new(latency, Some(self.server), vec![vector])
    }
}
