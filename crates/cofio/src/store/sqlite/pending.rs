//! Memories that wait for their vectors, and the model that makes them.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::codes;
use super::read::{self, MEMORY, collect};
use super::unexpected;
use crate::error::Result;
use crate::model::{Fingerprint, MemoryId, Timestamp};
use crate::store::{Claimed, EmbeddingState};

/// Puts a memory into the queue that is not in it.
pub(super) fn add(connection: &Connection, memory: i64, scope: i64) -> Result<()> {
    // A statement that may replace rows needs a savepoint, at which FTS5 writes everything out.
    connection
        .prepare_cached("INSERT INTO pending (memory, scope) VALUES (?, ?)")
        .and_then(|mut insert| insert.execute((memory, scope)))
        .map(drop)
        .map_err(unexpected)
}

/// Returns whether a memory is in the queue.
pub(super) fn contains(connection: &Connection, memory: i64) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM pending WHERE memory = ?")
        .and_then(|mut select| select.exists([memory]))
        .map_err(unexpected)
}

/// Takes a memory out of the queue.
pub(super) fn remove(connection: &Connection, memory: i64) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM pending WHERE memory = ?")
        .and_then(|mut delete| delete.execute([memory]))
        .map(drop)
        .map_err(unexpected)
}

/// Returns how many memories of a scope have no vector of a model.
pub(super) fn lacking(connection: &Connection, scope: i64, model: &Fingerprint) -> Result<u64> {
    if adopted(connection)?.as_ref() == Some(model) {
        return connection
            .prepare_cached("SELECT count(*) FROM pending WHERE scope = ?")
            .and_then(|mut select| select.query_row([scope], |row| row.get(0)))
            .map_err(unexpected);
    }
    connection
        .prepare_cached("SELECT count(*) FROM memories WHERE scope = ? AND fingerprint IS NOT ?")
        .and_then(|mut select| select.query_row((scope, model.as_str()), |row| row.get(0)))
        .map_err(unexpected)
}

/// Makes a claim end at another moment, for those memories that are still in it.
pub(super) fn extend(
    connection: &mut Connection,
    ids: &[MemoryId],
    claim: Timestamp,
    until: Timestamp,
) -> Result<()> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    for id in ids {
        transaction
            .prepare_cached(
                "UPDATE pending SET claimed_until = ?
                 WHERE memory = (SELECT memory FROM memories WHERE id = ?) AND claimed_until = ?",
            )
            .and_then(|mut update| {
                update.execute((until.as_microsecond(), id.as_str(), claim.as_microsecond()))
            })
            .map_err(unexpected)?;
    }
    transaction.commit().map_err(unexpected)
}

/// Puts a memory aside that is still in a claim.
pub(super) fn refuse(
    connection: &Connection,
    id: &MemoryId,
    claim: Timestamp,
    until: Timestamp,
    why: &str,
) -> Result<()> {
    let number: Option<i64> = connection
        .prepare_cached(
            "SELECT memory FROM pending JOIN memories USING (memory)
             WHERE id = ? AND claimed_until = ?",
        )
        .and_then(|mut select| {
            select.query_row((id.as_str(), claim.as_microsecond()), |row| row.get(0)).optional()
        })
        .map_err(unexpected)?;
    number.map_or(Ok(()), |number| put_aside(connection, number, until, why))
}

fn put_aside(connection: &Connection, number: i64, until: Timestamp, why: &str) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE pending SET claimed_until = ?, refused_because = ?,
                    refusals = min(refusals, 1 << 30) + 1
             WHERE memory = ?",
        )
        .and_then(|mut update| update.execute((until.as_microsecond(), why, number)))
        .map(drop)
        .map_err(unexpected)
}

/// Returns the model that memories are embedded with.
pub(super) fn adopted(connection: &Connection) -> Result<Option<Fingerprint>> {
    let name: Option<String> = connection
        .prepare_cached("SELECT value FROM settings WHERE name = 'model'")
        .and_then(|mut select| select.query_row([], |row| row.get(0)).optional())
        .map_err(unexpected)?;
    name.map(Fingerprint::new).transpose()
}

/// Makes a model the one that memories are embedded with, and puts into the queue what lacks it.
pub(super) fn adopt(connection: &mut Connection, fingerprint: &Fingerprint) -> Result<bool> {
    if adopted(connection)?.as_ref() == Some(fingerprint) {
        return Ok(false);
    }
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    transaction
        .execute(
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('model', ?)",
            [fingerprint.as_str()],
        )
        .map_err(unexpected)?;
    // Whoever has claimed something embeds it with the earlier model.
    transaction.execute("DELETE FROM pending", []).map_err(unexpected)?;
    refill(&transaction)?;
    transaction.commit().map_err(unexpected)?;
    Ok(true)
}

/// Leaves exactly those memories in the queue that have no vector of the adopted model.
///
/// What is in it already stays as it is, whoever has claimed it.
pub(super) fn refill(connection: &Connection) -> Result<()> {
    connection
        .execute_batch(
            "CREATE TEMP TABLE lacking AS SELECT memory, scope FROM main.memories AS m
             WHERE fingerprint IS NULL
                OR fingerprint <> (SELECT value FROM settings WHERE name = 'model')
                OR (NOT EXISTS (SELECT 1 FROM vectors WHERE vector
                                BETWEEN m.memory << 24 AND (m.memory << 24) + 16777215)
                    AND NOT coalesce(json_extract(document, '$.standing.vectors'), 0));
             DELETE FROM pending WHERE memory NOT IN (SELECT memory FROM lacking);
             INSERT INTO pending (memory, scope) SELECT memory, scope FROM lacking
             WHERE memory NOT IN (SELECT memory FROM pending);
             DROP TABLE lacking;",
        )
        .map_err(unexpected)
}

/// Hands out memories that nobody is embedding, and puts aside what cannot be read.
pub(super) fn claim(
    connection: &mut Connection,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> Result<Vec<Claimed>> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let mut claimed = Vec::new();
    for (number, found) in free(&transaction, now, limit)? {
        match found {
            Ok(found) => {
                take(&transaction, number, until)?;
                claimed.push(found);
            }
            Err(error) => put_aside(&transaction, number, until, &error.to_string())?,
        }
    }
    transaction.commit().map_err(unexpected)?;
    Ok(claimed)
}

/// Returns memories that nobody is embedding, up to so many that can be read.
fn free(
    connection: &Connection,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<(i64, Result<Claimed>)>> {
    let sql = format!(
        "SELECT p.memory, p.refusals, {MEMORY}
         FROM pending AS p JOIN memories AS m USING (memory)
         WHERE p.claimed_until <= ? ORDER BY p.memory"
    );
    let mut select = connection.prepare_cached(&sql).map_err(unexpected)?;
    let mut rows = select.query([now.as_microsecond()]).map_err(unexpected)?;
    let mut found = Vec::new();
    let mut readable = 0;
    while readable < limit
        && let Some(row) = rows.next().map_err(unexpected)?
    {
        let number = row.get(0).map_err(unexpected)?;
        let refusals = row.get(1).map_err(unexpected)?;
        let claimed = read::memory_from(row, 2).map(|memory| Claimed { memory, refusals });
        readable += usize::from(claimed.is_ok());
        found.push((number, claimed));
    }
    Ok(found)
}

fn take(connection: &Connection, number: i64, until: Timestamp) -> Result<()> {
    connection
        .prepare_cached("UPDATE pending SET claimed_until = ? WHERE memory = ?")
        .and_then(|mut update| update.execute((until.as_microsecond(), number)))
        .map(drop)
        .map_err(unexpected)
}

/// Returns how far the embedding of everything is.
pub(super) fn state(connection: &Connection) -> Result<EmbeddingState> {
    let count =
        |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0)).map_err(unexpected);
    let pending = count("SELECT count(*) FROM pending")?;
    let model = adopted(connection)?;
    let retiring = models(connection)?
        .into_iter()
        .filter(|(fingerprint, _)| Some(fingerprint) != model.as_ref())
        .collect();
    let embedded = count("SELECT count(*) FROM memories")?.saturating_sub(pending);
    Ok(EmbeddingState { model, embedded, pending, refused: refused(connection)?, retiring })
}

/// Returns why memories could not be embedded, with how many.
fn refused(connection: &Connection) -> Result<Vec<(String, u64)>> {
    let sql = "SELECT refused_because, count(*) FROM pending WHERE refused_because IS NOT NULL
               GROUP BY refused_because ORDER BY count(*) DESC, refused_because";
    collect(connection, sql, [], |row| {
        Ok((row.get(0).map_err(unexpected)?, row.get(1).map_err(unexpected)?))
    })
}

/// Removes some vectors of models other than the adopted one, and returns how many are left.
pub(super) fn retire(connection: &mut Connection, limit: usize) -> Result<u64> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let adopted = adopted(&transaction)?;
    let mut left = 0;
    for (fingerprint, vectors) in models(&transaction)? {
        if Some(&fingerprint) == adopted.as_ref() {
            continue;
        }
        left += match codes::find_model(&transaction, &fingerprint)? {
            Some(model) if left == 0 => codes::forget_model(&transaction, model, limit)? as u64,
            _ => vectors,
        };
    }
    // A model whose vectors all stood on shelves has none here to go with.
    transaction
        .execute(
            "DELETE FROM models WHERE fingerprint <> ?
             AND model NOT IN (SELECT model FROM populations WHERE vectors > 0)
             AND model NOT IN (SELECT model FROM vectors)",
            [adopted.as_ref().map(Fingerprint::as_str)],
        )
        .map_err(unexpected)?;
    transaction.commit().map_err(unexpected)?;
    Ok(left)
}

/// Returns the models that vectors are kept of, with how many.
fn models(connection: &Connection) -> Result<Vec<(Fingerprint, u64)>> {
    let sql = "SELECT fingerprint, sum(vectors) FROM models JOIN populations USING (model)
               GROUP BY model HAVING sum(vectors) > 0 ORDER BY model";
    collect(connection, sql, [], |row| {
        let name: String = row.get(0).map_err(unexpected)?;
        Ok((Fingerprint::new(name)?, row.get(1).map_err(unexpected)?))
    })
}
