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
    vector: Option<String>,
    /// Whether it waits for the disk.
    syncs: bool,
    /// Whether a page that was written by half can be made whole.
    heals: bool,
    /// What a commit waits for.
    waits: String,
}

/// Asks the server for its versions and how it keeps what it was given.
pub(super) async fn look(session: &Session) -> Result<Seen> {
    let sql = "SELECT current_setting('server_version'),
                      (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
                      current_setting('fsync')::boolean,
                      current_setting('full_page_writes')::boolean,
                      current_setting('synchronous_commit')";
    let rows = session.query(sql, &[]).await?;
    let row = &rows[0];
    Ok(Seen {
        server: get(row, 0)?,
        vector: get(row, 1)?,
        syncs: get(row, 2)?,
        heals: get(row, 3)?,
        waits: get(row, 4)?,
    })
}

impl Seen {
    /// Makes a health of it.
    pub(super) fn after(self, latency: Duration) -> Health {
        let components = vec![self.vector(), self.durability()];
        Health::new(latency, Some(self.server), components)
    }

    fn vector(&self) -> Component {
        let (status, message) = match &self.vector {
            Some(version) => (Status::Healthy, format!("version {version}")),
            None => (Status::Unhealthy, "the extension is not there any more".to_owned()),
        };
        Component { name: "pgvector", status, message }
    }

    /// Says whether what is acknowledged outlives a crash of the machine.
    ///
    /// Where it does not, everything works: it was somebody's choice, who may have reasons.
    fn durability(&self) -> Component {
        let (status, message) = match (self.syncs, self.heals) {
            (true, true) => {
                let waits = &self.waits;
                let message = format!(
                    "every commit is on disk before it is acknowledged (synchronous_commit {waits})"
                );
                (Status::Healthy, message)
            }
            (false, _) => {
                let message = "if the machine crashes, what was acknowledged may be lost and the \
                               database damaged (fsync off); set fsync to on";
                (Status::Degraded, message.to_owned())
            }
            (true, false) => {
                let message = "if the machine crashes, the database may be damaged \
                               (full_page_writes off); set full_page_writes to on, unless the file \
                               system writes whole pages or none";
                (Status::Degraded, message.to_owned())
            }
        };
        Component { name: "durability", status, message }
    }
}
