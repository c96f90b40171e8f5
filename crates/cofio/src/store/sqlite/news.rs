//! What has changed, told on the thread that asks.
//!
//! SQLite knows at once whether anybody has written to the file since a connection last looked, and
//! that takes microseconds; only if so the sequence of changes is read.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::{SqliteOptions, connect, read, unexpected};
use crate::error::Result;
use crate::model::{Access, ChangeRecord};

/// How many changes are told at most.
const MOST: usize = 256;

/// Knows what has changed in a file.
#[derive(Debug)]
pub(super) struct News {
    path: PathBuf,
    options: SqliteOptions,
    /// Opened when somebody first asks.
    looking: Mutex<Option<Looking>>,
}

/// A connection that does nothing but look whether there is anything new.
#[derive(Debug)]
struct Looking {
    connection: Connection,
    /// The version of the file that was seen last.
    version: i64,
    /// The last change in that version.
    last: u64,
}

impl News {
    pub(super) fn of(path: &Path, options: SqliteOptions) -> Self {
        Self { path: path.to_owned(), options, looking: Mutex::default() }
    }

    /// Returns the changes after a place, if they can be told.
    pub(super) fn after(&self, place: u64) -> Option<Vec<ChangeRecord>> {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if looking.is_none() {
            let connection = connect(&self.path, self.options).ok()?;
            // No file has this version.
            *looking = Some(Looking { connection, version: -1, last: 0 });
        }
        looking.as_mut()?.after(place).ok()?
    }
}

impl Looking {
    fn after(&mut self, place: u64) -> Result<Option<Vec<ChangeRecord>>> {
        // What is committed between this and the next look makes another version.
        let version = self
            .connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut version| version.query_row([], |row| row.get(0)))
            .map_err(unexpected)?;
        if version == self.version && self.last <= place {
            return Ok(Some(Vec::new()));
        }
        let changes = read::changes(&self.connection, &Access::everything(), place, MOST)?;
        if changes.len() == MOST {
            return Ok(None);
        }
        self.version = version;
        self.last = changes.last().map_or(place, |change| change.sequence);
        Ok(Some(changes))
    }
}
