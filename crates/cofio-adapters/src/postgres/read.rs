//! Reading: every function answers from the moment and the scopes of its session.

use std::collections::HashMap;

use cofio::Result;
use cofio::model::{ChangeRecord, Filter, JobId, Memory, MemoryId, Place, Scope, Timestamp};
use cofio::store::kit::moment;
use cofio::store::{Listing, Order, Page, Position, ScopeSummary, Tombstone};
use tokio_postgres::Row;

use super::rows::{self, MEMORY, ONE_BY_ONE, SCOPE, bounded, count, get as column, parsed};
use super::session::{Session, Sql};
use super::{earlier, filter};

/// The columns that [`change`] reads.
const CHANGE: &str = "c.sequence, c.id, c.kind, c.version, c.at, s.layer, s.names";

/// Returns memories by their ids, in the order of the ids.
pub(super) async fn get(session: &Session, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let wanted: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let mut sql = Sql::default();
    let (ids, within) = (sql.bind(wanted), sql.within("m", session.open()));
    sql.push(&format!(
        "SELECT {MEMORY} FROM unnest({ids}::text[]) WITH ORDINALITY AS wanted (id, place)
         CROSS JOIN LATERAL (
             SELECT m.* FROM memories AS m
             WHERE m.id = wanted.id COLLATE \"C\" AND {within} {ONE_BY_ONE}
         ) AS m ORDER BY wanted.place"
    ));
    session.run(&sql).await?.iter().map(|row| rows::memory(row, 0)).collect()
}

/// Returns the memories at some places that a filter still means, in the order of the places.
pub(super) async fn at(
    session: &Session,
    filter: &Filter,
    places: &[Place],
) -> Result<Vec<(Place, Memory)>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<i64> = places.iter().map(|place| place.0.cast_signed()).collect();
    let mut sql = Sql::default();
    let (numbers, within) = (sql.bind(numbers), sql.within("m", session.open()));
    sql.push(&format!(
        "SELECT m.memory, {MEMORY} FROM memories AS m WHERE m.memory = ANY ({numbers}) AND {within}"
    ));
    let rows = session.run(&sql).await?;
    let memories: Vec<(i64, Memory)> = rows
        .iter()
        .map(|row| Ok((column(row, 0)?, rows::memory(row, 1)?)))
        .collect::<Result<_>>()?;
    let mut versions = earlier::versions(session, filter, &memories).await?;
    let mut meant: HashMap<i64, Memory> = HashMap::new();
    for (number, current) in memories {
        let earlier: Vec<Memory> = versions.remove(&number).into_iter().collect();
        if let Some(version) = filter.meant(&current, &earlier) {
            meant.insert(number, version.clone());
        }
    }
    let there = |place: &Place| Some((*place, meant.get(&place.0.cast_signed())?.clone()));
    Ok(places.iter().filter_map(there).collect())
}

/// Returns one page of what a filter means.
pub(super) async fn list(session: &Session, filter: &Filter, page: &Page) -> Result<Listing> {
    let changed = earlier::changed(session, filter).await?;
    let mut listing = Listing::default();
    if page.counted {
        listing.total = total(session, filter).await? + changed.len() as u64;
    }
    listing.memories = unchanged(session, filter, page).await?;
    let changed = changed.into_iter().map(|(_, memory)| memory);
    listing.memories.extend(changed.filter(|memory| is_on(page, memory)));
    let order = |memory: &Memory| {
        let position = page.order.position(memory);
        (position.key, position.id)
    };
    listing.memories.sort_by(|a, b| {
        if page.order.descending() { order(b).cmp(&order(a)) } else { order(a).cmp(&order(b)) }
    });
    listing.more = listing.memories.len() > page.limit;
    listing.memories.truncate(page.limit);
    Ok(listing)
}

/// Tells whether a memory comes after those that were seen before a page.
fn is_on(page: &Page, memory: &Memory) -> bool {
    let Position { key, id } = page.order.position(memory);
    page.after.as_ref().is_none_or(|after| {
        let seen = (after.key, &after.id);
        if page.order.descending() { (key, &id) < seen } else { (key, &id) > seen }
    })
}

async fn total(session: &Session, filter: &Filter) -> Result<u64> {
    let mut sql = Sql::default();
    let within = sql.within("m", session.open());
    sql.push(&format!("SELECT count(*) FROM memories AS m WHERE {within}"));
    filter::condition(filter, &mut sql);
    count(&session.run(&sql).await?[0], 0)
}

async fn unchanged(session: &Session, filter: &Filter, page: &Page) -> Result<Vec<Memory>> {
    let (key, comparison, direction) = match page.order {
        Order::Newest => ("created_at", "<", "DESC"),
        Order::LatestEvent => ("event_at", "<", "DESC"),
        Order::EarliestEvent => ("event_at", ">", "ASC"),
        Order::Confidence => ("confidence", "<", "DESC"),
    };
    let mut sql = Sql::default();
    // An index has the memories of one scope in this order, and none those of several.
    let scopes = sql.scopes(session.open());
    sql.push(&format!(
        "SELECT {MEMORY} FROM {scopes} AS o (scope) CROSS JOIN LATERAL (
             SELECT {MEMORY}, m.{key}, m.id FROM memories AS m WHERE m.scope = o.scope"
    ));
    filter::condition(filter, &mut sql);
    if let Some(Position { key: seen, id }) = &page.after {
        let (seen, id) = (sql.bind(*seen), sql.bind(id.to_string()));
        sql.push(&format!(" AND (m.{key}::bigint, m.id) {comparison} ({seen}, {id})"));
    }
    let limit = sql.bind(bounded(page.limit.saturating_add(1)));
    let first = format!("ORDER BY m.{key} {direction}, m.id {direction} LIMIT {limit}");
    sql.push(&format!(" {first}) AS m {first}"));
    session.run(&sql).await?.iter().map(|row| rows::memory(row, 0)).collect()
}

/// Returns the earlier versions of a memory, the oldest first.
pub(super) async fn history(session: &Session, id: &MemoryId) -> Result<Vec<Memory>> {
    let mut sql = Sql::default();
    let (id, within) = (sql.bind(id.to_string()), sql.within("m", session.open()));
    sql.push(&format!(
        "SELECT v.document FROM memories AS m JOIN versions AS v USING (memory)
         WHERE m.id = {id} AND {within} ORDER BY v.version"
    ));
    let rows = session.run(&sql).await?;
    rows.iter().map(|row| cofio::store::decode(column(row, 0)?)).collect()
}

/// Returns the memories that were concluded from one of some others.
pub(super) async fn derived(
    session: &Session,
    from: &[MemoryId],
) -> Result<Vec<(MemoryId, Scope)>> {
    let from: Vec<String> = from.iter().map(ToString::to_string).collect();
    let mut sql = Sql::default();
    let (from, within) = (sql.bind(from), sql.within("m", session.open()));
    sql.push(&format!(
        "SELECT m.id, {SCOPE} FROM memories AS m JOIN scopes AS s USING (scope)
         WHERE {within} AND m.memory IN (
             SELECT d.memory FROM derivations AS d WHERE d.parent = ANY ({from}))
         ORDER BY m.id"
    ));
    session.run(&sql).await?.iter().map(identified).collect()
}

/// Returns memories that have ended by themselves.
pub(super) async fn ended(
    session: &Session,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<(MemoryId, Scope)>> {
    let mut sql = Sql::default();
    let (now, within) = (sql.bind(now.as_microsecond()), sql.within("m", session.open()));
    let limit = sql.bind(bounded(limit));
    sql.push(&format!(
        "SELECT m.id, {SCOPE} FROM memories AS m JOIN scopes AS s USING (scope)
         WHERE m.expires_at <= {now} AND {within} ORDER BY m.expires_at, m.id LIMIT {limit}"
    ));
    session.run(&sql).await?.iter().map(identified).collect()
}

fn identified(row: &Row) -> Result<(MemoryId, Scope)> {
    Ok((parsed(row, 0)?, rows::scope(row, 1)?))
}

/// Returns what each scope holds.
pub(super) async fn scopes(session: &Session, now: Timestamp) -> Result<Vec<ScopeSummary>> {
    let mut summaries: Vec<(i64, ScopeSummary)> = Vec::new();
    let mut sql = Sql::default();
    let (now, within) = (sql.bind(now.as_microsecond()), sql.within("m", session.open()));
    sql.push(&format!(
        "SELECT g.*, {SCOPE} FROM (
             SELECT m.scope, m.kind, m.state, count(*), count(p.memory), sum(m.bytes)::bigint,
                    max(m.created_at)
             FROM memories AS m LEFT JOIN pending AS p USING (memory)
             WHERE (m.expires_at IS NULL OR m.expires_at > {now}) AND {within}
             GROUP BY m.scope, m.kind, m.state
         ) AS g JOIN scopes AS s USING (scope) ORDER BY s.text, g.kind, g.state"
    ));
    for row in session.run(&sql).await? {
        let number: i64 = column(&row, 0)?;
        if summaries.last().is_none_or(|(last, _)| *last != number) {
            summaries.push((number, empty(rows::scope(&row, 7)?)));
        }
        let Some((_, summary)) = summaries.last_mut() else { continue };
        summary.counts.push((parsed(&row, 1)?, parsed(&row, 2)?, count(&row, 3)?));
        summary.pending_embeddings += count(&row, 4)?;
        summary.content_bytes += count(&row, 5)?;
        summary.latest_at = summary.latest_at.max(Some(moment(column(&row, 6)?)?));
    }
    let entities = entities(session).await?;
    for (number, summary) in &mut summaries {
        summary.entities = entities.get(number).copied().unwrap_or_default();
    }
    Ok(summaries.into_iter().map(|(_, summary)| summary).collect())
}

fn empty(scope: Scope) -> ScopeSummary {
    ScopeSummary {
        scope,
        counts: Vec::new(),
        pending_embeddings: 0,
        content_bytes: 0,
        entities: 0,
        latest_at: None,
    }
}

/// Returns how many entities each scope has.
async fn entities(session: &Session) -> Result<HashMap<i64, u64>> {
    let mut sql = Sql::default();
    let within = sql.within("n", session.open());
    sql.push(&format!(
        "SELECT n.scope, count(DISTINCT (n.called, n.type)) FROM mentions AS n WHERE {within}
         GROUP BY n.scope"
    ));
    let rows = session.run(&sql).await?;
    rows.iter().map(|row| Ok((column(row, 0)?, count(row, 1)?))).collect()
}

/// Returns changes after a place in the sequence, the oldest first.
pub(super) async fn changes(
    session: &Session,
    after: u64,
    limit: usize,
) -> Result<Vec<ChangeRecord>> {
    let mut sql = Sql::default();
    let (after, within) = (sql.bind(bounded(after)), sql.within("c", session.open()));
    let limit = sql.bind(bounded(limit));
    sql.push(&format!(
        "SELECT {CHANGE} FROM changes AS c JOIN scopes AS s USING (scope)
         WHERE c.sequence > {after} AND {within} ORDER BY c.sequence LIMIT {limit}"
    ));
    session.run(&sql).await?.iter().map(change).collect()
}

/// Returns the changes that a job made, the oldest first.
pub(super) async fn changes_of(session: &Session, job: &JobId) -> Result<Vec<ChangeRecord>> {
    let mut sql = Sql::default();
    let (job, within) = (sql.bind(job.to_string()), sql.within("c", session.open()));
    sql.push(&format!(
        "SELECT {CHANGE} FROM changes AS c JOIN scopes AS s USING (scope)
         WHERE c.job = {job} AND {within} ORDER BY c.sequence"
    ));
    session.run(&sql).await?.iter().map(change).collect()
}

/// Reads the columns of [`CHANGE`].
fn change(row: &Row) -> Result<ChangeRecord> {
    Ok(ChangeRecord {
        sequence: count(row, 0)?,
        id: parsed(row, 1)?,
        kind: parsed(row, 2)?,
        version: count(row, 3)?,
        at: moment(column(row, 4)?)?,
        scope: rows::scope(row, 5)?,
    })
}

/// Returns the last place in the sequence of changes.
pub(super) async fn last_change(session: &Session) -> Result<u64> {
    count(&session.query("SELECT change FROM head", &[]).await?[0], 0)
}

/// Returns the ids that were forgotten.
pub(super) async fn tombstones(session: &Session) -> Result<Vec<Tombstone>> {
    let mut sql = Sql::default();
    let within = sql.within("t", session.open());
    sql.push(&format!(
        "SELECT t.id, t.at, {SCOPE} FROM tombstones AS t JOIN scopes AS s USING (scope)
         WHERE {within} ORDER BY t.at, t.id"
    ));
    let tombstone = |row: &Row| {
        let at = moment(column(row, 1)?)?;
        Ok(Tombstone { id: parsed(row, 0)?, scope: rows::scope(row, 2)?, at })
    };
    session.run(&sql).await?.iter().map(tombstone).collect()
}
