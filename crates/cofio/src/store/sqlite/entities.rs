//! What memories name.

use std::collections::{BTreeSet, HashMap};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _};

use super::field::Field;
use super::read::{self, collect};
use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Entity, Memory, MemoryId, Mention, Scope, Timestamp};
use crate::store::document::moment;
use crate::store::kit::Named;
use crate::text::fold;

/// How many memories an entity is returned with.
const LINKED: usize = 50;

/// Keeps what a memory names.
pub(super) fn link(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
    named: &[Named],
) -> Result<()> {
    for (mention, Named { name, alias }) in memory.entities.iter().zip(named) {
        let entity = entity_number(connection, scope, name, mention)?;
        execute(
            connection,
            "INSERT INTO mentions (memory, entity, alias, folded) VALUES (?, ?, ?, ?)
             ON CONFLICT DO NOTHING",
            (number, entity, &mention.alias, alias),
        )?;
        for spelling in [name, alias] {
            execute(
                connection,
                "INSERT INTO spellings (scope, folded, entity) VALUES (?, ?, ?)
                 ON CONFLICT DO NOTHING",
                (scope, spelling, entity),
            )?;
        }
    }
    Ok(())
}

/// Returns the number of an entity, giving it one where it has none.
fn entity_number(
    connection: &Connection,
    scope: i64,
    folded: &str,
    mention: &Mention,
) -> Result<i64> {
    let entity_type = mention.entity_type.as_str();
    let known: Option<i64> = connection
        .prepare_cached("SELECT entity FROM entities WHERE scope = ? AND folded = ? AND type = ?")
        .and_then(|mut select| {
            select.query_row((scope, folded, entity_type), |row| row.get(0)).optional()
        })
        .map_err(unexpected)?;
    match known {
        Some(entity) => Ok(entity),
        None => connection
            .prepare_cached("INSERT INTO entities (scope, folded, type, name) VALUES (?, ?, ?, ?)")
            .and_then(|mut insert| insert.insert((scope, folded, entity_type, &mention.name)))
            .map_err(unexpected),
    }
}

/// Forgets what a memory names, and the names that no other memory has.
pub(super) fn unlink(connection: &Connection, number: i64, scope: i64) -> Result<()> {
    let sql = "SELECT entity, folded FROM mentions WHERE memory = ?";
    let named: Vec<(i64, String)> = collect(connection, sql, [Sql::from(number)], |row| {
        Ok((row.get(0).map_err(unexpected)?, row.get(1).map_err(unexpected)?))
    })?;
    execute(connection, "DELETE FROM mentions WHERE memory = ?", [number])?;
    for (entity, alias) in named {
        execute(
            connection,
            "DELETE FROM spellings WHERE scope = ?1 AND folded = ?2 AND entity = ?3
             AND NOT EXISTS (SELECT 1 FROM mentions WHERE folded = ?2 AND entity = ?3)
             AND NOT EXISTS (SELECT 1 FROM entities WHERE folded = ?2 AND entity = ?3)",
            (scope, alias, entity),
        )?;
        let named_by_none = "NOT EXISTS (SELECT 1 FROM mentions WHERE entity = ?1)";
        execute(
            connection,
            &format!(
                "DELETE FROM spellings WHERE (scope, folded, entity) IN
                 (SELECT scope, folded, entity FROM entities WHERE entity = ?1) AND {named_by_none}"
            ),
            [entity],
        )?;
        execute(
            connection,
            &format!("DELETE FROM entities WHERE entity = ?1 AND {named_by_none}"),
            [entity],
        )?;
    }
    Ok(())
}

fn execute(connection: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute(values))
        .map(drop)
        .map_err(unexpected)
}

/// Returns how many of the entities each memory names, by its number.
pub(super) fn named<'a>(
    connection: &Connection,
    fields: impl Iterator<Item = (i64, &'a Field)>,
    names: &[String],
    limit: usize,
) -> Result<HashMap<i64, u32>> {
    let mut entities: BTreeSet<i64> = BTreeSet::new();
    for (scope, field) in fields {
        let begins = |word: &str| field.begins_name(word, || begins_name(connection, scope, word));
        entities.extend(called(connection, scope, names, begins)?);
    }
    let mut counts = HashMap::new();
    for entity in entities {
        let sql = "SELECT DISTINCT memory FROM mentions WHERE entity = ? LIMIT ?";
        let values = [Sql::from(entity), read::bounded(limit as u64)];
        for memory in collect(connection, sql, values, |row| row.get(0).map_err(unexpected))? {
            *counts.entry(memory).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Returns whether a name of a scope begins with a word.
fn begins_name(connection: &Connection, scope: i64, word: &str) -> Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM spellings
             WHERE scope = ?1 AND folded >= ?2 AND folded < ?2 || '!')",
        )
        .and_then(|mut select| select.query_row((scope, word), |row| row.get(0)))
        .map_err(unexpected)
}

/// Returns the entities of a scope that are called or written as one of some names; `begins` tells
/// whether one begins with a word.
fn called(
    connection: &Connection,
    scope: i64,
    names: &[String],
    begins: impl Fn(&str) -> Result<bool>,
) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    for name in names {
        // Most names are none, and their first words are enough to find that out.
        if begins(name.split(' ').next().unwrap_or_default())? {
            let sql = "SELECT entity FROM spellings WHERE scope = ? AND folded = ?";
            let values = [Sql::from(scope), Sql::from(name.clone())];
            let entity = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map_err(unexpected);
            found.extend(collect(connection, sql, values, entity)?);
        }
    }
    Ok(found)
}

pub(super) fn list(
    connection: &Connection,
    scopes: &[Scope],
    now: Timestamp,
    name: Option<&str>,
    limit: usize,
) -> Result<Vec<Entity>> {
    let scopes = read::scope_numbers(connection, scopes)?;
    let mut values = vec![numbers(&scopes)];
    let restriction = match name {
        Some(name) => {
            let mut entities: Vec<i64> = Vec::new();
            for &scope in &scopes {
                let begins = |word: &str| begins_name(connection, scope, word);
                entities.extend(called(connection, scope, &[fold(name)], begins)?);
            }
            values.push(numbers(&entities));
            "AND entity IN (SELECT value FROM json_each(?))"
        }
        None => "",
    };
    values.push(now.as_microsecond().into());
    values.push(read::bounded(limit as u64));
    let sql = format!(
        "SELECT e.folded, e.type, min(e.name), json_group_array(DISTINCT mentions.alias),
                count(DISTINCT m.memory), min(m.event_at), max(m.event_at)
         FROM entities AS e JOIN mentions USING (entity)
         JOIN memories AS m ON m.memory = mentions.memory
         WHERE e.scope IN (SELECT value FROM json_each(?)) {restriction}
           AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > ?)
         GROUP BY e.folded, e.type ORDER BY count(DISTINCT m.memory) DESC, e.folded, e.type LIMIT ?"
    );
    collect(connection, &sql, values, |row| entity(connection, &scopes, now, row))
}

/// Writes numbers as JSON, for `json_each`.
fn numbers(numbers: &[i64]) -> Sql {
    Sql::from(serde_json::Value::from(numbers).to_string())
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
                 AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > ?)
               ORDER BY m.event_at DESC, m.id DESC LIMIT ?";
    let values = [
        numbers(scopes),
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
