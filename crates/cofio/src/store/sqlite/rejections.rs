//! Values that must not be learnt again.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::read::{self, collect};
use super::{filter, unexpected};
use crate::error::Result;
use crate::model::{Access, Scope, Timestamp, ValueHash};
use crate::store::Rejection;
use crate::store::document::moment;

/// Marks a value as rejected in a scope.
pub(super) fn add(
    connection: &Connection,
    scope: i64,
    value: &ValueHash,
    at: Timestamp,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO rejections (scope, value, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .and_then(|mut insert| insert.execute((scope, value, at.as_microsecond())))
        .map(drop)
        .map_err(unexpected)
}

/// Returns which of some values are rejected in a scope, in their order.
pub(super) fn are_rejected(
    connection: &Connection,
    scope: &Scope,
    values: &[ValueHash],
) -> Result<Vec<bool>> {
    let Some(&scope) = read::scope_numbers(connection, std::slice::from_ref(scope))?.first() else {
        return Ok(vec![false; values.len()]);
    };
    let mut select = connection
        .prepare_cached("SELECT 1 FROM rejections WHERE scope = ? AND value = ?")
        .map_err(unexpected)?;
    let is_rejected = |value: &ValueHash| {
        let found = select.query_row((scope, value), |_| Ok(())).optional().map_err(unexpected)?;
        Ok(found.is_some())
    };
    values.iter().map(is_rejected).collect()
}

/// Returns everything that was rejected where access opens it, the latest first.
pub(super) fn list(connection: &Connection, access: &Access) -> Result<Vec<Rejection>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT r.value, r.at, {} FROM rejections AS r JOIN scopes AS s USING (scope)
         WHERE {} ORDER BY r.at DESC, r.value",
        read::SCOPE,
        open.sql
    );
    collect(connection, &sql, open.values, |row| {
        Ok(Rejection {
            value: row.get(0).map_err(unexpected)?,
            at: moment(row.get(1).map_err(unexpected)?)?,
            scope: read::scope(row, 2)?,
        })
    })
}

/// Lets a value be learnt again, and returns whether it was rejected.
pub(super) fn remove(
    connection: &mut Connection,
    scope: &Scope,
    value: &ValueHash,
) -> Result<bool> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let scopes = read::scope_numbers(&transaction, std::slice::from_ref(scope))?;
    let mut removed = 0;
    for scope in scopes {
        let values = [Sql::from(scope), Sql::from(value.to_vec())];
        removed += transaction
            .execute("DELETE FROM rejections WHERE scope = ? AND value = ?", values)
            .map_err(unexpected)?;
    }
    transaction.commit().map_err(unexpected)?;
    Ok(removed > 0)
}
