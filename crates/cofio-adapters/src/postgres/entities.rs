//! What memories name.

use cofio::Result;
use cofio::model::{Entity, MemoryId, Timestamp};
use cofio::store::kit::moment;
use cofio::text::fold;
use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;

use super::plain::original;
use super::rows::{bounded, count, get, parsed};
use super::session::{Session, Sql};

/// How many memories an entity is returned with.
const LINKED: usize = 50;

/// Among how many mentions those are looked for, as a memory may write a name in several ways.
const LOOKED_AT: usize = 400;

/// Returns what tells a name from others: an index takes no long texts.
pub(super) fn key(name: &str) -> i64 {
    let digest = <[u8; 32]>::from(Sha256::digest(name));
    let (first, _) = digest.split_first_chunk().expect("a digest has more than eight bytes");
    i64::from_le_bytes(*first)
}

/// Returns how many of the entities that are called or written as one of some names each memory
/// names, by its number.
pub(super) async fn named(
    session: &Session,
    names: &[String],
    limit: usize,
) -> Result<Vec<(i64, u32)>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut sql = Sql::default();
    let called = called(session, &mut sql, names);
    let limit = sql.bind(bounded(limit));
    sql.push(&format!(
        "SELECT n.memory, count(DISTINCT (n.called, n.type)) FROM mentions AS n
         WHERE (n.scope, n.called, n.type) IN ({called}) GROUP BY n.memory LIMIT {limit}"
    ));
    let named = |row| {
        let count = u32::try_from(count(row, 1)?).unwrap_or(u32::MAX);
        Ok((get(row, 0)?, count))
    };
    session.run(&sql).await?.iter().map(named).collect()
}

/// Returns a query for the entities that are called or written as one of some names.
fn called(session: &Session, sql: &mut Sql, names: &[String]) -> String {
    let keys: Vec<i64> = names.iter().map(|name| key(name)).collect();
    let (keys, one) = (sql.bind(keys), sql.within("c", session.open()));
    format!(
        "SELECT c.scope, c.called, c.type FROM mentions AS c
         WHERE {one} AND c.called = ANY ({keys})
         UNION SELECT c.scope, c.called, c.type FROM mentions AS c
         WHERE {one} AND c.written = ANY ({keys})"
    )
}

/// Returns the entities of the open scopes, those that most memories name first.
pub(super) async fn list(
    session: &Session,
    now: Timestamp,
    name: Option<&str>,
    limit: usize,
) -> Result<Vec<Entity>> {
    let mut sql = Sql::default();
    let within = sql.within("n", session.open());
    let restriction = match name {
        Some(name) => {
            let called = called(session, &mut sql, &[fold(name)]);
            format!("AND (n.scope, n.called, n.type) IN ({called})")
        }
        None => String::new(),
    };
    let (now, limit) = (sql.bind(now.as_microsecond()), sql.bind(bounded(limit)));
    sql.push(&format!(
        "SELECT (array_agg(n.name ORDER BY m.event_at, m.id))[1], n.type,
                array_agg(DISTINCT n.alias), count(DISTINCT m.memory),
                min(m.event_at), max(m.event_at),
                (array_agg(m.id ORDER BY m.event_at DESC, m.id DESC))[1:{LOOKED_AT}]
         FROM mentions AS n JOIN memories AS m USING (memory)
         WHERE {within} {restriction}
           AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > {now})
         GROUP BY n.called, n.type
         ORDER BY count(DISTINCT m.memory) DESC, max(m.event_at) DESC, n.called LIMIT {limit}"
    ));
    session.run(&sql).await?.iter().map(entity).collect()
}

fn entity(row: &Row) -> Result<Entity> {
    let aliases: Vec<String> = get(row, 2)?;
    let mut aliases: Vec<String> = aliases.into_iter().map(original).collect();
    aliases.sort();
    let mut memories: Vec<String> = get(row, 6)?;
    memories.dedup();
    memories.truncate(LINKED);
    Ok(Entity {
        name: original(get(row, 0)?),
        entity_type: parsed(row, 1)?,
        aliases,
        mention_count: count(row, 3)?,
        first_at: moment(get(row, 4)?)?,
        last_at: moment(get(row, 5)?)?,
        memories: memories.iter().map(|id| id.parse::<MemoryId>()).collect::<Result<_>>()?,
    })
}
