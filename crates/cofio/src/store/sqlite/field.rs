//! What a process keeps in memory of a scope between searches: records and lists of terms.
//!
//! Nothing here is a truth of its own. Every use asks the snapshot at hand for the last change of
//! the scope; what is kept follows the changes up to there, or is read anew.

mod fields;
mod lists;

pub(super) use fields::Fields;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::index::{self, Posting};
use super::read::{self, collect};
use super::turns::{self, Record};
use super::unexpected;
use crate::error::Result;
use crate::model::Author;
use crate::store::analysed::Count;
use lists::{Known, Lists};

/// How many bytes of lists are kept of a scope: so many, and so many for each of its records.
const LIST_BYTES: (usize, usize) = (64 << 10, 256);

/// How many are kept of a large scope.
const LARGE_LIST_BYTES: (usize, usize) = (1 << 20, 64);

/// How many changes are followed one by one before everything is read anew.
const FOLLOWED: u64 = 1_000;

/// Marks a number that no memory of the scope has.
const NOWHERE: u32 = u32::MAX;

/// How many numbers there may be for each memory of a scope, for places to be kept by number.
const ROOMY: usize = 16;

/// How many authors of a scope are known by name.
const AUTHORS: u64 = 200;

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A reader that panicked has left nothing half done: values are put in whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells one state of a scope from every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    /// How often everything was made anew.
    epoch: i64,
    /// The last change of the scope.
    sequence: i64,
}

impl Moment {
    fn of(connection: &Connection, scope: i64) -> Result<Self> {
        connection
            .prepare_cached(
                "SELECT ifnull((SELECT value FROM settings WHERE name = 'epoch'), 0),
                        ifnull((SELECT max(sequence) FROM changes WHERE scope = ?), 0)",
            )
            .and_then(|mut select| {
                let moment = |row: &rusqlite::Row<'_>| {
                    Ok(Self { epoch: row.get(0)?, sequence: row.get(1)? })
                };
                select.query_row([scope], moment)
            })
            .map_err(unexpected)
    }

    fn is_after(self, other: Self) -> bool {
        (self.epoch, self.sequence) > (other.epoch, other.sequence)
    }
}

/// Returns how often everything was made anew.
fn epoch(connection: &Connection) -> Result<i64> {
    connection
        .prepare_cached("SELECT ifnull((SELECT value FROM settings WHERE name = 'epoch'), 0)")
        .and_then(|mut select| select.query_row([], |row| row.get(0)))
        .map_err(unexpected)
}

/// Tells every process that what it keeps in memory is no longer true.
pub(super) fn begin_epoch(connection: &Connection) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES ('epoch', ?)")
        .and_then(|mut set| set.execute([epoch(connection).unwrap_or_default() + 1]))
        .map(drop)
        .map_err(unexpected)
}

/// What is known of a scope.
#[derive(Debug)]
pub(super) struct Field {
    moment: Moment,
    /// By the numbers of their memories.
    pub(super) records: Vec<Record>,
    /// The place of each memory in `records`, from the first one's number on, unless their numbers
    /// are too far apart.
    places: Option<Vec<u32>>,
    /// The places in `records` of each conversation, in the order in which it happened.
    sessions: HashMap<u64, Vec<u32>, BuildHasherDefault<KeyHasher>>,
    /// Those who said most first.
    pub(super) authors: Vec<Author>,
    /// How many passages the memories have.
    pub(super) passages: u64,
    lists: Mutex<Lists>,
}

impl Clone for Field {
    fn clone(&self) -> Self {
        Self {
            moment: self.moment,
            records: self.records.clone(),
            places: self.places.clone(),
            sessions: self.sessions.clone(),
            authors: self.authors.clone(),
            passages: self.passages,
            lists: Mutex::default(),
        }
    }
}

/// That a term stands in a passage of the memory at a place in the records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) place: u32,
    pub(super) count: Count,
}

impl Field {
    fn load(connection: &Connection, scope: i64, moment: Moment) -> Result<Self> {
        let mut field = Self {
            moment,
            records: turns::all(connection, scope)?,
            places: None,
            sessions: HashMap::default(),
            authors: authors(connection, scope)?,
            passages: 0,
            lists: Mutex::default(),
        };
        field.count();
        field.index_places();
        Ok(field)
    }

    /// Makes what happened since the moment it was read.
    fn follow(mut self, connection: &Connection, scope: i64, now: Moment) -> Result<Self> {
        let sql = "SELECT DISTINCT memory FROM changes WHERE scope = ? AND sequence > ? LIMIT ?";
        let values =
            [Sql::from(scope), Sql::from(self.moment.sequence), read::bounded(FOLLOWED + 1)];
        let changed: Vec<Option<i64>> =
            collect(connection, sql, values, |row| row.get(0).map_err(unexpected))?;
        let known: Option<Vec<i64>> = changed.into_iter().collect();
        let followed = known.filter(|known| known.len() as u64 <= FOLLOWED);
        let Some(mut changed) = followed.filter(|_| self.moment.epoch == now.epoch) else {
            return Self::load(connection, scope, now);
        };
        changed.sort_unstable();
        self.moment = now;
        self.authors = authors(connection, scope)?;
        *locked(&self.lists) = Lists::default();
        let last = self.records.last().map_or(i64::MIN, |record| record.memory);
        let only_added = changed.iter().all(|memory| *memory > last);
        if !only_added {
            let gone: HashSet<i64> = changed.iter().copied().collect();
            self.records.retain(|record| !gone.contains(&record.memory));
        }
        for memory in changed {
            if let Some(record) = turns::find(connection, scope, memory)? {
                self.records.push(record);
                if only_added {
                    self.count_one(self.records.len() - 1);
                }
            }
        }
        if !only_added {
            self.records.sort_unstable_by_key(|record| record.memory);
            self.count();
        }
        self.index_places();
        Ok(self)
    }

    /// Makes everything anew that follows from the records.
    fn count(&mut self) {
        self.passages = 0;
        self.sessions.clear();
        for place in 0..self.records.len() {
            self.count_one(place);
        }
    }

    fn count_one(&mut self, place: usize) {
        let record = self.records[place];
        self.passages += u64::from(record.passages);
        if record.session != 0 {
            let session = self.sessions.entry(record.session).or_default();
            let by_then = |other: &u32| self.records[*other as usize].event_at <= record.event_at;
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            session.insert(session.partition_point(by_then), place);
        }
    }

    /// Returns the places of a record's whole conversation, in the order in which it happened.
    pub(super) fn conversation(&self, record: &Record) -> &[u32] {
        self.sessions.get(&record.session).map_or(&[], Vec::as_slice)
    }

    /// Returns the place of a memory's record.
    pub(super) fn place(&self, memory: i64) -> Option<usize> {
        let Some(places) = &self.places else {
            return self.records.binary_search_by_key(&memory, |record| record.memory).ok();
        };
        let offset = usize::try_from(memory - self.records.first()?.memory).ok()?;
        places.get(offset).filter(|place| **place != NOWHERE).map(|place| *place as usize)
    }

    /// Makes places findable without a search, where that takes little room.
    fn index_places(&mut self) {
        let (Some(first), Some(last)) = (self.records.first(), self.records.last()) else {
            self.places = None;
            return;
        };
        let span = usize::try_from(last.memory - first.memory).unwrap_or(usize::MAX);
        self.places = (span < ROOMY * self.records.len() + ROOMY).then(|| {
            let mut places = vec![NOWHERE; span + 1];
            for (place, record) in (0..).zip(&self.records) {
                places[usize::try_from(record.memory - first.memory).unwrap_or_default()] = place;
            }
            places
        });
    }

    /// Returns how many passages have a term.
    pub(super) fn passages_having(
        &self,
        connection: &Connection,
        scope: i64,
        term: &str,
    ) -> Result<u64> {
        if let Some(known) = self.known(term, |known| known.passages) {
            return Ok(known);
        }
        let found = index::passages_having(connection, scope, term)?;
        self.learn(term, |known| known.passages = Some(found));
        Ok(found)
    }

    /// Returns in which share of its memories a word is capitalised, measured once.
    pub(super) fn capitalised(
        &self,
        word: &str,
        measure: impl FnOnce() -> Result<f64>,
    ) -> Result<f64> {
        if let Some(known) = self.known(word, |known| known.capitalised) {
            return Ok(known);
        }
        let measured = measure()?;
        self.learn(word, |known| known.capitalised = Some(measured));
        Ok(measured)
    }

    /// Returns whether a name begins with a word, looked up once.
    pub(super) fn begins_name(
        &self,
        word: &str,
        look_up: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        if let Some(known) = self.known(word, |known| known.begins_name) {
            return Ok(known);
        }
        let begins = look_up()?;
        self.learn(word, |known| known.begins_name = Some(begins));
        Ok(begins)
    }

    /// Returns the passages that have a term.
    pub(super) fn postings(
        &self,
        connection: &Connection,
        scope: i64,
        term: &str,
    ) -> Result<Arc<[Placed]>> {
        if let Some(known) = self.known(term, |known| known.places.clone()) {
            return Ok(known);
        }
        let placed = |posting: &Posting| {
            let place = u32::try_from(self.place(posting.memory)?).ok()?;
            Some(Placed { place, count: posting.count })
        };
        let postings = index::postings(connection, scope, term)?;
        let found: Arc<[Placed]> = postings.iter().filter_map(placed).collect();
        self.learn(term, |known| known.places = Some(Arc::clone(&found)));
        Ok(found)
    }

    fn known<T>(&self, term: &str, what: impl FnOnce(&Known) -> Option<T>) -> Option<T> {
        locked(&self.lists).get(term).and_then(what)
    }

    fn learn(&self, term: &str, what: impl FnOnce(&mut Known)) {
        locked(&self.lists).learn(term, self.list_bytes(), what);
    }

    fn list_bytes(&self) -> usize {
        let most = |(base, each): (usize, usize)| base + each * self.records.len();
        most(LIST_BYTES).min(most(LARGE_LIST_BYTES))
    }

    /// Returns how many bytes it may take.
    fn bytes(&self) -> usize {
        let places = self.places.as_deref().map_or(0, size_of_val);
        // A record stands in its list and in that of its conversation.
        self.records.len() * (size_of::<Record>() + size_of::<u32>()) + places + self.list_bytes()
    }
}

fn authors(connection: &Connection, scope: i64) -> Result<Vec<Author>> {
    let sql = "SELECT author, name, memories FROM authors WHERE scope = ?
               ORDER BY memories DESC, author LIMIT ?";
    collect(connection, sql, [Sql::from(scope), read::bounded(AUTHORS)], |row| {
        Ok(Author {
            key: row.get(0).map_err(unexpected)?,
            name: row.get(1).map_err(unexpected)?,
            memories: row.get(2).map_err(unexpected)?,
        })
    })
}

/// Hashes keys that are hashes already.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
