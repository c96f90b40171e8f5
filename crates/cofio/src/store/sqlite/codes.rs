//! Vectors in tables: kept in half precision, found by codes of one bit per dimension.
//!
//! `vectors` holds what embedders made and is the truth; `codes` and `populations` are derived
//! from it and can be made anew. All writing happens inside the caller's transaction, all reading
//! inside its snapshot; what a process keeps in memory is in a [`Cache`], and is compared with the
//! snapshot before every use.

#[cfg(feature = "bench")]
mod bench;
mod cache;
mod key;
mod models;
mod records;
mod search;
mod upkeep;

#[cfg(test)]
mod tests;

#[cfg(feature = "bench")]
pub use bench::{Nearest, VectorTables};
pub(super) use cache::Cache;
pub(super) use models::{dimensions, find_model, forget_model, model_number};
pub(super) use search::{cosines, make_ready, nearest};
pub(super) use upkeep::{check, rebuild};

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension as _};

use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::store::vectors::{Code, Half, direction};
use key::Key;
use records::{Record, Records};

/// The flag of vectors that are counted apart from all others: what an assistant said.
pub(super) const ASSISTANT: u8 = 1;

/// The hash of a passage's text.
pub(super) type TextHash = [u8; 16];

/// One passage of a memory: its number, the hash of its text, and its vector.
pub(super) type Passage<'a> = (u16, TextHash, &'a [f32]);

/// Keeps the vectors that a model made of a memory, in place of earlier ones.
///
/// Fails before anything is written if a vector has not the model's dimensions or no direction,
/// or a passage comes twice.
pub(super) fn insert(
    connection: &Connection,
    scope: i64,
    model: i64,
    memory: i64,
    flags: u8,
    passages: &[Passage<'_>],
) -> Result<()> {
    let dimensions = models::dimensions(connection, model)?;
    let (first, last) = Key::all_by(memory, model)?;
    let mut prepared = Vec::with_capacity(passages.len());
    let mut seen = HashSet::new();
    for &(passage, text, vector) in passages {
        if !seen.insert(passage) {
            return Err(Error::invalid("a passage has two vectors"));
        }
        prepared.push((passage, text, Half::all(&direction(vector, dimensions)?)));
    }
    remove_between(connection, scope, first, last)?;
    insert_halves(connection, scope, model, memory, flags, &prepared)
}

/// Keeps vectors that are in half precision already, for a memory that has none of the model.
pub(super) fn insert_halves(
    connection: &Connection,
    scope: i64,
    model: i64,
    memory: i64,
    flags: u8,
    passages: &[(u16, TextHash, Vec<Half>)],
) -> Result<()> {
    let dimensions = models::dimensions(connection, model)?;
    if passages.iter().any(|(_, _, numbers)| numbers.len() != dimensions) {
        return Err(Error::invalid(format!("a vector has not {dimensions} dimensions")));
    }
    if passages.is_empty() {
        return Ok(());
    }
    let mut writing = Writing::new(connection, scope, model, dimensions)?;
    for (passage, text, numbers) in passages {
        writing.add(Key::new(memory, model, *passage)?, flags, text, numbers)?;
    }
    writing.finish()
}

/// Removes all vectors of a memory, of whatever model.
pub(super) fn remove(connection: &Connection, scope: i64, memory: i64) -> Result<()> {
    let (first, last) = Key::all_of(memory)?;
    remove_between(connection, scope, first, last)
}

/// Returns the vector that a model made of the same text before, if it is still kept.
pub(super) fn find_by_text(
    connection: &Connection,
    model: i64,
    text: &TextHash,
) -> Result<Option<Vec<f32>>> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached("SELECT numbers FROM vectors WHERE model = ? AND text = ? LIMIT 1")
        .and_then(|mut select| select.query_row((model, text), |row| row.get(0)).optional())
        .map_err(unexpected)?;
    Ok(bytes.map(|bytes| Half::from_bytes(&bytes).map(Half::value).collect()))
}

/// Returns how many vectors of a model a scope has.
pub(super) fn count(connection: &Connection, scope: i64, model: i64) -> Result<usize> {
    connection
        .prepare_cached("SELECT vectors FROM populations WHERE model = ? AND scope = ?")
        .and_then(|mut select| select.query_row((model, scope), |row| row.get(0)).optional())
        .map(Option::unwrap_or_default)
        .map_err(unexpected)
}

/// Vectors on their way into the pages of one scope.
struct Writing<'a> {
    connection: &'a Connection,
    scope: i64,
    model: i64,
    revision: i64,
    page: i64,
    records: Records<'a>,
    /// Whether there is something in `records` that the page has not.
    unsaved: bool,
    new_pages: usize,
    new_vectors: usize,
}

impl<'a> Writing<'a> {
    fn new(connection: &'a Connection, scope: i64, model: i64, dimensions: usize) -> Result<Self> {
        let revision = next_revision(connection)?;
        let open: Option<(i64, Vec<u8>)> = connection
            .prepare_cached(
                "SELECT page, records FROM codes
                 WHERE model = ? AND scope = ? AND room > 0 LIMIT 1",
            )
            .and_then(|mut select| {
                let both = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                select.query_row((model, scope), both).optional()
            })
            .map_err(unexpected)?;
        let mut writing = Self {
            connection,
            scope,
            model,
            revision,
            page: 0,
            records: Records::new(dimensions),
            unsaved: false,
            new_pages: 0,
            new_vectors: 0,
        };
        match open {
            Some((page, bytes)) => {
                writing.page = page;
                writing.records = Records::read(dimensions, bytes)?;
            }
            None => writing.start_page(dimensions)?,
        }
        Ok(writing)
    }

    fn add(&mut self, key: Key, flags: u8, text: &TextHash, numbers: &[Half]) -> Result<()> {
        if self.records.room() == 0 {
            self.save()?;
            self.start_page(numbers.len())?;
        }
        self.records.push(&record(key, self.revision, flags, numbers));
        self.unsaved = true;
        self.new_vectors += 1;
        self.connection
            .prepare_cached(
                "INSERT INTO vectors (vector, page, flags, text, numbers) VALUES (?, ?, ?, ?, ?)",
            )
            .and_then(|mut insert| {
                insert.execute((key.0, self.page, flags, text, Half::to_bytes(numbers)))
            })
            .map(drop)
            .map_err(unexpected)
    }

    fn start_page(&mut self, dimensions: usize) -> Result<()> {
        self.records = Records::new(dimensions);
        self.page = self
            .connection
            .prepare_cached(
                "INSERT INTO codes (model, scope, revision, room, records) VALUES (?, ?, ?, ?, x'')",
            )
            .and_then(|mut insert| {
                insert.insert((self.model, self.scope, self.revision, self.records.room()))
            })
            .map_err(unexpected)?;
        self.new_pages += 1;
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        if std::mem::take(&mut self.unsaved) {
            save_page(self.connection, self.page, self.revision, &self.records)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.save()?;
        self.connection
            .prepare_cached(
                "INSERT INTO populations (model, scope, revision, pages, vectors)
                 VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (model, scope) DO UPDATE
                 SET revision = excluded.revision, pages = pages + excluded.pages,
                     vectors = vectors + excluded.vectors",
            )
            .and_then(|mut upsert| {
                upsert.execute((
                    self.model,
                    self.scope,
                    self.revision,
                    self.new_pages,
                    self.new_vectors,
                ))
            })
            .map(drop)
            .map_err(unexpected)
    }
}

/// Makes the code of a vector as the file has it, so that it can be made again from there.
fn record(key: Key, revision: i64, flags: u8, numbers: &[Half]) -> Record {
    let kept: Vec<f32> = numbers.iter().map(|number| number.value()).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "only the end")]
    let stamp = revision as u16;
    Record { key, stamp, flags, code: Code::new(&kept) }
}

/// Returns a revision that was never given before.
fn next_revision(connection: &Connection) -> Result<i64> {
    connection
        .prepare_cached(
            "UPDATE populations SET revision = revision + 1 WHERE model = 0 AND scope = 0
             RETURNING revision",
        )
        .and_then(|mut update| update.query_row([], |row| row.get(0)))
        .map_err(unexpected)
}

fn save_page(
    connection: &Connection,
    page: i64,
    revision: i64,
    records: &Records<'_>,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE codes SET revision = ?, room = ?, records = ? WHERE page = ?")
        .and_then(|mut update| update.execute((revision, records.room(), records.as_bytes(), page)))
        .map(drop)
        .map_err(unexpected)
}

fn delete_page(connection: &Connection, page: i64) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM codes WHERE page = ?")
        .and_then(|mut delete| delete.execute([page]))
        .map(drop)
        .map_err(unexpected)
}

fn delete_vector(connection: &Connection, key: Key) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM vectors WHERE vector = ?")
        .and_then(|mut delete| delete.execute([key.0]))
        .map(drop)
        .map_err(unexpected)
}

/// Removes the vectors with keys from `first` to `last`, which belong to one memory of the scope.
fn remove_between(connection: &Connection, scope: i64, first: i64, last: i64) -> Result<()> {
    let mut places: Vec<(i64, Key)> = connection
        .prepare_cached("SELECT page, vector FROM vectors WHERE vector BETWEEN ? AND ?")
        .and_then(|mut select| {
            let place = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, Key(row.get(1)?)));
            select.query_map((first, last), place)?.collect()
        })
        .map_err(unexpected)?;
    if places.is_empty() {
        return Ok(());
    }
    let revision = next_revision(connection)?;
    places.sort_unstable();
    for of_page in places.chunk_by(|one, other| one.0 == other.0) {
        let keys: Vec<Key> = of_page.iter().map(|place| place.1).collect();
        remove_codes(connection, scope, revision, of_page[0].0, &keys)?;
    }
    connection
        .prepare_cached("DELETE FROM vectors WHERE vector BETWEEN ? AND ?")
        .and_then(|mut delete| delete.execute((first, last)))
        .map(drop)
        .map_err(unexpected)
}

/// Removes codes from a page, and the page when nothing is left on it.
fn remove_codes(
    connection: &Connection,
    scope: i64,
    revision: i64,
    page: i64,
    keys: &[Key],
) -> Result<()> {
    let (model, bytes): (i64, Vec<u8>) = connection
        .prepare_cached("SELECT model, records FROM codes WHERE page = ? AND scope = ?")
        .and_then(|mut select| {
            let both = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            select.query_row((page, scope), both).optional()
        })
        .map_err(unexpected)?
        .ok_or_else(damaged)?;
    let mut records = Records::read(models::dimensions(connection, model)?, bytes)?;
    if records.drop_all(keys) != keys.len() {
        return Err(damaged());
    }
    if records.is_empty() {
        delete_page(connection, page)?;
    } else {
        save_page(connection, page, revision, &records)?;
    }
    let pages = usize::from(records.is_empty());
    shrink_population(connection, (model, scope), revision, pages, keys.len())
}

/// Takes pages and vectors off a population, and forgets one that has nothing left.
fn shrink_population(
    connection: &Connection,
    (model, scope): (i64, i64),
    revision: i64,
    pages: usize,
    vectors: usize,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE populations SET revision = ?, pages = pages - ?, vectors = vectors - ?
             WHERE model = ? AND scope = ?",
        )
        .and_then(|mut update| update.execute((revision, pages, vectors, model, scope)))
        .map_err(unexpected)?;
    connection
        .prepare_cached("DELETE FROM populations WHERE model = ? AND scope = ? AND vectors <= 0")
        .and_then(|mut delete| delete.execute((model, scope)))
        .map(drop)
        .map_err(unexpected)
}

/// The error for tables that contradict each other.
fn damaged() -> Error {
    Error::new(ErrorKind::Damaged, "the codes of vectors do not fit the vectors: rebuild them")
}
