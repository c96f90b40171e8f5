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
use crate::store::kit::{Analysed, Count, Passage};
use crate::text::{MAX_PASSAGES, hex};

/// How many passages are read of one term at most.
pub(super) const LONGEST_LIST: usize = 200_000;

/// How many bits tell a passage of a memory from the others.
const PASSAGE_BITS: u32 = MAX_PASSAGES.ilog2();

/// That a term stands in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The number of the memory.
    pub(super) memory: i64,
    /// How often the term stands there.
    pub(super) count: Count,
}

/// Returns the number under which FTS5 knows a passage.
fn row_of(memory: i64, passage: usize) -> i64 {
    let passage = i64::try_from(passage.min(MAX_PASSAGES - 1)).unwrap_or_default();
    (memory << PASSAGE_BITS) | passage
}

fn memory_of(row: i64) -> i64 {
    row >> PASSAGE_BITS
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
                    told, asked, content = '', columnsize = 0, tokenize = "ascii tokenchars ':'"
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
    let sql = "INSERT INTO words (rowid, told, asked) VALUES (?, ?, ?)";
    write(connection, sql, memory, scope, analysed)
}

/// Takes a memory out of the index; it must be as it was when it was added.
pub(super) fn remove(
    connection: &Connection,
    memory: i64,
    scope: i64,
    analysed: &Analysed,
) -> Result<()> {
    let sql = "INSERT INTO words (words, rowid, told, asked) VALUES ('delete', ?, ?, ?)";
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
        let (told, asked) = names.of_all(passage);
        statement.execute((row_of(memory, position), told, asked)).map_err(unexpected)?;
    }
    Ok(())
}

/// What terms of a scope are called in the index.
struct Names {
    /// What every name begins with.
    prefix: String,
    hasher: Sha256,
}

impl Names {
    fn of(connection: &Connection, scope: i64) -> Result<Self> {
        let key: [u8; 16] = connection
            .prepare_cached("SELECT value FROM settings WHERE name = 'terms'")
            .and_then(|mut select| select.query_row([], |row| row.get(0)))
            .map_err(unexpected)?;
        Ok(Self { prefix: format!("{scope}:"), hasher: Sha256::new_with_prefix(key) })
    }

    /// Returns the names of what a passage tells and of what it asks.
    fn of_all(&self, passage: &Passage) -> (String, String) {
        let (mut told, mut asked) = (String::new(), String::new());
        for (term, count) in &passage.terms {
            let name = self.of_one(term);
            for (names, count) in [(&mut told, count.told), (&mut asked, count.asked)] {
                for _ in 0..count {
                    names.push_str(&name);
                    names.push(' ');
                }
            }
        }
        (told, asked)
    }

    /// Returns the name of a term; that two share one is less likely than a broken disk.
    fn of_one(&self, term: &str) -> String {
        let digest = self.hasher.clone().chain_update(term).finalize();
        self.prefix.clone() + &hex(&digest[..7])
    }
}

/// Returns how many passages of a scope have a term.
pub(super) fn passages_having(connection: &Connection, scope: i64, term: &str) -> Result<u64> {
    let mut statement = connection
        .prepare_cached("SELECT doc FROM vocabulary WHERE term = ?")
        .map_err(unexpected)?;
    let mut rows =
        statement.query([Names::of(connection, scope)?.of_one(term)]).map_err(unexpected)?;
    match rows.next().map_err(unexpected)? {
        Some(row) => row.get(0).map_err(unexpected),
        None => Ok(0),
    }
}

/// Returns the passages of a scope that have a term, by memory and passage.
pub(super) fn postings(connection: &Connection, scope: i64, term: &str) -> Result<Vec<Posting>> {
    let mut statement = connection
        .prepare_cached("SELECT doc, col = 'asked' FROM occurrences WHERE term = ?")
        .map_err(unexpected)?;
    let name = Names::of(connection, scope)?.of_one(term);
    let mut rows = statement.query([name]).map_err(unexpected)?;
    let mut postings: Vec<Posting> = Vec::new();
    let mut last = None;
    while let Some(row) = rows.next().map_err(unexpected)? {
        let (passage, asked): (i64, bool) =
            (row.get(0).map_err(unexpected)?, row.get(1).map_err(unexpected)?);
        // A term that stands there again has the same row again.
        if last != Some(passage) {
            if postings.len() == LONGEST_LIST {
                break;
            }
            postings.push(Posting { memory: memory_of(passage), count: Count::default() });
            last = Some(passage);
        }
        if let Some(Posting { count, .. }) = postings.last_mut() {
            let count = if asked { &mut count.asked } else { &mut count.told };
            *count = count.saturating_add(1);
        }
    }
    Ok(postings)
}
