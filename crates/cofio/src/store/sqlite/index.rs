//! The full-text index: which passages have a term.
//!
//! FTS5 never sees text: it is given hashes of our analyser's terms, each with the number of its
//! scope in front. So every scope has lists of its own inside the one table, nothing outside a scope
//! is read for it, and what FTS5 leaves behind of a deleted term, such as the borders between its
//! pages, says nothing. Ranking is not FTS5's business: the lists are read as they are.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::unexpected;
use crate::error::Result;
use crate::store::analysed::{Analysed, Passage};
use crate::text::{MAX_PASSAGES, hex};

/// How many passages are read of one term at most.
const LONGEST_LIST: usize = 200_000;

/// That a term stands in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The number of the memory.
    pub(super) memory: i64,
    /// Which of its passages.
    pub(super) passage: u16,
    /// How many words with content the passage has.
    pub(super) length: u8,
    /// How often the term stands there.
    pub(super) count: u8,
}

impl Posting {
    /// Returns the number under which FTS5 knows a passage; the list of a term tells so all that
    /// ranking needs.
    fn row(memory: i64, passage: usize, length: u8) -> i64 {
        let passage = passage.min(MAX_PASSAGES - 1) as i64;
        (memory << 20) | (passage << 8) | i64::from(length)
    }

    fn from_row(row: i64) -> Self {
        let [length, ..] = row.to_le_bytes();
        let passage = u16::try_from((row >> 8) & 0xfff).unwrap_or_default();
        Self { memory: row >> 20, passage, length, count: 1 }
    }
}

/// Makes the tables of the index anew, and empty.
pub(super) fn create(connection: &Connection) -> Result<()> {
    // Blocks that fit into a page of the file need no overflow pages, whose unused ends SQLite does
    // not overwrite when it deletes.
    connection
        .execute_batch(
            r#"DROP TABLE IF EXISTS vocabulary;
                DROP TABLE IF EXISTS occurrences;
                DROP TABLE IF EXISTS words;
                CREATE VIRTUAL TABLE words USING fts5 (
                    terms, content = '', columnsize = 0, tokenize = "ascii tokenchars ':'"
                );
                INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
                INSERT INTO words (words, rank) VALUES ('pgsz', 2000);
                CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
                CREATE VIRTUAL TABLE occurrences USING fts5vocab (words, instance);
                INSERT OR REPLACE INTO settings (name, value) VALUES ('terms', randomblob(16));"#,
        )
        .map_err(unexpected)
}

/// Adds a memory to the index.
pub(super) fn insert(
    connection: &Connection,
    memory: i64,
    scope: i64,
    analysed: &Analysed,
) -> Result<()> {
    let sql = "INSERT INTO words (rowid, terms) VALUES (?, ?)";
    write(connection, sql, memory, scope, analysed)
}

/// Takes a memory out of the index; it must be as it was when it was added.
pub(super) fn remove(
    connection: &Connection,
    memory: i64,
    scope: i64,
    analysed: &Analysed,
) -> Result<()> {
    let sql = "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)";
    write(connection, sql, memory, scope, analysed)
}

fn write(
    connection: &Connection,
    sql: &str,
    memory: i64,
    scope: i64,
    analysed: &Analysed,
) -> Result<()> {
    let names = Names::of(connection, scope)?;
    let mut statement = connection.prepare_cached(sql).map_err(unexpected)?;
    for (position, passage) in analysed.passages.iter().enumerate() {
        let row = Posting::row(memory, position, passage.length);
        statement.execute((row, names.of_all(passage))).map_err(unexpected)?;
    }
    Ok(())
}

/// What terms of a scope are called in the index.
struct Names {
    scope: i64,
    hasher: Sha256,
}

impl Names {
    fn of(connection: &Connection, scope: i64) -> Result<Self> {
        let key: [u8; 16] = connection
            .prepare_cached("SELECT value FROM settings WHERE name = 'terms'")
            .and_then(|mut select| select.query_row([], |row| row.get(0)))
            .map_err(unexpected)?;
        Ok(Self { scope, hasher: Sha256::new_with_prefix(key) })
    }

    fn of_all(&self, passage: &Passage) -> String {
        let mut names = String::with_capacity(20 * passage.terms.len());
        for (term, &count) in &passage.terms {
            let name = self.of_one(term);
            for _ in 0..count {
                names.push_str(&name);
                names.push(' ');
            }
        }
        names
    }

    /// Returns the name of a term; that two share one is less likely than a broken disk.
    fn of_one(&self, term: &str) -> String {
        let digest = self.hasher.clone().chain_update(term).finalize();
        format!("{}:{}", self.scope, hex(&digest[..7]))
    }
}

/// Returns how many passages of a scope have a term.
pub(super) fn passages_having(connection: &Connection, scope: i64, term: &str) -> Result<u64> {
    let mut statement = connection
        .prepare_cached("SELECT doc FROM vocabulary WHERE term = ?")
        .map_err(unexpected)?;
    let mut rows = statement.query([Names::of(connection, scope)?.of_one(term)]).map_err(unexpected)?;
    match rows.next().map_err(unexpected)? {
        Some(row) => row.get(0).map_err(unexpected),
        None => Ok(0),
    }
}

/// Returns the passages of a scope that have a term, by memory and passage.
pub(super) fn postings(connection: &Connection, scope: i64, term: &str) -> Result<Vec<Posting>> {
    let mut statement = connection
        .prepare_cached("SELECT doc FROM occurrences WHERE term = ?")
        .map_err(unexpected)?;
    let mut rows = statement.query([Names::of(connection, scope)?.of_one(term)]).map_err(unexpected)?;
    let mut postings: Vec<Posting> = Vec::new();
    let mut last = None;
    while let Some(row) = rows.next().map_err(unexpected)? {
        let row: i64 = row.get(0).map_err(unexpected)?;
        // A term that stands there again has the same row again.
        if let Some(same) = postings.last_mut().filter(|_| last == Some(row)) {
            same.count = same.count.saturating_add(1);
            continue;
        }
        if postings.len() == LONGEST_LIST {
            break;
        }
        postings.push(Posting::from_row(row));
        last = Some(row);
    }
    Ok(postings)
}
