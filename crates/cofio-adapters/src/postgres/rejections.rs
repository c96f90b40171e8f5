//! Values that must not be learnt again.

use std::collections::HashSet;

use cofio::Result;
use cofio::model::ValueHash;
use cofio::store::Rejection;
use cofio::store::kit::moment;
use tokio_postgres::Row;

use super::rows::{self, SCOPE, damaged, get};
use super::session::{Session, Sql};

/// Returns which of some values are rejected in the scope that is open, in their order.
pub(super) async fn are_rejected(session: &Session, values: &[ValueHash]) -> Result<Vec<bool>> {
    let mut sql = Sql::default();
    let wanted: Vec<Vec<u8>> = values.iter().map(|value| value.to_vec()).collect();
    let (wanted, within) = (sql.bind(wanted), sql.within("r", session.open()));
    sql.push(&format!(
        "SELECT r.value FROM rejections AS r WHERE r.value = ANY ({wanted}) AND {within}"
    ));
    let rows = session.run(&sql).await?;
    let rejected: HashSet<Vec<u8>> = rows.iter().map(|row| get(row, 0)).collect::<Result<_>>()?;
    Ok(values.iter().map(|value| rejected.contains(&value[..])).collect())
}

/// Returns everything that was rejected, the latest first.
pub(super) async fn list(session: &Session) -> Result<Vec<Rejection>> {
    let mut sql = Sql::default();
    let within = sql.within("r", session.open());
    sql.push(&format!(
        "SELECT r.value, r.at, {SCOPE} FROM rejections AS r JOIN scopes AS s USING (scope)
         WHERE {within} ORDER BY r.at DESC, r.value"
    ));
    let rejection = |row: &Row| {
        let value: &[u8] = get(row, 0)?;
        let value = value.try_into().map_err(|_| damaged("a rejected value"))?;
        Ok(Rejection { value, at: moment(get(row, 1)?)?, scope: rows::scope(row, 2)? })
    };
    session.run(&sql).await?.iter().map(rejection).collect()
}

/// Lets a value be learnt again in the scope that is open, and returns whether it was rejected.
pub(super) async fn remove(session: &Session, value: &ValueHash) -> Result<bool> {
    let mut sql = Sql::default();
    let (value, within) = (sql.bind(value.to_vec()), sql.within("r", session.open()));
    sql.push(&format!(
        "DELETE FROM rejections AS r WHERE r.value = {value} AND {within} RETURNING 1"
    ));
    Ok(!session.run(&sql).await?.is_empty())
}
