//! Making codes anew from the vectors, and checking that they fit.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _};

use super::key::Key;
use super::records::{Record, Records};
use super::{delete_vector, models, next_revision, record, unexpected};
use crate::error::Result;
use crate::store::vectors::{Half, is_direction};

/// How many vectors are read at a time.
const PORTION: usize = 1_000;

/// Makes all codes anew from the vectors, and drops vectors that are damaged or whose memory or
/// model is gone.
pub(in super::super) fn rebuild(connection: &Connection) -> Result<()> {
    connection
        .execute_batch(
            "DELETE FROM codes;
             DELETE FROM populations WHERE model > 0;
             DELETE FROM vectors WHERE memory NOT IN (SELECT memory FROM memories)
                                    OR model NOT IN (SELECT model FROM models);",
        )
        .map_err(unexpected)?;
    let revision = next_revision(connection)?;
    let mut rebuilding = Rebuilding { connection, revision, last: 0, open: HashMap::new() };
    let mut after = 0;
    loop {
        let portion = vectors_after(connection, after)?;
        let Some(last) = portion.last() else { break };
        after = last.key.0;
        for vector in &portion {
            if is_direction(&vector.numbers, vector.dimensions) {
                rebuilding.add(vector)?;
            } else {
                delete_vector(connection, vector.key)?;
            }
        }
    }
    rebuilding.finish()
}

/// Returns what is wrong with vectors and codes; empty if nothing is.
pub(in super::super) fn check(connection: &Connection) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for (sql, what) in CONTRADICTIONS {
        let count: usize = connection.query_row(sql, [], |row| row.get(0)).map_err(unexpected)?;
        if count > 0 {
            problems.push(format!("{count} {what}"));
        }
    }
    let (unfit, codes) = unfit_codes(connection)?;
    if unfit > 0 {
        problems.push(format!("{unfit} codes do not fit their vectors"));
    }
    let vectors: usize = connection
        .query_row("SELECT count(*) FROM vectors", [], |row| row.get(0))
        .map_err(unexpected)?;
    if vectors != codes {
        problems.push(format!("there are {vectors} vectors but {codes} codes"));
    }
    Ok(problems)
}

/// Counts of rows that must not be there, and what they are.
const CONTRADICTIONS: &[(&str, &str)] = &[
    (
        "SELECT count(*) FROM vectors WHERE memory NOT IN (SELECT memory FROM memories)
                                         OR model NOT IN (SELECT model FROM models)",
        "vectors belong to no memory or model",
    ),
    (
        "SELECT count(*) FROM codes WHERE NOT EXISTS (
             SELECT 1 FROM populations AS p
             WHERE p.model = codes.model AND p.scope = codes.scope
               AND p.revision >= codes.revision)",
        "pages of codes are not counted",
    ),
    (
        "SELECT count(*) FROM populations AS p WHERE model > 0 AND (
             pages <> (SELECT count(*) FROM codes AS c WHERE c.model = p.model AND c.scope = p.scope)
             OR revision > (SELECT revision FROM populations WHERE model = 0))",
        "counts of codes are wrong",
    ),
];

/// Counts the codes that differ from what their vectors would have, and all codes.
fn unfit_codes(connection: &Connection) -> Result<(usize, usize)> {
    let (mut unfit, mut all) = (0, 0);
    let mut counted: HashMap<(i64, i64), usize> = HashMap::new();
    let mut select =
        connection.prepare("SELECT page, model, scope, records FROM codes").map_err(unexpected)?;
    let mut rows = select.query([]).map_err(unexpected)?;
    while let Some(row) = rows.next().map_err(unexpected)? {
        let number = |column| row.get::<_, i64>(column).map_err(unexpected);
        let (page, model, scope) = (number(0)?, number(1)?, number(2)?);
        let bytes: Vec<u8> = row.get(3).map_err(unexpected)?;
        let records = models::dimensions(connection, model)
            .and_then(|dimensions| Records::read(dimensions, bytes));
        let Ok(records) = records else {
            unfit += 1;
            continue;
        };
        all += records.len();
        *counted.entry((model, scope)).or_default() += records.len();
        for found in records.iter() {
            unfit += usize::from(!fits(connection, page, (model, scope), &found)?);
        }
    }
    for ((model, scope), codes) in counted {
        unfit += usize::from(super::count(connection, scope, model)? != codes);
    }
    Ok((unfit, all))
}

fn fits(
    connection: &Connection,
    page: i64,
    (model, scope): (i64, i64),
    found: &Record,
) -> Result<bool> {
    let dimensions = models::dimensions(connection, model)?;
    let kept: Option<(i64, u8, Vec<u8>, Option<i64>)> = connection
        .prepare_cached(
            "SELECT page, flags, numbers, scope FROM vectors LEFT JOIN memories USING (memory)
             WHERE vector = ?",
        )
        .and_then(|mut select| {
            let parts =
                |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            select.query_row([found.key.0], parts).optional()
        })
        .map_err(unexpected)?;
    Ok(kept.is_some_and(|(its_page, flags, numbers, its_scope)| {
        let numbers: Vec<Half> = Half::from_bytes(&numbers).collect();
        let expected = record(found.key, i64::from(found.stamp), flags, &numbers);
        (its_page, its_scope, found.key.model()) == (page, Some(scope), model)
            && is_direction(&numbers, dimensions)
            && expected == *found
    }))
}

/// A vector that is to get a code.
struct Kept {
    key: Key,
    scope: i64,
    flags: u8,
    dimensions: usize,
    numbers: Vec<Half>,
}

fn vectors_after(connection: &Connection, after: i64) -> Result<Vec<Kept>> {
    connection
        .prepare_cached(
            "SELECT v.vector, m.scope, v.flags, d.dimensions, v.numbers
             FROM vectors AS v JOIN memories AS m ON m.memory = v.vector >> 24
                               JOIN models AS d ON d.model = v.vector >> 16 & 255
             WHERE v.vector > ? ORDER BY v.vector LIMIT ?",
        )
        .and_then(|mut select| {
            let kept = |row: &rusqlite::Row<'_>| {
                let numbers: Vec<u8> = row.get(4)?;
                Ok(Kept {
                    key: Key(row.get(0)?),
                    scope: row.get(1)?,
                    flags: row.get(2)?,
                    dimensions: row.get(3)?,
                    numbers: Half::from_bytes(&numbers).collect(),
                })
            };
            select.query_map((after, PORTION), kept)?.collect()
        })
        .map_err(unexpected)
}

/// Codes on their way into new pages, one open page for each model and scope.
struct Rebuilding<'a> {
    connection: &'a Connection,
    revision: i64,
    /// The last number given to a page.
    last: i64,
    open: HashMap<(i64, i64), Open>,
}

struct Open {
    page: i64,
    records: Records<'static>,
    pages: usize,
    vectors: usize,
}

impl Rebuilding<'_> {
    fn add(&mut self, vector: &Kept) -> Result<()> {
        let place = (vector.key.model(), vector.scope);
        let dimensions = vector.dimensions;
        let open = self.open.entry(place).or_insert_with(|| Open {
            page: 0,
            records: Records::new(dimensions),
            pages: 0,
            vectors: 0,
        });
        if open.records.room() == 0 {
            insert_page(self.connection, place, self.revision, open)?;
            open.records = Records::new(dimensions);
        }
        if open.records.is_empty() {
            self.last += 1;
            open.page = self.last;
            open.pages += 1;
        }
        open.records.push(&record(vector.key, self.revision, vector.flags, &vector.numbers));
        open.vectors += 1;
        self.connection
            .prepare_cached("UPDATE vectors SET page = ? WHERE vector = ?")
            .and_then(|mut update| update.execute((open.page, vector.key.0)))
            .map(drop)
            .map_err(unexpected)
    }

    fn finish(self) -> Result<()> {
        for (place, open) in self.open {
            insert_page(self.connection, place, self.revision, &open)?;
            self.connection
                .prepare_cached(
                    "INSERT INTO populations (model, scope, revision, pages, vectors)
                     VALUES (?, ?, ?, ?, ?)",
                )
                .and_then(|mut insert| {
                    insert.execute((place.0, place.1, self.revision, open.pages, open.vectors))
                })
                .map_err(unexpected)?;
        }
        Ok(())
    }
}

fn insert_page(
    connection: &Connection,
    (model, scope): (i64, i64),
    revision: i64,
    open: &Open,
) -> Result<()> {
    let records = &open.records;
    connection
        .prepare_cached(
            "INSERT INTO codes (page, model, scope, revision, room, records)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.execute((open.page, model, scope, revision, records.room(), records.as_bytes()))
        })
        .map(drop)
        .map_err(unexpected)
}
