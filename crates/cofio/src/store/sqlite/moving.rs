//! Giving everything to another store, and taking everything in.

mod memories;
mod tables;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::{SqliteStore, failed, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::processors::share;
use crate::store::moving::{Movable, Part, Record, RecordKey, Stretch};
use crate::store::{CarriedMemory, Store};
use memories::Incoming;

#[async_trait]
impl Movable for SqliteStore {
    fn store(&self) -> &dyn Store {
        self
    }

    async fn count(&self, part: Part) -> Result<u64> {
        self.threads
            .read(move |connection| match part {
                Part::Memories => memories::count(connection),
                part => tables::count(connection, part),
            })
            .await
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        let stretch = stretch.clone();
        self.threads
            .read(move |connection| match part {
                Part::Memories => memories::read(connection, &stretch, limit),
                part => tables::read(connection, part, &stretch, limit),
            })
            .await
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        if part == Part::Memories {
            let carried: Vec<Box<CarriedMemory>> = records.into_iter().filter_map(memory).collect();
            let incoming: Vec<Incoming> = share(&carried, |memory| Incoming::of(memory))
                .into_iter()
                .collect::<Result<_>>()?;
            return self
                .threads
                .run(move |connection| {
                    let numbers = memories::numbers(&gone);
                    together(connection, |within| memories::replace(within, &numbers, &incoming))
                })
                .await;
        }
        self.threads
            .run(move |connection| {
                together(connection, |within| tables::replace(within, part, &gone, &records))
            })
            .await
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        self.threads.read(mark).await
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        let origin = unfinished_copy_of.map(str::to_owned);
        self.threads.run(move |connection| set_mark(connection, origin.as_deref())).await
    }
}

fn memory(record: Record) -> Option<Box<CarriedMemory>> {
    if let Record::Memory(memory) = record { Some(memory) } else { None }
}

fn together(
    connection: &mut Connection,
    task: impl FnOnce(&Connection) -> Result<()>,
) -> Result<()> {
    let cannot_write = |cause| failed(cause, "cannot write to the database");
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(cannot_write)?;
    task(&transaction)?;
    transaction.commit().map_err(cannot_write)
}

/// Refuses a file that is the unfinished copy of another store.
pub(super) fn check_finished(connection: &Connection) -> Result<()> {
    match mark(connection)? {
        None => Ok(()),
        Some(_) => Err(unfinished()),
    }
}

fn unfinished() -> Error {
    let message = "this store is the unfinished copy of another: run the same `cofio migrate` \
                   again, which goes on where it was";
    Error::new(ErrorKind::Configuration, message)
}

fn mark(connection: &Connection) -> Result<Option<String>> {
    connection
        .query_row("SELECT value FROM settings WHERE name = 'moving'", [], |row| row.get(0))
        .optional()
        .map_err(unexpected)
}

fn set_mark(connection: &Connection, origin: Option<&str>) -> Result<()> {
    match origin {
        Some(origin) => connection.execute(
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('moving', ?)",
            [origin],
        ),
        None => connection.execute("DELETE FROM settings WHERE name = 'moving'", []),
    }
    .map(drop)
    .map_err(unexpected)
}
