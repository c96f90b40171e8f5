//! Texts that stood on shelves and that no memory has any more.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params};

use super::read::{SCOPE, collect, scope};
use super::rows::{self, Row};
use super::unexpected;
use crate::error::Result;
use crate::model::{Identifier, Slot, Unshelved};
use crate::store::document;

/// What is in every persisted memory whose text stands elsewhere.
const SIGN: &str = "\"standing\":";

/// Notes the texts of a memory that is removed, and of its earlier versions.
pub(super) fn note(connection: &Connection, row: &Row) -> Result<()> {
    let mut select = connection
        .prepare_cached("SELECT document FROM versions WHERE memory = ?")
        .map_err(unexpected)?;
    let versions = select.query_map([row.number], |row| row.get::<_, String>(0));
    let versions: Vec<String> =
        versions.and_then(Iterator::collect::<rusqlite::Result<_>>).map_err(unexpected)?;
    for document in versions.iter().chain([&row.document]).filter(|one| one.contains(SIGN)) {
        let memory = document::decode(document)?;
        let Some(standing) = memory.content.standing() else { continue };
        let (shelf, edition) = (standing.shelf.as_str(), standing.edition);
        connection
            .prepare_cached(
                "INSERT INTO unshelved (shelf, scope, id, edition) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING",
            )
            .and_then(|mut insert| {
                insert.execute(params![shelf, row.scope, memory.id.as_str(), edition])
            })
            .map_err(unexpected)?;
    }
    Ok(())
}

/// Returns some of the texts that were noted.
pub(super) fn list(
    connection: &Connection,
    shelf: &Identifier,
    limit: usize,
) -> Result<Vec<Unshelved>> {
    let sql = format!(
        "SELECT {SCOPE}, u.shelf, u.id, u.edition
         FROM unshelved AS u JOIN scopes AS s USING (scope) WHERE u.shelf = ? LIMIT ?"
    );
    let values = [Sql::from(shelf.as_str().to_owned()), super::read::bounded(limit as u64)];
    collect(connection, &sql, values, |row| {
        let text = |column| row.get::<_, String>(column).map_err(unexpected);
        let edition = row.get(10).map_err(unexpected)?;
        let slot = Slot { scope: scope(row, 0)?, id: text(9)?.parse()?, edition };
        Ok(Unshelved { shelf: Identifier::new(&text(8)?)?, slot })
    })
}

/// Strikes texts off.
pub(super) fn strike_off(connection: &Connection, gone: &[Unshelved]) -> Result<()> {
    for Unshelved { shelf, slot } in gone {
        let scope = rows::scope_number(connection, &slot.scope)?;
        connection
            .prepare_cached(
                "DELETE FROM unshelved WHERE shelf = ? AND scope = ? AND id = ? AND edition = ?",
            )
            .and_then(|mut delete| {
                delete.execute(params![shelf.as_str(), scope, slot.id.as_str(), slot.edition])
            })
            .map_err(unexpected)?;
    }
    Ok(())
}
