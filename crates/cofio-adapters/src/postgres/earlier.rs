//! What memories were at an earlier moment, as far as they were changed since.

use std::collections::HashMap;

use cofio::Result;
use cofio::model::{Filter, Memory};
use cofio::store::decode;

use super::rows;
use super::session::{Session, Sql};

/// Returns the memories that were changed since the moment whose knowledge counts and that a filter
/// means, each as it was then and with its number.
pub(super) async fn changed(session: &Session, filter: &Filter) -> Result<Vec<(i64, Memory)>> {
    let Some(moment) = filter.criteria.as_of else { return Ok(Vec::new()) };
    let mut sql = Sql::default();
    let within = sql.within("m", session.open());
    let (moment, now) = (sql.bind(moment.as_microsecond()), sql.bind(filter.now.as_microsecond()));
    sql.push(&format!(
        "SELECT m.memory, v.document FROM memories AS m
         CROSS JOIN LATERAL (
             SELECT w.document FROM versions AS w
             WHERE w.memory = m.memory AND w.written_at <= {moment}
             ORDER BY w.version DESC LIMIT 1
         ) AS v
         WHERE {within} AND m.created_at <= {moment} AND m.written_at > {moment}
           AND (m.expires_at IS NULL OR m.expires_at > {now})"
    ));
    let mut changed = Vec::new();
    for row in session.run(&sql).await? {
        let version = decode(rows::get(&row, 1)?)?;
        if filter.admits(&version) {
            changed.push((rows::get(&row, 0)?, version));
        }
    }
    Ok(changed)
}

/// Returns the versions that counted at an earlier moment, of those memories that were changed since.
pub(super) async fn versions(
    session: &Session,
    filter: &Filter,
    memories: &[(i64, Memory)],
) -> Result<HashMap<i64, Memory>> {
    let Some(moment) = filter.criteria.as_of else { return Ok(HashMap::new()) };
    let since = memories.iter().filter(|(_, memory)| moment < memory.written_at());
    let numbers: Vec<i64> = since.map(|(number, _)| *number).collect();
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let mut sql = Sql::default();
    let within = sql.within("v", session.open());
    let (numbers, moment) = (sql.bind(numbers), sql.bind(moment.as_microsecond()));
    sql.push(&format!(
        "SELECT DISTINCT ON (v.memory) v.memory, v.document FROM versions AS v
         WHERE v.memory = ANY ({numbers}) AND v.written_at <= {moment} AND {within}
         ORDER BY v.memory, v.version DESC"
    ));
    let rows = session.run(&sql).await?;
    rows.iter().map(|row| Ok((rows::get(row, 0)?, decode(rows::get(row, 1)?)?))).collect()
}
