//! Requests that a caller gave a key: what came of them the first time.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::unexpected;
use crate::error::Result;
use crate::model::{Commit, Outcome};
use crate::store::kit::{decode_outcomes, encode_outcomes, key_conflict, key_digest};

/// Returns the outcomes of an earlier commit with the same key.
pub(super) fn earlier(connection: &Connection, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
    let Some((key, request)) = &commit.idempotency else { return Ok(None) };
    let found: Option<(Vec<u8>, String)> = connection
        .prepare_cached("SELECT request, outcomes FROM idempotency WHERE actor = ? AND key = ?")
        .and_then(|mut select| {
            let both = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            select.query_row((commit.actor.as_str(), key_digest(key)), both).optional()
        })
        .map_err(unexpected)?;
    match found {
        None => Ok(None),
        Some((earlier, _)) if earlier != request => Err(key_conflict()),
        Some((_, outcomes)) => decode_outcomes(&outcomes).map(Some),
    }
}

/// Keeps the outcomes for the next commit with the same key.
pub(super) fn keep(connection: &Connection, commit: &Commit, outcomes: &[Outcome]) -> Result<()> {
    let Some((key, request)) = &commit.idempotency else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO idempotency (actor, key, request, outcomes, at) VALUES (?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                commit.actor.as_str(),
                key_digest(key),
                request,
                encode_outcomes(outcomes),
                commit.at.as_microsecond()
            ])
        })
        .map(drop)
        .map_err(unexpected)
}
