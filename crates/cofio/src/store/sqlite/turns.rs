//! What ranking knows of each memory without its text, one small record each, and who wrote them.

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Kind, Memory, State, Timestamp, Trust};
use crate::store::kit::Analysed;

/// What ranking knows of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Record {
    /// The number of the memory.
    pub(super) memory: i64,
    /// Tells its conversation from others; 0 if it has none.
    pub(super) session: u64,
    /// The number of its author; 0 if it has none.
    pub(super) author: u32,
    /// How many words with content it has.
    pub(super) length: u32,
    pub(super) event_at: i64,
    pub(super) expires_at: i64,
    /// How many passages it has.
    pub(super) passages: u16,
    pub(super) kind: Kind,
    pub(super) state: State,
    pub(super) trust: Trust,
    pub(super) assistant: bool,
    pub(super) question: bool,
    pub(super) instructs: bool,
}

/// The bytes of a record.
const SIZE: usize = 39;

/// What the last byte tells.
const QUESTION: u8 = 1;
const INSTRUCTS: u8 = 2;

/// Keeps the record of a new memory.
pub(super) fn insert(
    connection: &Connection,
    number: i64,
    scope: i64,
    memory: &Memory,
    analysed: &Analysed,
) -> Result<()> {
    let author = match memory.author() {
        Some(name) => count_author(connection, scope, name)?,
        None => 0,
    };
    let record = Record::of(number, memory, author, analysed);
    connection
        .prepare_cached("INSERT INTO turns (scope, memory, record) VALUES (?, ?, ?)")
        .and_then(|mut insert| insert.execute((scope, number, record.to_bytes())))
        .map(drop)
        .map_err(unexpected)
}

/// Removes the record of a memory, and the name of an author who has no other.
pub(super) fn remove(connection: &Connection, number: i64, scope: i64) -> Result<()> {
    if let Some(record) = find(connection, scope, number)? {
        for sql in [
            "UPDATE authors SET memories = memories - 1 WHERE author = ?",
            "DELETE FROM authors WHERE author = ? AND memories <= 0",
        ] {
            connection
                .prepare_cached(sql)
                .and_then(|mut statement| statement.execute([record.author]))
                .map_err(unexpected)?;
        }
    }
    connection
        .prepare_cached("DELETE FROM turns WHERE scope = ? AND memory = ?")
        .and_then(|mut delete| delete.execute((scope, number)))
        .map(drop)
        .map_err(unexpected)
}

/// Returns the record of one memory.
pub(super) fn find(connection: &Connection, scope: i64, number: i64) -> Result<Option<Record>> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached("SELECT record FROM turns WHERE scope = ? AND memory = ?")
        .and_then(|mut select| select.query_row((scope, number), |row| row.get(0)).optional())
        .map_err(unexpected)?;
    bytes.map(|bytes| Record::from_bytes(number, &bytes)).transpose()
}

/// Returns the records of a scope, by the numbers of their memories.
pub(super) fn all(connection: &Connection, scope: i64) -> Result<Vec<Record>> {
    let mut select = connection
        .prepare_cached("SELECT memory, record FROM turns WHERE scope = ? ORDER BY memory")
        .map_err(unexpected)?;
    let mut rows = select.query([scope]).map_err(unexpected)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next().map_err(unexpected)? {
        let number = row.get(0).map_err(unexpected)?;
        let bytes = row.get_ref(1).map_err(unexpected)?;
        records.push(Record::from_bytes(number, bytes.as_blob().unwrap_or_default())?);
    }
    Ok(records)
}

/// Counts one more memory of an author, and returns the author's number.
fn count_author(connection: &Connection, scope: i64, name: &str) -> Result<u32> {
    connection
        .prepare_cached(
            "INSERT INTO authors (scope, name, memories) VALUES (?, ?, 1)
             ON CONFLICT (scope, name) DO UPDATE SET memories = memories + 1 RETURNING author",
        )
        .and_then(|mut insert| insert.query_row((scope, name), |row| row.get(0)))
        .map_err(unexpected)
}

/// Returns what tells a conversation from others.
pub(super) fn session_key(session: &str) -> u64 {
    let digest = <[u8; 32]>::from(Sha256::digest(session));
    let (first, _) = digest.split_first_chunk().expect("a digest has more than eight bytes");
    u64::from_le_bytes(*first).max(1)
}

impl Record {
    fn of(number: i64, memory: &Memory, author: u32, analysed: &Analysed) -> Self {
        Self {
            memory: number,
            session: memory.conversation().map_or(0, session_key),
            author,
            length: analysed.length(),
            event_at: memory.event_at.as_microsecond(),
            expires_at: memory.expires_at.map_or(i64::MAX, Timestamp::as_microsecond),
            passages: u16::try_from(analysed.passages.len()).unwrap_or(u16::MAX),
            kind: memory.kind,
            state: memory.state,
            trust: memory.source.trust(),
            assistant: memory.said_by_assistant(),
            question: analysed.question,
            instructs: memory.instructs,
        }
    }

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SIZE);
        bytes.extend(self.session.to_le_bytes());
        bytes.extend(self.author.to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.event_at.to_le_bytes());
        bytes.extend(self.expires_at.to_le_bytes());
        bytes.extend(self.passages.to_le_bytes());
        bytes.extend([place(Kind::ALL, self.kind), place(State::ALL, self.state)]);
        bytes.extend([place(Trust::ALL, self.trust)]);
        bytes.extend([u8::from(self.assistant)]);
        bytes.extend([u8::from(self.question) * QUESTION + u8::from(self.instructs) * INSTRUCTS]);
        bytes
    }

    fn from_bytes(number: i64, bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::new(ErrorKind::Damaged, "the record of a memory is damaged");
        let bytes: &[u8; SIZE] = bytes.try_into().map_err(|_| damaged())?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        let long = |at: usize| u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| bytes[at + i]));
        Ok(Self {
            memory: number,
            session: long(0),
            author: word(8),
            length: word(12),
            event_at: long(16).cast_signed(),
            expires_at: long(24).cast_signed(),
            passages: u16::from_le_bytes([bytes[32], bytes[33]]),
            kind: *Kind::ALL.get(usize::from(bytes[34])).ok_or_else(damaged)?,
            state: *State::ALL.get(usize::from(bytes[35])).ok_or_else(damaged)?,
            trust: *Trust::ALL.get(usize::from(bytes[36])).ok_or_else(damaged)?,
            assistant: bytes[37] != 0,
            question: bytes[38] & QUESTION != 0,
            instructs: bytes[38] & INSTRUCTS != 0,
        })
    }
}

/// Returns the place of a name among all of its kind.
fn place<T: PartialEq + Copy>(all: &[T], one: T) -> u8 {
    let place = all.iter().position(|other| *other == one);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}
