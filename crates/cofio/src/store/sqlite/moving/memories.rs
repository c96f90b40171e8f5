//! Memories, with all that goes when they go.

use std::collections::HashMap;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::model::{Accesses, Fingerprint, Memory};
use crate::store::document::moment;
use crate::store::kit::Derived;
use crate::store::moving::{CarriedMemory, CarriedVector, Field, Record, RecordKey, Stretch};
use crate::store::sqlite::read::{bounded, collect};
use crate::store::sqlite::{codes, pending, rows, unexpected, write};
use crate::store::vectors::Half;

/// The vectors of one memory and the next are so far apart.
const SHIFT: u32 = 24;

pub(super) fn count(connection: &Connection) -> Result<u64> {
    connection.query_row("SELECT count(*) FROM memories", [], |row| row.get(0)).map_err(unexpected)
}

/// Returns the numbers that keys stand for.
pub(super) fn numbers(keys: &[RecordKey]) -> Vec<i64> {
    let number = |key: &RecordKey| {
        if let [Field::Number(number)] = key[..] { Some(number) } else { None }
    };
    keys.iter().filter_map(number).collect()
}

/// Returns the first memories of a stretch.
pub(super) fn read(
    connection: &Connection,
    stretch: &Stretch,
    limit: usize,
) -> Result<Vec<Record>> {
    let end = |place: &Option<RecordKey>, otherwise: i64| {
        place.as_ref().and_then(|key| numbers(std::slice::from_ref(key)).pop()).unwrap_or(otherwise)
    };
    let (after, until) = (end(&stretch.after, 0), end(&stretch.until, i64::MAX));
    let sql =
        "SELECT m.memory, m.document, m.identity, m.access_count, m.accessed_at, m.fingerprint,
                      p.refusals, p.refused_because
               FROM memories AS m LEFT JOIN pending AS p USING (memory)
               WHERE m.memory > ? AND m.memory <= ? ORDER BY m.memory LIMIT ?";
    let values = [Sql::from(after), Sql::from(until), bounded(limit as u64)];
    let mut memories = collect(connection, sql, values, memory)?;
    let (Some(first), Some(last)) = (memories.first(), memories.last()) else {
        return Ok(Vec::new());
    };
    let mut beside = Beside::read(connection, first.number, last.number)?;
    for memory in &mut memories {
        beside.give(memory);
    }
    Ok(memories.into_iter().map(|memory| Record::Memory(Box::new(memory))).collect())
}

fn memory(row: &Row<'_>) -> Result<CarriedMemory> {
    let accessed_at: Option<i64> = row.get(4).map_err(unexpected)?;
    let fingerprint: Option<String> = row.get(5).map_err(unexpected)?;
    Ok(CarriedMemory {
        number: row.get(0).map_err(unexpected)?,
        document: row.get(1).map_err(unexpected)?,
        identity: row.get(2).map_err(unexpected)?,
        accesses: Accesses {
            count: row.get(3).map_err(unexpected)?,
            last_at: accessed_at.map(moment).transpose()?,
        },
        embedded_by: fingerprint.map(Fingerprint::new).transpose()?,
        refusals: row.get::<_, Option<u32>>(6).map_err(unexpected)?.unwrap_or_default(),
        refused_because: row.get(7).map_err(unexpected)?,
        ..CarriedMemory::default()
    })
}

/// What is kept beside memories, by their numbers.
struct Beside {
    versions: HashMap<i64, Vec<(u64, String)>>,
    stages: HashMap<i64, Vec<(String, String)>>,
    vectors: HashMap<(i64, String), Vec<CarriedVector>>,
}

impl Beside {
    fn read(connection: &Connection, first: i64, last: i64) -> Result<Self> {
        let ends = || [Sql::from(first), Sql::from(last)];
        let sql = "SELECT memory, version, document FROM versions
                   WHERE memory BETWEEN ? AND ? ORDER BY memory, version";
        let versions = collect(connection, sql, ends(), |row| {
            let version = (row.get(1).map_err(unexpected)?, row.get(2).map_err(unexpected)?);
            Ok((row.get(0).map_err(unexpected)?, version))
        })?;
        let sql = "SELECT memory, stage, id FROM stages JOIN jobs USING (job)
                   WHERE memory BETWEEN ? AND ? ORDER BY memory, stage";
        let stages = collect(connection, sql, ends(), |row| {
            let stage = (row.get(1).map_err(unexpected)?, row.get(2).map_err(unexpected)?);
            Ok((row.get(0).map_err(unexpected)?, stage))
        })?;
        let sql = "SELECT v.memory, n.fingerprint, v.text, v.numbers
                   FROM vectors AS v JOIN models AS n ON n.model = v.model
                   WHERE v.vector BETWEEN ? AND ? ORDER BY v.vector";
        let ends = [Sql::from(first << SHIFT), Sql::from(((last + 1) << SHIFT) - 1)];
        let vectors = collect(connection, sql, ends, |row| {
            let key = (row.get(0).map_err(unexpected)?, row.get(1).map_err(unexpected)?);
            let (hash, numbers) =
                (row.get(2).map_err(unexpected)?, row.get(3).map_err(unexpected)?);
            Ok((key, CarriedVector::of_halves(hash, numbers)))
        })?;
        Ok(Self { versions: grouped(versions), stages: grouped(stages), vectors: grouped(vectors) })
    }

    /// Gives a memory what is its own; vectors of another model than it is found by are left.
    fn give(&mut self, memory: &mut CarriedMemory) {
        memory.versions = self.versions.remove(&memory.number).unwrap_or_default();
        memory.stages = self.stages.remove(&memory.number).unwrap_or_default();
        if let Some(model) = &memory.embedded_by {
            let key = (memory.number, model.to_string());
            memory.vectors = self.vectors.remove(&key).unwrap_or_default();
        }
    }
}

fn grouped<K: std::hash::Hash + Eq, V>(all: Vec<(K, V)>) -> HashMap<K, Vec<V>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    for (key, value) in all {
        groups.entry(key).or_default().push(value);
    }
    groups
}

/// A memory that is to be taken in, with everything worked out that needs no database.
pub(super) struct Incoming {
    carried: CarriedMemory,
    memory: Memory,
    derived: Derived,
}

impl Incoming {
    pub(super) fn of(carried: &CarriedMemory) -> Result<Self> {
        let (mut memory, derived) = Derived::read(carried.document.clone())?;
        memory.accesses = carried.accesses;
        Ok(Self { carried: carried.clone(), memory, derived })
    }
}

/// Removes memories, and puts others in the place of those with the same numbers.
pub(super) fn replace(connection: &Connection, gone: &[i64], incoming: &[Incoming]) -> Result<()> {
    for number in gone {
        remove(connection, *number)?;
    }
    let adopted = pending::adopted(connection)?;
    for one in incoming {
        remove(connection, one.carried.number)?;
        if let Some(row) = rows::find(connection, &one.memory.id)? {
            remove(connection, row.number)?;
        }
        one.take_in(connection, adopted.as_ref())?;
    }
    Ok(())
}

/// Removes a memory, if it is there, as if it had never been.
fn remove(connection: &Connection, number: i64) -> Result<()> {
    let Some(row) = rows::find_by_number(connection, number)? else { return Ok(()) };
    write::underive(connection, &row)?;
    codes::remove(connection, row.scope, number)?;
    rows::delete(connection, number)
}

impl Incoming {
    fn take_in(&self, connection: &Connection, adopted: Option<&Fingerprint>) -> Result<()> {
        let Self { carried, memory, derived } = self;
        let (number, identity) = (carried.number, carried.identity.as_ref());
        let scope = rows::scope_number(connection, &memory.scope)?;
        if let Some(identity) = identity {
            give_up_identity(connection, scope, identity)?;
        }
        rows::insert(connection, Some(number), scope, memory, derived, identity)?;
        rows::insert_parents(connection, number, memory)?;
        write::derive(connection, number, scope, memory, derived)?;
        for (version, document) in &carried.versions {
            rows::keep_version(connection, number, *version, document)?;
        }
        for (stage, job) in &carried.stages {
            connection
                .prepare_cached(
                    "INSERT INTO stages (memory, stage, job) SELECT ?, ?, job FROM jobs WHERE id = ?",
                )
                .and_then(|mut insert| insert.execute((number, stage, job)))
                .map_err(unexpected)?;
        }
        self.keep_vectors(connection, scope)?;
        self.wait(connection, scope, adopted)
    }

    fn keep_vectors(&self, connection: &Connection, scope: i64) -> Result<()> {
        let Self { carried, memory, .. } = self;
        let Some(fingerprint) = &carried.embedded_by else { return Ok(()) };
        rows::mark_embedded(connection, carried.number, Some(fingerprint))?;
        let halves: Vec<(u16, _, Vec<Half>)> = (0..)
            .zip(&carried.vectors)
            .map(|(place, vector)| (place, vector.hash, vector.halves().collect()))
            .collect();
        let dimensions = halves.first().map(|(_, _, numbers)| numbers.len());
        let Some(dimensions) = dimensions.or(carried.dimensions_elsewhere) else { return Ok(()) };
        let model = codes::model_number(connection, fingerprint, dimensions)?;
        let flags = if memory.said_by_assistant() { codes::ASSISTANT } else { 0 };
        codes::insert_halves(connection, scope, model, carried.number, flags, &halves)
    }

    /// Puts the memory into the queue if it has no vectors of the adopted model.
    fn wait(
        &self,
        connection: &Connection,
        scope: i64,
        adopted: Option<&Fingerprint>,
    ) -> Result<()> {
        let Self { carried, memory, .. } = self;
        let found_by = carried.embedded_by.as_ref();
        let has_vectors = !carried.vectors.is_empty() || memory.content.has_vectors_elsewhere();
        if has_vectors && found_by.is_some_and(|by| adopted.is_none_or(|model| model == by)) {
            return Ok(());
        }
        pending::add(connection, carried.number, scope)?;
        connection
            .prepare_cached("UPDATE pending SET refusals = ?, refused_because = ? WHERE memory = ?")
            .and_then(|mut update| {
                update.execute((carried.refusals, &carried.refused_because, carried.number))
            })
            .map(drop)
            .map_err(unexpected)
    }
}

/// Takes an identity from a memory that had it before; that memory is compared later.
fn give_up_identity(connection: &Connection, scope: i64, identity: &[u8; 32]) -> Result<()> {
    connection
        .prepare_cached("UPDATE memories SET identity = NULL WHERE scope = ? AND identity = ?")
        .and_then(|mut update| update.execute((scope, identity)))
        .map(drop)
        .map_err(unexpected)
}
