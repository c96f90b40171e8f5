//! What a process keeps in memory of a scope between searches: records and lists of terms.
//!
//! Nothing here is a truth of its own. Every use asks the snapshot at hand for the last change of
//! the scope; what is kept follows the changes up to there, or is read anew. Memories that were only
//! added are most of what happens to a scope, so following them copies next to nothing.

mod chunks;
mod fields;
mod lists;
mod places;
mod postings;
mod sessions;
#[cfg(test)]
mod tests;

pub(super) use fields::Fields;
pub(super) use lists::{Placed, Sample};
pub(super) use postings::Postings;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::index::{self, LONGEST_LIST, Posting};
use super::read::{self, collect};
use super::turns::{self, Record};
use super::unexpected;
use crate::error::Result;
use crate::model::{Author, ChangeKind};
use crate::store::kit::Derived;
use chunks::Chunks;
use lists::{Capitalised, Known, Lists};
use places::Places;
use sessions::Sessions;

/// How many bytes of lists are kept of a scope: so many, and so many for each of its records.
const LIST_BYTES: (usize, usize) = (64 << 10, 256);

/// How many are kept of a large scope.
const LARGE_LIST_BYTES: (usize, usize) = (1 << 20, 160);

/// How many are kept of the largest.
const MOST_LIST_BYTES: usize = 64 << 20;

/// How many changes are followed one by one before everything is read anew.
const FOLLOWED: u64 = 1_000;

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
#[derive(Debug, Clone)]
pub(super) struct Field {
    moment: Moment,
    /// By the numbers of their memories.
    pub(super) records: Chunks<Record>,
    places: Places,
    sessions: Sessions,
    /// Those who said most first.
    pub(super) authors: Vec<Author>,
    /// How many passages the memories have.
    pub(super) passages: u64,
    lists: Arc<Mutex<Lists>>,
}

impl Field {
    fn load(connection: &Connection, scope: i64, moment: Moment) -> Result<Self> {
        let records = turns::all(connection, scope)?;
        Ok(Self::of(records, authors(connection, scope)?, moment))
    }

    fn of(records: Vec<Record>, authors: Vec<Author>, moment: Moment) -> Self {
        let lists = Arc::new(Mutex::new(Lists::of(records.len())));
        let mut field = Self {
            moment,
            records: Chunks::default(),
            places: Places::default(),
            sessions: Sessions::default(),
            authors,
            passages: 0,
            lists,
        };
        for record in records {
            field.push(record);
        }
        field
    }

    /// Returns what is known after what happened since.
    fn follow(&self, connection: &Connection, scope: i64, now: Moment) -> Result<Self> {
        let sql = "SELECT memory, kind FROM changes WHERE scope = ? AND sequence > ?
                   ORDER BY sequence LIMIT ?";
        let values =
            [Sql::from(scope), Sql::from(self.moment.sequence), read::bounded(FOLLOWED + 1)];
        let changes = collect(connection, sql, values, |row| {
            let kind: String = row.get(1).map_err(unexpected)?;
            Ok((row.get::<_, Option<i64>>(0).map_err(unexpected)?, kind.parse::<ChangeKind>()?))
        })?;
        if self.moment.epoch != now.epoch || changes.len() as u64 > FOLLOWED {
            return Self::load(connection, scope, now);
        }
        let known: Option<Vec<i64>> = changes.iter().map(|(memory, _)| *memory).collect();
        let Some(changed) = known else { return Self::load(connection, scope, now) };
        let last = self.records.last().map_or(i64::MIN, |record| record.memory);
        let only_added = changes.iter().all(|(_, kind)| *kind == ChangeKind::Created)
            && [last].iter().chain(&changed).is_sorted_by(|one, two| one < two);
        if only_added {
            self.follow_additions(connection, scope, &changed, now)
        } else {
            self.follow_changes(connection, scope, &changed, now)
        }
    }

    /// Follows that memories were added, and nothing else happened.
    ///
    /// Whatever other state of the scope shares the lists has the first of the same memories.
    fn follow_additions(
        &self,
        connection: &Connection,
        scope: i64,
        added: &[i64],
        now: Moment,
    ) -> Result<Self> {
        let authors = authors(connection, scope)?;
        let mut field = Self { moment: now, authors, ..self.clone() };
        for &memory in added {
            let found =
                (turns::find(connection, scope, memory)?, read::derived_of(connection, memory)?);
            let (Some(record), Some(derived)) = found else {
                return Self::load(connection, scope, now);
            };
            let mut lists = locked(&field.lists);
            if lists.records == field.records.len() {
                let Derived { analysed, named, .. } = derived;
                let names = named.iter().flat_map(|named| [&*named.name, &*named.alias]);
                lists.add(&analysed, names);
            }
            drop(lists);
            field.push(record);
        }
        Ok(field)
    }

    /// Follows changes of any kind.
    fn follow_changes(
        &self,
        connection: &Connection,
        scope: i64,
        changed: &[i64],
        now: Moment,
    ) -> Result<Self> {
        let changed: HashSet<i64> = changed.iter().copied().collect();
        let unchanged = |record: &&Record| !changed.contains(&record.memory);
        let mut records: Vec<Record> = self.records.iter().filter(unchanged).copied().collect();
        for &memory in &changed {
            records.extend(turns::find(connection, scope, memory)?);
        }
        records.sort_unstable_by_key(|record| record.memory);
        Ok(Self::of(records, authors(connection, scope)?, now))
    }

    /// Adds the record of a memory that comes after all others.
    fn push(&mut self, record: Record) {
        let place = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        self.passages += u64::from(record.passages);
        self.places.add(record.memory, place);
        self.records.push(record);
        if record.session != 0 {
            self.sessions.add(record.session, place, |place| self.records[place as usize].event_at);
        }
    }

    /// Returns the places of a record's whole conversation, in the order in which it happened.
    pub(super) fn conversation(&self, record: &Record) -> &[u32] {
        self.sessions.of(record.session)
    }

    /// Returns the place of a memory's record.
    pub(super) fn place(&self, memory: i64) -> Option<usize> {
        if self.places.are_known() {
            return self.places.of(memory);
        }
        let place = self.records.partition_point(|record| record.memory < memory);
        self.records.get(place).is_some_and(|record| record.memory == memory).then_some(place)
    }

    /// Returns how many passages have a term.
    pub(super) fn passages_having(
        &self,
        connection: &Connection,
        scope: i64,
        term: &str,
    ) -> Result<u64> {
        if let Some(known) = self.known(term, |known, all| self.passages_known(known, all)) {
            return Ok(known);
        }
        let found = index::passages_having(connection, scope, term)?;
        self.learn(term, |known| known.passages = Some(found));
        Ok(found)
    }

    fn passages_known(&self, known: &Known, all: bool) -> Option<u64> {
        if all && known.passages.is_some() {
            return known.passages;
        }
        let places = known.places.as_ref().filter(|places| places.len() < LONGEST_LIST)?;
        Some(Postings::new(Arc::clone(places), self.records.len()).len() as u64)
    }

    /// Returns in which share of a sample of its memories a word is capitalised, measured once.
    pub(super) fn capitalised(
        &self,
        word: &str,
        sample: Sample,
        measure: impl FnOnce() -> Result<f64>,
    ) -> Result<f64> {
        // What is added comes after all others, so that equal samples are the same memories.
        let known = self.known(word, |known, _| known.capitalised);
        if let Some(known) = known.filter(|known| known.sample == sample) {
            return Ok(known.share);
        }
        let share = measure()?;
        self.learn(word, |known| known.capitalised = Some(Capitalised { sample, share }));
        Ok(share)
    }

    /// Returns whether a name may begin with a word, looked up once.
    pub(super) fn begins_name(
        &self,
        word: &str,
        look_up: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        if let Some(known) = self.known(word, |known, _| known.begins_name) {
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
    ) -> Result<Postings> {
        let records = self.records.len();
        if let Some(known) = self.known(term, |known, _| known.places.clone()) {
            return Ok(Postings::new(known, records));
        }
        let placed = |posting: &Posting| {
            let place = u32::try_from(self.place(posting.memory)?).ok()?;
            Some(Placed { place, count: posting.count })
        };
        let postings = index::postings(connection, scope, term)?;
        let found: Arc<Chunks<Placed>> = Arc::new(postings.iter().filter_map(placed).collect());
        self.learn(term, |known| known.places = Some(Arc::clone(&found)));
        Ok(Postings::new(found, records))
    }

    /// Returns something that is known of a term; it is also told whether it is known of just the
    /// memories of this state, or of later ones too.
    fn known<T>(&self, term: &str, what: impl FnOnce(&Known, bool) -> Option<T>) -> Option<T> {
        let mut lists = locked(&self.lists);
        let all = lists.records == self.records.len();
        lists.get(term).and_then(|known| what(known, all))
    }

    /// Keeps what was found out about a term, unless memories were added meanwhile.
    fn learn(&self, term: &str, what: impl FnOnce(&mut Known)) {
        let mut lists = locked(&self.lists);
        if lists.records == self.records.len() {
            lists.learn(term, self.list_bytes(), what);
        }
    }

    fn list_bytes(&self) -> usize {
        let most = |(base, each): (usize, usize)| base + each * self.records.len();
        most(LIST_BYTES).min(most(LARGE_LIST_BYTES)).min(MOST_LIST_BYTES)
    }

    /// Returns how many bytes it may take.
    fn bytes(&self) -> usize {
        // A record stands in its list and in that of its conversation.
        self.records.len() * (size_of::<Record>() + size_of::<u32>())
            + self.places.bytes()
            + self.list_bytes()
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
