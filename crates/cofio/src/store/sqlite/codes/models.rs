//! The models that vectors were made by.

use rusqlite::{Connection, OptionalExtension as _};

use super::key::{Key, LAST_MODEL};
use super::records::Records;
use super::{delete_page, delete_vector, next_revision, shrink_population, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Fingerprint;
use crate::store::vectors::DIMENSIONS;

/// Returns the number of a model, giving it one where it has none.
///
/// Fails if the model is known with other dimensions, or if too many models are in use.
pub(in super::super) fn model_number(
    connection: &Connection,
    fingerprint: &Fingerprint,
    dimensions: usize,
) -> Result<i64> {
    if let Some(model) = find_model(connection, fingerprint)? {
        let known = self::dimensions(connection, model)?;
        if known == dimensions {
            return Ok(model);
        }
        let message = format!("this model's vectors have {known} dimensions, not {dimensions}");
        return Err(Error::invalid(message));
    }
    if !DIMENSIONS.contains(&dimensions) {
        return Err(Error::invalid(format!("vectors of {dimensions} dimensions cannot be kept")));
    }
    let model = free_number(connection)?;
    connection
        .execute(
            "INSERT INTO models (model, fingerprint, dimensions) VALUES (?, ?, ?)",
            (model, fingerprint.as_str(), dimensions),
        )
        .map_err(unexpected)?;
    Ok(model)
}

/// Returns the number of a model that has one.
pub(in super::super) fn find_model(
    connection: &Connection,
    fingerprint: &Fingerprint,
) -> Result<Option<i64>> {
    connection
        .prepare_cached("SELECT model FROM models WHERE fingerprint = ?")
        .and_then(|mut select| {
            select.query_row([fingerprint.as_str()], |row| row.get(0)).optional()
        })
        .map_err(unexpected)
}

/// Removes about `limit` vectors of a model, and returns how many it still has.
///
/// With the last vector the model is gone as well.
pub(in super::super) fn forget_model(
    connection: &Connection,
    model: i64,
    limit: usize,
) -> Result<usize> {
    let dimensions = dimensions(connection, model)?;
    let revision = next_revision(connection)?;
    let mut removed = 0;
    while removed < limit
        && let Some((page, scope, bytes)) = any_page(connection, model)?
    {
        let keys: Vec<Key> = Records::read(dimensions, bytes)?.keys().collect();
        for key in &keys {
            delete_vector(connection, *key)?;
        }
        delete_page(connection, page)?;
        shrink_population(connection, (model, scope), revision, 1, keys.len())?;
        removed += keys.len();
    }
    let remaining: usize = connection
        .query_row(
            "SELECT coalesce(sum(vectors), 0) FROM populations WHERE model = ?",
            [model],
            |row| row.get(0),
        )
        .map_err(unexpected)?;
    if remaining == 0 {
        // Those without a code are there only if the codes were damaged.
        connection.execute("DELETE FROM vectors WHERE model = ?", [model]).map_err(unexpected)?;
        connection.execute("DELETE FROM models WHERE model = ?", [model]).map_err(unexpected)?;
    }
    Ok(remaining)
}

/// Returns how many dimensions the vectors of a model have.
pub(in super::super) fn dimensions(connection: &Connection, model: i64) -> Result<usize> {
    connection
        .prepare_cached("SELECT dimensions FROM models WHERE model = ?")
        .and_then(|mut select| select.query_row([model], |row| row.get(0)).optional())
        .map_err(unexpected)?
        .ok_or_else(|| Error::new(ErrorKind::NotFound, "there is no model with this number"))
}

fn any_page(connection: &Connection, model: i64) -> Result<Option<(i64, i64, Vec<u8>)>> {
    connection
        .prepare_cached("SELECT page, scope, records FROM codes WHERE model = ? LIMIT 1")
        .and_then(|mut select| {
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            select.query_row([model], row).optional()
        })
        .map_err(unexpected)
}

fn free_number(connection: &Connection) -> Result<i64> {
    let used: Vec<i64> = connection
        .prepare("SELECT model FROM models")
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .map_err(unexpected)?;
    (1..=LAST_MODEL).find(|number| !used.contains(number)).ok_or_else(|| {
        Error::new(ErrorKind::Conflict, "too many embedding models are in use: drop old vectors")
    })
}
