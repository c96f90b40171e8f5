//! Memories that wait for their vectors, and the model that makes them.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::codes;
use super::read::{self, MEMORY, bounded, collect};
use super::unexpected;
use crate::error::Result;
use crate::model::{Fingerprint, Memory, MemoryId, Timestamp};
use crate::store::EmbeddingState;

/// Puts a memory into the queue that is not in it.
pub(super) fn add(connection: &Connection, memory: i64, scope: i64) -> Result<()> {
    // A statement that may replace rows needs a savepoint, at which FTS5 writes everything out.
    connection
        .prepare_cached("INSERT INTO pending (memory, scope) VALUES (?, ?)")
        .and_then(|mut insert| insert.execute((memory, scope)))
        .map(drop)
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

/// Gives back memories that somebody took and could not embed.
pub(super) fn release(connection: &Connection, ids: &[MemoryId]) -> Result<()> {
    let mut update = connection
        .prepare_cached(
            "UPDATE pending SET claimed_until = 0
             WHERE memory = (SELECT memory FROM memories WHERE id = ?)",
        )
        .map_err(unexpected)?;
    for id in ids {
        update.execute([id.as_str()]).map_err(unexpected)?;
    }
    Ok(())
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
    refill(&transaction)?;
    transaction.commit().map_err(unexpected)?;
    Ok(true)
}

/// Puts exactly those memories into the queue that have no vector of the adopted model.
pub(super) fn refill(connection: &Connection) -> Result<()> {
    connection
        .execute_batch(
            "DELETE FROM pending;
             INSERT INTO pending (memory, scope) SELECT memory, scope FROM memories AS m
             WHERE fingerprint IS NULL
                OR fingerprint <> (SELECT value FROM settings WHERE name = 'model')
                OR NOT EXISTS (SELECT 1 FROM vectors WHERE vector
                               BETWEEN m.memory << 24 AND (m.memory << 24) + 16777215);",
        )
        .map_err(unexpected)
}

/// Hands out memories that nobody is embedding.
pub(super) fn claim(
    connection: &mut Connection,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> Result<Vec<Memory>> {
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(unexpected)?;
    let sql = format!(
        "SELECT p.memory, {MEMORY} FROM pending AS p JOIN memories AS m USING (memory)
         WHERE p.claimed_until <= ? ORDER BY p.memory LIMIT ?"
    );
    let values = [now.as_microsecond().into(), bounded(limit as u64)];
    let claimed: Vec<(i64, Memory)> = collect(&transaction, &sql, values, |row| {
        Ok((row.get(0).map_err(unexpected)?, read::memory_from(row, 1)?))
    })?;
    for (number, _) in &claimed {
        transaction
            .prepare_cached("UPDATE pending SET claimed_until = ? WHERE memory = ?")
            .and_then(|mut update| update.execute((until.as_microsecond(), number)))
            .map_err(unexpected)?;
    }
    transaction.commit().map_err(unexpected)?;
    Ok(claimed.into_iter().map(|(_, memory)| memory).collect())
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
    Ok(EmbeddingState { model, embedded, pending, retiring })
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
