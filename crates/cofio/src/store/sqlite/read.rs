//! Reading: every function answers from the snapshot that its connection is in.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::filter::{self, Condition};
use super::{earlier, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Access, Accesses, ChangeRecord, Embedding, Filter, Fingerprint, Identifier, Identifiers, JobId,
    Layer, Memory, MemoryId, Place, Scope, Timestamp,
};
use crate::store::document::{decode, moment};
use crate::store::kit::Derived;
use crate::store::{Listing, Order, Page, Position, ScopeSummary, Tombstone};

/// The columns that [`memory`] reads.
pub(super) const MEMORY: &str = "m.document, m.access_count, m.accessed_at, m.fingerprint";

/// The columns that [`scope`] reads.
pub(super) const SCOPE: &str =
    "s.layer, s.agent, s.user, s.session, s.project, s.team, s.org, s.company";

/// The columns that [`change`] reads.
const CHANGE: &str = concat!(
    "c.sequence, c.id, c.kind, c.version, c.at, ",
    "s.layer, s.agent, s.user, s.session, s.project, s.team, s.org, s.company"
);

pub(super) fn get(
    connection: &Connection,
    access: &Access,
    ids: &[MemoryId],
) -> Result<Vec<Memory>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT {MEMORY} FROM json_each(?) AS wanted
         JOIN memories AS m ON m.id = wanted.value
         JOIN scopes AS s USING (scope)
         WHERE {} ORDER BY wanted.key",
        open.sql
    );
    let values = [filter::names(ids, MemoryId::as_str)].into_iter().chain(open.values);
    collect(connection, &sql, values, memory)
}

/// Returns a memory by its number, whosever it is.
pub(super) fn by_number(connection: &Connection, number: i64) -> Result<Option<Memory>> {
    let sql = format!("SELECT {MEMORY} FROM memories AS m WHERE m.memory = ?");
    Ok(collect(connection, &sql, [Sql::from(number)], memory)?.into_iter().next())
}

/// Returns what is kept of a memory, by its number.
pub(super) fn derived_of(connection: &Connection, number: i64) -> Result<Option<Derived>> {
    let sql = "SELECT document FROM memories WHERE memory = ?";
    let read = |row: &Row<'_>| Derived::read(row.get(0).map_err(unexpected)?);
    let found = collect(connection, sql, [Sql::from(number)], read)?;
    Ok(found.into_iter().next().map(|(_, derived)| derived))
}

/// Returns the memories at some places that a filter still means, in the order of the places.
pub(super) fn at(
    connection: &Connection,
    filter: &Filter,
    places: &[Place],
) -> Result<Vec<(Place, Memory)>> {
    let sql = format!("SELECT {MEMORY} FROM memories AS m WHERE m.memory = ?");
    let mut select = connection.prepare_cached(&sql).map_err(unexpected)?;
    let mut found = Vec::with_capacity(places.len());
    for &place in places {
        let mut rows = select.query([place.0.cast_signed()]).map_err(unexpected)?;
        if let Some(row) = rows.next().map_err(unexpected)? {
            let meant = earlier::meant(connection, filter, place, memory(row)?)?;
            found.extend(meant.map(|memory| (place, memory)));
        }
    }
    Ok(found)
}

pub(super) fn list(connection: &Connection, filter: &Filter, page: &Page) -> Result<Listing> {
    let condition = filter::condition(filter);
    let mut listing = Listing::default();
    for scope in scope_numbers(connection, &filter.scopes)? {
        let changed = earlier::changed(connection, filter, scope)?;
        if page.counted {
            listing.total += count(connection, scope, &condition)? + changed.len() as u64;
        }
        listing.memories.extend(list_scope(connection, scope, &condition, page)?);
        let changed = changed.into_iter().map(|(_, memory)| memory);
        listing.memories.extend(changed.filter(|memory| is_on(page, memory)));
    }
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

fn count(connection: &Connection, scope: i64, condition: &Condition) -> Result<u64> {
    let sql = format!(
        "SELECT count(*) FROM memories AS m WHERE {} AND {}",
        condition.scope(),
        condition.sql
    );
    let values = [Sql::from(scope)].into_iter().chain(condition.values.iter().cloned());
    let mut statement = connection.prepare_cached(&sql).map_err(unexpected)?;
    statement.query_row(params_from_iter(values), |row| row.get(0)).map_err(unexpected)
}

fn list_scope(
    connection: &Connection,
    scope: i64,
    condition: &Condition,
    page: &Page,
) -> Result<Vec<Memory>> {
    let (column, comparison, direction) = match page.order {
        Order::Newest => ("created_at", "<", "DESC"),
        Order::LatestEvent => ("event_at", "<", "DESC"),
        Order::EarliestEvent => ("event_at", ">", "ASC"),
        Order::Confidence => ("confidence", "<", "DESC"),
    };
    let mut values = vec![Sql::from(scope)];
    values.extend(condition.values.iter().cloned());
    let after = match &page.after {
        Some(position) => {
            values.push(position.key.into());
            values.push(position.id.as_str().to_owned().into());
            format!("AND (m.{column}, m.id) {comparison} (?, ?)")
        }
        None => String::new(),
    };
    values.push(i64::try_from(page.limit.saturating_add(1)).unwrap_or(i64::MAX).into());
    // Only those that are listed are read: documents are many times as long as what orders them.
    let sql = format!(
        "SELECT {MEMORY} FROM memories AS m WHERE m.memory IN (
             SELECT m.memory FROM memories AS m WHERE {} AND {} {after}
             ORDER BY m.{column} {direction}, m.id {direction} LIMIT ?
         )
         ORDER BY m.{column} {direction}, m.id {direction}",
        condition.scope(),
        condition.sql
    );
    collect(connection, &sql, values, memory)
}

pub(super) fn history(
    connection: &Connection,
    access: &Access,
    id: &MemoryId,
) -> Result<Vec<Memory>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT v.document, 0, NULL, NULL FROM memories AS m
         JOIN scopes AS s USING (scope) JOIN versions AS v USING (memory)
         WHERE m.id = ? AND {} ORDER BY v.version",
        open.sql
    );
    let values = [Sql::from(id.as_str().to_owned())].into_iter().chain(open.values);
    collect(connection, &sql, values, memory)
}

/// Returns the memories that were concluded from one of some others.
pub(super) fn derived(
    connection: &Connection,
    access: &Access,
    from: &[MemoryId],
) -> Result<Vec<(MemoryId, Scope)>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT DISTINCT m.id, {SCOPE} FROM json_each(?) AS wanted
         JOIN derivations AS d ON d.parent = wanted.value
         JOIN memories AS m USING (memory) JOIN scopes AS s USING (scope)
         WHERE {} ORDER BY m.id",
        open.sql
    );
    let values = [filter::names(from, MemoryId::as_str)].into_iter().chain(open.values);
    collect(connection, &sql, values, |row| {
        let id: String = row.get(0).map_err(unexpected)?;
        Ok((id.parse()?, scope(row, 1)?))
    })
}

pub(super) fn scopes(
    connection: &Connection,
    access: &Access,
    now: Timestamp,
) -> Result<Vec<ScopeSummary>> {
    let open = filter::access(access);
    let sql =
        format!("SELECT {SCOPE}, s.scope FROM scopes AS s WHERE {} ORDER BY s.text", open.sql);
    let numbered = |row: &Row<'_>| Ok((scope(row, 0)?, row.get(8).map_err(unexpected)?));
    let mut summaries = Vec::new();
    for (scope, number) in collect(connection, &sql, open.values, numbered)? {
        let summary = summary(connection, scope, number, now)?;
        if !summary.counts.is_empty() {
            summaries.push(summary);
        }
    }
    Ok(summaries)
}

/// Returns the scopes that something was ever in, or about to be.
pub(super) fn known_scopes(connection: &Connection, access: &Access) -> Result<Vec<Scope>> {
    let open = filter::access(access);
    let sql = format!("SELECT {SCOPE} FROM scopes AS s WHERE {}", open.sql);
    collect(connection, &sql, open.values, |row| scope(row, 0))
}

fn summary(
    connection: &Connection,
    scope: Scope,
    number: i64,
    now: Timestamp,
) -> Result<ScopeSummary> {
    let mut summary = ScopeSummary {
        scope,
        counts: Vec::new(),
        pending_embeddings: 0,
        content_bytes: 0,
        entities: 0,
        latest_at: None,
    };
    let sql = "SELECT m.kind, m.state, count(*), count(p.memory), sum(m.bytes), max(m.created_at)
               FROM memories AS m LEFT JOIN pending AS p USING (memory)
               WHERE m.scope = ? AND (m.expires_at IS NULL OR m.expires_at > ?)
               GROUP BY m.kind, m.state";
    let values = [Sql::from(number), now.as_microsecond().into()];
    let group = |row: &Row<'_>| {
        let kind: String = row.get(0).map_err(unexpected)?;
        let state: String = row.get(1).map_err(unexpected)?;
        let number = |column| row.get::<_, u64>(column).map_err(unexpected);
        let latest = moment(row.get(5).map_err(unexpected)?)?;
        Ok((kind.parse()?, state.parse()?, number(2)?, number(3)?, number(4)?, latest))
    };
    for (kind, state, count, pending, bytes, latest) in collect(connection, sql, values, group)? {
        summary.counts.push((kind, state, count));
        summary.pending_embeddings += pending;
        summary.content_bytes += bytes;
        summary.latest_at = summary.latest_at.max(Some(latest));
    }
    summary.entities = connection
        .prepare_cached("SELECT count(*) FROM entities WHERE scope = ?")
        .and_then(|mut statement| statement.query_row([number], |row| row.get(0)))
        .map_err(unexpected)?;
    Ok(summary)
}

pub(super) fn changes(
    connection: &Connection,
    access: &Access,
    after: u64,
    limit: usize,
) -> Result<Vec<ChangeRecord>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT {CHANGE} FROM changes AS c JOIN scopes AS s USING (scope)
         WHERE c.sequence > ? AND {} ORDER BY c.sequence LIMIT ?",
        open.sql
    );
    let mut values = vec![bounded(after)];
    values.extend(open.values);
    values.push(bounded(limit as u64));
    collect(connection, &sql, values, change)
}

/// Returns the changes that a job made where access opens them, the oldest first.
pub(super) fn changes_of(
    connection: &Connection,
    access: &Access,
    job: &JobId,
) -> Result<Vec<ChangeRecord>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT {CHANGE} FROM changes AS c JOIN scopes AS s USING (scope)
         WHERE c.job = (SELECT job FROM jobs WHERE id = ?) AND {} ORDER BY c.sequence",
        open.sql
    );
    let values = [Sql::from(job.as_str().to_owned())].into_iter().chain(open.values);
    collect(connection, &sql, values, change)
}

/// Reads the columns of [`CHANGE`].
fn change(row: &Row<'_>) -> Result<ChangeRecord> {
    let text = |column| row.get::<_, String>(column).map_err(unexpected);
    Ok(ChangeRecord {
        sequence: row.get(0).map_err(unexpected)?,
        id: text(1)?.parse()?,
        kind: text(2)?.parse()?,
        version: row.get(3).map_err(unexpected)?,
        at: moment(row.get(4).map_err(unexpected)?)?,
        scope: scope(row, 5)?,
    })
}

pub(super) fn last_change(connection: &Connection) -> Result<u64> {
    connection
        .prepare_cached("SELECT coalesce(max(sequence), 0) FROM changes")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(unexpected)
}

pub(super) fn tombstones(connection: &Connection, access: &Access) -> Result<Vec<Tombstone>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT {SCOPE}, t.id, t.at FROM tombstones AS t JOIN scopes AS s USING (scope)
         WHERE {} ORDER BY t.at, t.id",
        open.sql
    );
    collect(connection, &sql, open.values, |row| {
        let id: String = row.get(8).map_err(unexpected)?;
        let at = moment(row.get(9).map_err(unexpected)?)?;
        Ok(Tombstone { id: id.parse()?, scope: scope(row, 0)?, at })
    })
}

pub(super) fn ended(
    connection: &Connection,
    access: &Access,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<(MemoryId, Scope)>> {
    let open = filter::access(access);
    let sql = format!(
        "SELECT {SCOPE}, m.id FROM memories AS m JOIN scopes AS s USING (scope)
         WHERE m.expires_at <= ? AND {} ORDER BY m.expires_at, m.id LIMIT ?",
        open.sql
    );
    let mut values = vec![Sql::from(now.as_microsecond())];
    values.extend(open.values);
    values.push(bounded(limit as u64));
    collect(connection, &sql, values, |row| {
        let id: String = row.get(8).map_err(unexpected)?;
        Ok((id.parse()?, scope(row, 0)?))
    })
}

/// Returns the numbers of those scopes that have ever held something.
pub(super) fn scope_numbers(connection: &Connection, scopes: &[Scope]) -> Result<Vec<i64>> {
    let mut statement =
        connection.prepare_cached("SELECT scope FROM scopes WHERE text = ?").map_err(unexpected)?;
    let mut numbers = Vec::new();
    for scope in scopes {
        let number = statement.query_row([scope.to_string()], |row| row.get::<_, i64>(0));
        numbers.extend(number.optional().map_err(unexpected)?);
    }
    Ok(numbers)
}

/// Reads the columns of [`MEMORY`].
pub(super) fn memory(row: &Row<'_>) -> Result<Memory> {
    memory_from(row, 0)
}

/// Reads the columns of [`MEMORY`], beginning at `first`.
pub(super) fn memory_from(row: &Row<'_>, first: usize) -> Result<Memory> {
    let document = row.get_ref(first).map_err(unexpected)?.as_str().map_err(|cause| {
        Error::new(ErrorKind::Damaged, "a stored memory cannot be read").caused_by(cause)
    })?;
    let accessed_at: Option<i64> = row.get(first + 2).map_err(unexpected)?;
    let fingerprint: Option<String> = row.get(first + 3).map_err(unexpected)?;
    let mut memory = decode(document)?;
    memory.accesses = Accesses {
        count: row.get(first + 1).map_err(unexpected)?,
        last_at: accessed_at.map(moment).transpose()?,
    };
    if let Some(fingerprint) = fingerprint {
        memory.embedding = Embedding::Ready(Fingerprint::new(fingerprint)?);
    }
    Ok(memory)
}

/// Reads the columns of [`SCOPE`], beginning at `first`.
pub(super) fn scope(row: &Row<'_>, first: usize) -> Result<Scope> {
    let layer: String = row.get(first).map_err(unexpected)?;
    let mut identifiers = Identifiers::default();
    for (position, &name) in Layer::ALL.iter().enumerate() {
        let identifier: Option<String> = row.get(first + 1 + position).map_err(unexpected)?;
        if let Some(identifier) = identifier {
            identifiers = identifiers.with(name, Identifier::new(&identifier)?);
        }
    }
    Scope::new(layer.parse()?, &identifiers)
}

/// Hands every memory of the file to `visit`, with its number and the number of its scope.
pub(super) fn each_memory(
    connection: &Connection,
    mut visit: impl FnMut(i64, i64, &Memory, &Derived) -> Result<()>,
) -> Result<()> {
    let mut select =
        connection.prepare("SELECT memory, scope, document FROM memories").map_err(unexpected)?;
    let mut rows = select.query([]).map_err(unexpected)?;
    while let Some(row) = rows.next().map_err(unexpected)? {
        let document: String = row.get(2).map_err(unexpected)?;
        let number = |column| row.get::<_, i64>(column).map_err(unexpected);
        let (memory, derived) = Derived::read(document)?;
        visit(number(0)?, number(1)?, &memory, &derived)?;
    }
    Ok(())
}

/// Runs a query and reads every row.
pub(super) fn collect<T>(
    connection: &Connection,
    sql: &str,
    values: impl IntoIterator<Item = Sql>,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql).map_err(unexpected)?;
    let mut rows = statement.query(params_from_iter(values)).map_err(unexpected)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(unexpected)? {
        all.push(read(row)?);
    }
    Ok(all)
}

/// Returns a number that SQLite can hold.
pub(super) fn bounded(number: u64) -> Sql {
    Sql::from(i64::try_from(number).unwrap_or(i64::MAX))
}
