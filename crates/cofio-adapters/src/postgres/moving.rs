//! Giving everything to another store, and taking everything in.

mod memories;
mod tables;

use async_trait::async_trait;
use cofio::store::{CarriedMemory, Movable, Part, Record, RecordKey, Store, Stretch};
use cofio::{Error, ErrorKind, Result};

use super::PostgresStore;
use super::connections::Connections;
use super::doing::{asking, reading_all, writing};
use super::rows::get;
use super::session::Session;

#[async_trait]
impl Movable for PostgresStore {
    fn store(&self) -> &dyn Store {
        self
    }

    async fn count(&self, part: Part) -> Result<u64> {
        reading_all!(self; session => tables::count(&session, part))
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        if part == Part::Memories {
            return reading_all!(self; session, stretch = stretch.clone() => {
                memories::read(&session, &stretch, limit)
            });
        }
        reading_all!(self; session, stretch = stretch.clone() => {
            tables::read(&session, part, &stretch, limit)
        })
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        if part == Part::Memories {
            let memories: Vec<CarriedMemory> = records.into_iter().filter_map(memory).collect();
            return writing!(self; session => memories::replace(&session, &gone, memories));
        }
        writing!(self; session => tables::replace(&session, part, &gone, &records))
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        asking!(self; session => mark(&session))
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        let origin = unfinished_copy_of.map(str::to_owned);
        writing!(self; session => set_mark(&session, origin.as_deref()))
    }
}

fn memory(record: Record) -> Option<CarriedMemory> {
    if let Record::Memory(memory) = record { Some(*memory) } else { None }
}

/// Refuses a schema that is the unfinished copy of another store.
pub(super) async fn check_finished(connections: &Connections) -> Result<()> {
    let session = Session::single(connections).await?;
    let mark = mark(&session).await;
    if session.end(mark)?.is_none() {
        return Ok(());
    }
    let message = "this store is the unfinished copy of another: run the same `cofio migrate` \
                   again, which goes on where it was";
    Err(Error::new(ErrorKind::Configuration, message))
}

async fn mark(session: &Session) -> Result<Option<String>> {
    let rows = session.query("SELECT value FROM settings WHERE name = 'moving'", &[]).await?;
    rows.first().map(|row| get(row, 0)).transpose()
}

async fn set_mark(session: &Session, origin: Option<&str>) -> Result<()> {
    match origin {
        Some(origin) => {
            let sql = "INSERT INTO settings (name, value) VALUES ('moving', $1)
                       ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            session.execute(sql, &[&origin]).await
        }
        None => session.execute("DELETE FROM settings WHERE name = 'moving'", &[]).await,
    }
    .map(drop)
}
