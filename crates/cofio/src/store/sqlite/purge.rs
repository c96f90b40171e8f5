//! Overwriting what deletions may have left in the file: free pages and the write-ahead log.
//!
//! Every deletion does that already. This is for files that other programs have written to, and for
//! a log that could not be emptied because somebody was reading.

use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{SqliteStore, threads, unexpected};
use crate::error::Result;

/// How many pages of zeros are written with one row.
const PAGES: u64 = 1_000;

/// How long to wait for those who read from the log.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purged {
    /// How many free pages of the file were overwritten.
    pub free_pages: u64,
    /// How many bytes of the write-ahead log were moved into the file.
    pub log_bytes: u64,
    /// Whether the log is empty now; otherwise another process is still reading from it.
    pub log_emptied: bool,
}

impl SqliteStore {
    /// Overwrites free pages with zeros and empties the write-ahead log.
    ///
    /// Waits for others who read, and gives up after some seconds.
    pub async fn purge(&self) -> Result<Purged> {
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        self.threads
            .run(move |connection| {
                let log_bytes = std::fs::metadata(log).map_or(0, |log| log.len());
                let free_pages = overwrite_free_pages(connection)?;
                let log_emptied = empty_log(connection)?;
                Ok(Purged { free_pages, log_bytes, log_emptied })
            })
            .await
    }
}

/// Fills all free pages with zeros and frees them again.
fn overwrite_free_pages(connection: &mut Connection) -> Result<u64> {
    let number = |connection: &Connection, pragma: &str| {
        connection.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0)).map_err(unexpected)
    };
    let page = number(connection, "page_size")?;
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let free = number(&transaction, "freelist_count")?;
    if free > 0 {
        transaction.execute_batch("CREATE TABLE purge (zeros BLOB)").map_err(unexpected)?;
        // What is too much grows the file by some pages, and too little would leave one.
        let mut left = free + 1;
        while left > 0 {
            let pages = left.min(PAGES);
            transaction
                .execute("INSERT INTO purge VALUES (zeroblob(?))", [pages * page])
                .map_err(unexpected)?;
            left -= pages;
        }
        // With secure deletion, what is freed is overwritten.
        transaction.execute_batch("DROP TABLE purge").map_err(unexpected)?;
    }
    transaction.commit().map_err(unexpected)?;
    Ok(free)
}

fn empty_log(connection: &mut Connection) -> Result<bool> {
    connection.busy_timeout(PATIENCE).map_err(unexpected)?;
    let busy: i64 = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .map_err(unexpected)?;
    connection.busy_handler(Some(threads::wait_for_turn)).map_err(unexpected)?;
    Ok(busy == 0)
}
