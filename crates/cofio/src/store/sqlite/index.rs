//! The full-text index, and finding by words and by names.
//!
//! FTS5 never sees text: it is given the terms of our analyser, each with the number of its scope
//! in front. So every scope has lists of its own inside the one table, and nothing outside a scope
//! is read for it. What FTS5's ranking takes from the whole table is the number of rows and their
//! average length.

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::filter::{self, Condition};
use super::read::{self, MEMORY, collect};
use super::{entities, unexpected};
use crate::error::Result;
use crate::model::{Cues, Filter, Memory};
use crate::store::Candidates;
use crate::text;

/// About how many matches are ranked at most, over all scopes of a search.
const WORK: u64 = 20_000;

/// Makes the index anew from the memories.
pub(super) fn rebuild(connection: &Connection) -> Result<()> {
    // Blocks that fit into a page of the file need no overflow pages, whose unused ends SQLite does
    // not overwrite when it deletes.
    // Every visible ASCII character except the double quote is part of a term; spaces separate.
    connection
        .execute_batch(
            r#"DROP TABLE IF EXISTS vocabulary;
                DROP TABLE IF EXISTS words;
                CREATE VIRTUAL TABLE words USING fts5 (
                    terms, content = '',
                    tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
                );
                INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
                INSERT INTO words (words, rank) VALUES ('pgsz', 2000);
                CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);"#,
        )
        .map_err(unexpected)?;
    read::each_memory(connection, |number, scope, memory| insert(connection, number, scope, memory))
}

/// Adds a memory to the index.
pub(super) fn insert(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
) -> Result<()> {
    let sql = "INSERT INTO words (rowid, terms) VALUES (?, ?)";
    write(connection, sql, number, scope, memory)
}

/// Takes a memory out of the index; it must be as it was when it was added.
pub(super) fn remove(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
) -> Result<()> {
    let sql = "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)";
    write(connection, sql, number, scope, memory)
}

fn write(
    connection: &Connection,
    sql: &str,
    number: i64,
    scope: i64,
    memory: &Memory,
) -> Result<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute((number, scoped_terms(scope, memory))))
        .map(drop)
        .map_err(unexpected)
}

fn scoped_terms(scope: i64, memory: &Memory) -> String {
    let terms = text::document_terms(&memory.searchable());
    let mut scoped = String::with_capacity(terms.iter().map(|term| term.len() + 8).sum());
    for term in terms {
        scoped.push_str(&scoped_term(scope, &term));
        scoped.push(' ');
    }
    scoped
}

fn scoped_term(scope: i64, term: &str) -> String {
    format!("{scope}:{term}")
}

pub(super) fn candidates(
    connection: &Connection,
    filter: &Filter,
    cues: &Cues,
    limit: usize,
) -> Result<Candidates> {
    let scopes = read::scope_numbers(connection, &filter.scopes)?;
    let condition = filter::condition(filter);
    let by_words = by_words(connection, &scopes, &cues.terms, &condition, limit)?;
    let by_names = entities::by_names(connection, &scopes, &cues.names, &condition, limit)?;
    let lexical = by_words.iter().map(|memory| memory.id.clone()).collect();
    let entity = by_names.iter().map(|memory| memory.id.clone()).collect();
    let mut memories = by_words;
    memories.extend(by_names);
    memories.sort_by(|a, b| a.id.cmp(&b.id));
    memories.dedup_by(|a, b| a.id == b.id);
    Ok(Candidates { lexical, entity, memories })
}

fn by_words(
    connection: &Connection,
    scopes: &[i64],
    terms: &[String],
    condition: &Condition,
    limit: usize,
) -> Result<Vec<Memory>> {
    let Some(expression) = expression(connection, scopes, terms)? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {MEMORY} FROM words JOIN memories AS m ON m.memory = words.rowid
         WHERE words MATCH ? AND {} ORDER BY words.rank LIMIT ?",
        condition.sql
    );
    let mut values = vec![Sql::from(expression)];
    values.extend(condition.values.iter().cloned());
    values.push(read::bounded(limit as u64));
    collect(connection, &sql, values, read::memory)
}

/// Returns the expression that matches any of the terms in any of the scopes.
///
/// Ranking reads every match, so each scope has its share of the work: its terms are taken from
/// the rarest on until the share is used up, and the rarest always.
fn expression(connection: &Connection, scopes: &[i64], terms: &[String]) -> Result<Option<String>> {
    let mut quoted: Vec<String> = Vec::new();
    let share = WORK / scopes.len().max(1) as u64;
    for &scope in scopes {
        let mut work = 0;
        for (position, (frequency, term)) in
            frequencies(connection, scope, terms)?.into_iter().enumerate()
        {
            work += frequency;
            if work > share && position > 0 {
                break;
            }
            quoted.push(quote(&term));
        }
    }
    Ok((!quoted.is_empty()).then(|| quoted.join(" OR ")))
}

/// Returns how many memories of a scope have each term, the rarest first.
fn frequencies(
    connection: &Connection,
    scope: i64,
    terms: &[String],
) -> Result<Vec<(u64, String)>> {
    let mut statement = connection
        .prepare_cached("SELECT doc FROM vocabulary WHERE term = ?")
        .map_err(unexpected)?;
    let mut frequencies = Vec::new();
    for term in terms {
        let term = scoped_term(scope, term);
        let mut rows = statement.query([&term]).map_err(unexpected)?;
        if let Some(row) = rows.next().map_err(unexpected)? {
            frequencies.push((row.get::<_, u64>(0).map_err(unexpected)?, term));
        }
    }
    frequencies.sort();
    Ok(frequencies)
}

/// Writes a term as a string of FTS5, in which no character has a meaning.
fn quote(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use crate::store::SqliteStore;
    use crate::store::sqlite::{SqliteOptions, connect};

    #[test]
    fn a_busy_scope_does_not_hide_what_is_in_it_or_in_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        drop(SqliteStore::open(&path).unwrap());
        let connection = connect(&path, SqliteOptions::default()).unwrap();
        connection
            .execute_batch(
                "WITH RECURSIVE numbers (number) AS
                     (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 21000)
                 INSERT INTO words (rowid, terms)
                 SELECT number, iif(number % 100 = 0, '1:tea 1:black', '1:tea') FROM numbers;
                 INSERT INTO words (rowid, terms) VALUES (30000, '2:tea');",
            )
            .unwrap();
        let expression = |scopes: &[i64], terms: &[&str]| {
            let terms: Vec<String> = terms.iter().map(|&term| term.to_owned()).collect();
            super::expression(&connection, scopes, &terms).unwrap()
        };
        let both = Some(r#""1:tea" OR "2:tea""#.to_owned());
        assert_eq!(expression(&[1, 2], &["tea"]), both);
        let rarest = Some(r#""1:black""#.to_owned());
        assert_eq!(expression(&[1], &["tea", "black"]), rarest, "the frequent term is left out");
        assert_eq!(expression(&[1, 2], &["coffee"]), None);
    }
}
