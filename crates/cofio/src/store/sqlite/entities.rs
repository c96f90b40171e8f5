//! What memories name.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::filter;
use super::read::{self, collect};
use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Entity, Memory, MemoryId, Scope, Timestamp};
use crate::store::document::moment;
use crate::text::fold;

/// How many memories an entity is returned with.
const LINKED: usize = 50;

/// Keeps what a memory names.
pub(super) fn link(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
) -> Result<()> {
    for mention in &memory.entities {
        let folded = fold(&mention.name);
        let entity_type = mention.entity_type.as_str();
        connection
            .prepare_cached(
                "INSERT INTO entities (scope, folded, type, name) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING",
            )
            .and_then(|mut insert| insert.execute((scope, &folded, entity_type, &mention.name)))
            .map_err(unexpected)?;
        connection
            .prepare_cached(
                "INSERT INTO mentions (memory, entity, alias, folded)
                 SELECT ?, entity, ?, ? FROM entities WHERE scope = ? AND folded = ? AND type = ?
                 ON CONFLICT DO NOTHING",
            )
            .and_then(|mut insert| {
                let alias = &mention.alias;
                insert.execute((number, alias, fold(alias), scope, &folded, entity_type))
            })
            .map_err(unexpected)?;
    }
    Ok(())
}

/// Forgets what a memory names, and the names that no other memory has.
pub(super) fn unlink(connection: &Connection, number: i64) -> Result<()> {
    let entity = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map_err(unexpected);
    let sql = "SELECT DISTINCT entity FROM mentions WHERE memory = ?";
    let named = collect(connection, sql, [Sql::from(number)], entity)?;
    let execute = |sql: &str, number: i64| {
        connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([number]))
            .map_err(unexpected)
    };
    execute("DELETE FROM mentions WHERE memory = ?", number)?;
    for entity in named {
        execute(
            "DELETE FROM entities WHERE entity = ?1
             AND NOT EXISTS (SELECT 1 FROM mentions WHERE entity = ?1)",
            entity,
        )?;
    }
    Ok(())
}

/// Returns how many of the entities each memory names, by its number.
pub(super) fn named(
    connection: &Connection,
    scopes: &[i64],
    names: &[String],
    limit: usize,
) -> Result<HashMap<i64, u32>> {
    // Most names are none, and one small question after the other finds that out fastest.
    let mut called: BTreeSet<i64> = BTreeSet::new();
    for &scope in scopes {
        for name in names {
            for sql in [
                "SELECT entity FROM entities WHERE scope = ? AND folded = ?",
                "SELECT m.entity FROM mentions AS m JOIN entities AS e USING (entity)
                 WHERE e.scope = ? AND m.folded = ?",
            ] {
                let mut select = connection.prepare_cached(sql).map_err(unexpected)?;
                let mut rows = select.query((scope, name)).map_err(unexpected)?;
                while let Some(row) = rows.next().map_err(unexpected)? {
                    called.insert(row.get(0).map_err(unexpected)?);
                }
            }
        }
    }
    let mut counts = HashMap::new();
    for entity in called {
        let sql = "SELECT DISTINCT memory FROM mentions WHERE entity = ? LIMIT ?";
        let values = [Sql::from(entity), read::bounded(limit as u64)];
        for memory in collect(connection, sql, values, |row| row.get(0).map_err(unexpected))? {
            *counts.entry(memory).or_default() += 1;
        }
    }
    Ok(counts)
}

/// The entities of some scopes that are called or written as one of some names.
const CALLED: &str = "SELECT entity FROM entities
     WHERE scope IN (SELECT value FROM json_each(?)) AND folded IN (SELECT value FROM json_each(?))
     UNION
     SELECT mentions.entity FROM mentions JOIN entities USING (entity)
     WHERE mentions.folded IN (SELECT value FROM json_each(?))
       AND entities.scope IN (SELECT value FROM json_each(?))";

/// Returns the values for [`CALLED`].
fn called(scopes: &[i64], names: &[String]) -> Vec<Sql> {
    let scopes = Sql::from(serde_json::Value::from(scopes).to_string());
    let names = filter::names(names, String::as_str);
    vec![scopes.clone(), names.clone(), names, scopes]
}

pub(super) fn list(
    connection: &Connection,
    scopes: &[Scope],
    now: Timestamp,
    name: Option<&str>,
    limit: usize,
) -> Result<Vec<Entity>> {
    let scopes = read::scope_numbers(connection, scopes)?;
    let mut values = vec![Sql::from(serde_json::Value::from(scopes.as_slice()).to_string())];
    let restriction = match name {
        Some(name) => {
            values.extend(called(&scopes, &[fold(name)]));
            format!("AND entity IN ({CALLED})")
        }
        None => String::new(),
    };
    values.push(now.as_microsecond().into());
    values.push(read::bounded(limit as u64));
    let sql = format!(
        "SELECT e.folded, e.type, min(e.name), json_group_array(DISTINCT mentions.alias),
                count(DISTINCT m.memory), min(m.event_at), max(m.event_at)
         FROM entities AS e JOIN mentions USING (entity)
         JOIN memories AS m ON m.memory = mentions.memory
         WHERE e.scope IN (SELECT value FROM json_each(?)) {restriction}
           AND (m.expires_at IS NULL OR m.expires_at > ?)
         GROUP BY e.folded, e.type ORDER BY count(DISTINCT m.memory) DESC, e.folded, e.type LIMIT ?"
    );
    collect(connection, &sql, values, |row| entity(connection, &scopes, now, row))
}

fn entity(
    connection: &Connection,
    scopes: &[i64],
    now: Timestamp,
    row: &rusqlite::Row<'_>,
) -> Result<Entity> {
    let text = |column| row.get::<_, String>(column).map_err(unexpected);
    let (folded, entity_type) = (text(0)?, text(1)?);
    let mut aliases: Vec<String> = serde_json::from_str(&text(3)?).map_err(|cause| {
        Error::new(ErrorKind::Damaged, "the spellings of an entity cannot be read").caused_by(cause)
    })?;
    aliases.sort();
    Ok(Entity {
        name: text(2)?,
        entity_type: entity_type.parse()?,
        aliases,
        mention_count: row.get(4).map_err(unexpected)?,
        first_at: moment(row.get(5).map_err(unexpected)?)?,
        last_at: moment(row.get(6).map_err(unexpected)?)?,
        memories: linked(connection, scopes, now, folded, entity_type)?,
    })
}

fn linked(
    connection: &Connection,
    scopes: &[i64],
    now: Timestamp,
    folded: String,
    entity_type: String,
) -> Result<Vec<MemoryId>> {
    let sql = "SELECT DISTINCT m.id FROM entities AS e JOIN mentions USING (entity)
               JOIN memories AS m ON m.memory = mentions.memory
               WHERE e.scope IN (SELECT value FROM json_each(?)) AND e.folded = ? AND e.type = ?
                 AND (m.expires_at IS NULL OR m.expires_at > ?)
               ORDER BY m.event_at DESC, m.id DESC LIMIT ?";
    let values = [
        Sql::from(serde_json::Value::from(scopes).to_string()),
        folded.into(),
        entity_type.into(),
        now.as_microsecond().into(),
        read::bounded(LINKED as u64),
    ];
    collect(connection, sql, values, |row| {
        let id: String = row.get(0).map_err(unexpected)?;
        id.parse()
    })
}
