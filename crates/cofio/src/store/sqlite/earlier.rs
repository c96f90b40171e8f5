//! What memories were at an earlier moment, as far as they were changed since.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row};

use super::read::{collect, memory};
use super::unexpected;
use crate::error::Result;
use crate::model::{Filter, Memory, Place};

/// Returns the memories of a scope that were changed since the moment whose knowledge counts and
/// that a filter means, each as it was then and with its number.
pub(super) fn changed(
    connection: &Connection,
    filter: &Filter,
    scope: i64,
) -> Result<Vec<(i64, Memory)>> {
    let Some(moment) = filter.criteria.as_of else { return Ok(Vec::new()) };
    let sql = "SELECT v.document, 0, NULL, NULL, m.memory
               FROM memories AS m JOIN versions AS v USING (memory)
               WHERE m.scope = ?1 AND m.created_at <= ?2 AND m.version > 1
               AND json_extract(m.document, '$.updated_at') > ?2
               AND (m.expires_at IS NULL OR m.expires_at > ?3)
               AND v.version = (
                   SELECT max(version) FROM versions AS w WHERE w.memory = m.memory
                   AND (w.version = 1 OR json_extract(w.document, '$.updated_at') <= ?2))";
    let moments = [moment, filter.now].map(|moment| Sql::from(moment.as_microsecond()));
    let values = [Sql::from(scope)].into_iter().chain(moments);
    let numbered = |row: &Row<'_>| Ok((row.get(4).map_err(unexpected)?, memory(row)?));
    let mut changed = collect(connection, sql, values, numbered)?;
    changed.retain(|(_, version)| filter.admits(version));
    Ok(changed)
}

/// Returns a memory as a filter means it, if it does.
pub(super) fn meant(
    connection: &Connection,
    filter: &Filter,
    place: Place,
    current: Memory,
) -> Result<Option<Memory>> {
    let moment = filter.criteria.as_of.filter(|moment| *moment < current.written_at());
    let Some(moment) = moment else {
        return Ok(Some(current).filter(|current| filter.meant(current, &[]).is_some()));
    };
    let sql = "SELECT document, 0, NULL, NULL FROM versions WHERE memory = ?
               AND (version = 1 OR json_extract(document, '$.updated_at') <= ?)
               ORDER BY version DESC LIMIT 1";
    let values = [place.0.cast_signed(), moment.as_microsecond()].map(Sql::from);
    let earlier = collect(connection, sql, values, memory)?;
    let is_meant = filter.meant(&current, &earlier).is_some();
    Ok(earlier.into_iter().next().filter(|_| is_meant))
}
