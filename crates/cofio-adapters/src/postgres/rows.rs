//! Rows as what they stand for.

use cofio::model::{
    Accesses, Embedding, Fingerprint, Identifier, Identifiers, Layer, Memory, Scope,
};
use cofio::store::decode;
use cofio::store::kit::moment;
use cofio::{Error, ErrorKind, Result};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use super::failure::unreadable;

/// The columns that [`memory`] reads.
pub(super) const MEMORY: &str = "m.document, m.access_count, m.accessed_at, m.fingerprint";

/// How many those are.
pub(super) const MEMORY_COLUMNS: usize = 4;

/// Ends a lateral query for one memory or conversation, which has the server look up each of a list
/// by its key.
///
/// Where it has no statistics yet it would else compare the whole list with every memory of a scope.
pub(super) const ONE_BY_ONE: &str = "OFFSET 0";

/// The columns that [`scope`] reads.
pub(super) const SCOPE: &str = "s.layer, s.names";

/// Reads one column.
pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T> {
    row.try_get(column).map_err(unreadable)
}

/// Reads a column that holds a count or a sequence number.
pub(super) fn count(row: &Row, column: usize) -> Result<u64> {
    get::<i64>(row, column).map(i64::unsigned_abs)
}

/// Reads a column and what its text means.
pub(super) fn parsed<T: std::str::FromStr<Err = Error>>(row: &Row, column: usize) -> Result<T> {
    get::<&str>(row, column)?.parse()
}

/// Reads the columns of [`MEMORY`], beginning at `first`.
pub(super) fn memory(row: &Row, first: usize) -> Result<Memory> {
    let mut memory = decode(get(row, first)?)?;
    let accessed_at: Option<i64> = get(row, first + 2)?;
    memory.accesses =
        Accesses { count: count(row, first + 1)?, last_at: accessed_at.map(moment).transpose()? };
    if let Some(fingerprint) = get::<Option<&str>>(row, first + 3)? {
        memory.embedding = Embedding::Ready(Fingerprint::new(fingerprint)?);
    }
    Ok(memory)
}

/// Reads the columns of [`SCOPE`], beginning at `first`.
pub(super) fn scope(row: &Row, first: usize) -> Result<Scope> {
    let layer: Layer = parsed(row, first)?;
    let names: Vec<Option<&str>> = get(row, first + 1)?;
    let mut identifiers = Identifiers::default();
    for (&layer, name) in Layer::ALL.iter().zip(names) {
        if let Some(name) = name {
            identifiers = identifiers.with(layer, Identifier::new(name)?);
        }
    }
    Scope::new(layer, &identifiers)
}

/// Returns a number that PostgreSQL can hold.
pub(super) fn bounded(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Returns the error of something stored that makes no sense.
pub(super) fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::Damaged, format!("{what} cannot be read"))
}
