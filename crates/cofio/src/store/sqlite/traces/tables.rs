//! What the tables still know.

use std::collections::BTreeSet;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, named_params};
use serde_json::json;

use super::super::read::collect;
use super::super::{codes, unexpected};
use super::{Needles, Trace, Verdict, Wanted};
use crate::error::Result;
use crate::model::{
    AuditAction, ChangeKind, Kind, Layer, MemoryId, Right, SourceType, State, Trust,
};

/// Looks into every table, and returns what of the texts nobody else says.
pub(super) fn look(connection: &Connection, wanted: &Wanted) -> Result<(Vec<Trace>, Needles)> {
    let mut traces = by_id(connection, &wanted.ids)?;
    traces.push(Trace::new(
        "codes of vectors",
        codes::check(connection)?.len() as u64,
        Verdict::Left,
    ));
    traces.push(tombstones(connection, &wanted.ids)?);
    let ids = wanted.ids.iter().map(|id| id.as_str().to_owned()).collect();
    let (ids, said) = (Needles::new(ids)?, Needles::of_texts(&wanted.texts)?);
    let mut elsewhere = vocabulary(connection, &said)?;
    let mut named = 0;
    each_document(connection, |document| {
        named += ids.found_in(document).len() as u64;
        elsewhere.extend(said.found_in(document));
    })?;
    traces.push(Trace::new("links of other memories", named, Verdict::Reference));
    if !said.is_empty() {
        let found = elsewhere.len() as u64;
        traces.push(Trace::new("words that others use too", found, Verdict::Reference));
    }
    Ok((traces, said.without(&elsewhere)?))
}

/// Counts rows of forgotten memories, by their ids and by the numbers that they had.
fn by_id(connection: &Connection, ids: &[MemoryId]) -> Result<Vec<Trace>> {
    let ids = json!(ids.iter().map(MemoryId::as_str).collect::<Vec<_>>()).to_string();
    // A number that another memory has by now, after a restore, tells nothing.
    let numbers: String = connection
        .query_row(
            "SELECT json_group_array(DISTINCT memory) FROM changes
             WHERE id IN (SELECT value FROM json_each(?)) AND memory IS NOT NULL
               AND memory NOT IN (SELECT memory FROM memories)",
            [&ids],
            |row| row.get(0),
        )
        .map_err(unexpected)?;
    let count = |(place, meaning, sql): &(&str, Verdict, &str)| {
        let mut statement = connection.prepare(sql).map_err(unexpected)?;
        let values = named_params! { ":ids": ids, ":numbers": numbers };
        let values: Vec<_> =
            values.iter().filter(|(name, _)| sql.contains(*name)).copied().collect();
        let found = statement.query_row(&values[..], |row| row.get(0)).map_err(unexpected)?;
        Ok(Trace::new(*place, found, *meaning))
    };
    TABLES.iter().map(count).collect()
}

/// Where a memory stands or is pointed to, and what it means to find it there.
const TABLES: &[(&str, Verdict, &str)] = &[
    (
        "memories and context windows",
        Verdict::Alive,
        "SELECT count(*) FROM memories WHERE id IN (SELECT value FROM json_each(:ids))",
    ),
    (
        "earlier versions",
        Verdict::Left,
        "SELECT count(*) FROM versions WHERE memory IN (SELECT value FROM json_each(:numbers))",
    ),
    (
        "full-text index",
        Verdict::Left,
        "SELECT count(*) FROM occurrences WHERE doc >> 12 IN (SELECT value FROM json_each(:numbers))",
    ),
    (
        "vectors",
        Verdict::Left,
        "SELECT count(*) FROM json_each(:numbers) AS n
         JOIN vectors ON vector BETWEEN n.value << 24 AND (n.value << 24) | 16777215",
    ),
    (
        "names of entities",
        Verdict::Left,
        "SELECT (SELECT count(*) FROM mentions WHERE memory IN (SELECT value FROM json_each(:numbers)))
              + (SELECT count(*) FROM entities WHERE entity NOT IN (SELECT entity FROM mentions))
              + (SELECT count(*) FROM spellings WHERE entity NOT IN (SELECT entity FROM entities))",
    ),
    (
        "statements",
        Verdict::Left,
        "SELECT count(*) FROM triples WHERE memory IN (SELECT value FROM json_each(:numbers))",
    ),
    (
        "conclusions drawn from them",
        Verdict::Left,
        "SELECT (SELECT count(*) FROM derivations WHERE parent IN (SELECT value FROM json_each(:ids)))
              + (SELECT count(*) FROM derivations WHERE memory IN (SELECT value FROM json_each(:numbers)))",
    ),
    (
        "records for ranking and authors",
        Verdict::Left,
        "SELECT (SELECT count(*) FROM turns WHERE memory IN (SELECT value FROM json_each(:numbers)))
              + (SELECT count(*) FROM authors WHERE memories <= 0)",
    ),
    (
        "queue for embedding",
        Verdict::Left,
        "SELECT count(*) FROM pending WHERE memory IN (SELECT value FROM json_each(:numbers))",
    ),
    (
        "repeated requests",
        Verdict::Reference,
        "SELECT count(*) FROM idempotency WHERE EXISTS (
             SELECT 1 FROM json_each(:ids) WHERE instr(outcomes, value))",
    ),
    (
        "sequence of changes",
        Verdict::Reference,
        "SELECT count(*) FROM changes WHERE id IN (SELECT value FROM json_each(:ids))",
    ),
    (
        "audit",
        Verdict::Reference,
        "SELECT count(*) FROM audit, json_each(details, '$.ids') AS named
         WHERE named.value IN (SELECT value FROM json_each(:ids))",
    ),
];

/// Checks that every id is marked as forgotten, so that nothing brings it back.
fn tombstones(connection: &Connection, ids: &[MemoryId]) -> Result<Trace> {
    let mut unmarked = 0;
    for id in ids {
        let marked = super::super::rows::is_forgotten(connection, id)?;
        unmarked += u64::from(!marked);
    }
    Ok(match unmarked {
        0 => Trace::new("marks of the forgotten", ids.len() as u64, Verdict::Reference),
        _ => Trace::new("ids without a mark that they were forgotten", unmarked, Verdict::Left),
    })
}

/// Shows every document of a living memory, earlier versions included.
fn each_document(connection: &Connection, mut show: impl FnMut(&[u8])) -> Result<()> {
    let sql = "SELECT document FROM memories UNION ALL SELECT document FROM versions";
    let mut select = connection.prepare(sql).map_err(unexpected)?;
    let mut rows = select.query([]).map_err(unexpected)?;
    while let Some(row) = rows.next().map_err(unexpected)? {
        let document = row.get_ref(0).map_err(unexpected)?;
        show(document.as_bytes().unwrap_or_default());
    }
    Ok(())
}

/// Returns which texts stand in every store, or in the names of scopes, of keys and of those who act.
fn vocabulary(connection: &Connection, said: &Needles) -> Result<BTreeSet<String>> {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
               UNION SELECT text FROM scopes UNION SELECT actor FROM audit
               UNION SELECT name FROM settings UNION SELECT fingerprint FROM models
               UNION SELECT name FROM keys UNION SELECT bound FROM keys";
    let mut texts: Vec<String> =
        collect(connection, sql, std::iter::empty::<Sql>(), |row| row.get(0).map_err(unexpected))?;
    texts.extend(Kind::ALL.iter().map(ToString::to_string));
    texts.extend(State::ALL.iter().map(ToString::to_string));
    texts.extend(Layer::ALL.iter().map(ToString::to_string));
    texts.extend(Trust::ALL.iter().map(ToString::to_string));
    texts.extend(SourceType::ALL.iter().map(ToString::to_string));
    texts.extend(AuditAction::ALL.iter().map(ToString::to_string));
    texts.extend(ChangeKind::ALL.iter().map(ToString::to_string));
    texts.extend(Right::ALL.iter().map(ToString::to_string));
    Ok(texts.iter().flat_map(|text| said.found_in(text.as_bytes())).collect())
}
