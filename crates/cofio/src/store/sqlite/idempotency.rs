//! Requests that a caller gave a key: what came of them the first time.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::unexpected;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Commit, IdempotencyKey, Outcome};
use crate::store::key_conflict;
use crate::text::hex;

/// Returns the outcomes of an earlier commit with the same key.
pub(super) fn earlier(connection: &Connection, commit: &Commit) -> Result<Option<Vec<Outcome>>> {
    let Some((key, request)) = &commit.idempotency else { return Ok(None) };
    let found: Option<(Vec<u8>, String)> = connection
        .prepare_cached("SELECT request, outcomes FROM idempotency WHERE actor = ? AND key = ?")
        .and_then(|mut select| {
            let both = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            select.query_row((commit.actor.as_str(), hashed(key)), both).optional()
        })
        .map_err(unexpected)?;
    match found {
        None => Ok(None),
        Some((earlier, _)) if earlier != request => Err(key_conflict()),
        Some((_, outcomes)) => parse_outcomes(&outcomes).map(Some),
    }
}

/// Keeps the outcomes for the next commit with the same key.
pub(super) fn keep(connection: &Connection, commit: &Commit, outcomes: &[Outcome]) -> Result<()> {
    let Some((key, request)) = &commit.idempotency else { return Ok(()) };
    let written: Vec<Value> = outcomes.iter().map(outcome_json).collect();
    connection
        .prepare_cached(
            "INSERT INTO idempotency (actor, key, request, outcomes, at) VALUES (?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                commit.actor.as_str(),
                hashed(key),
                request,
                Value::from(written).to_string(),
                commit.at.as_microsecond()
            ])
        })
        .map(drop)
        .map_err(unexpected)
}

/// Returns what is stored of a key, which may be anything its caller likes.
fn hashed(key: &IdempotencyKey) -> String {
    hex(&Sha256::digest(key.as_str()))
}

fn outcome_json(outcome: &Outcome) -> Value {
    let name = match outcome {
        Outcome::Created(_) => "created",
        Outcome::Existing(_) => "existing",
        Outcome::Updated(_) => "updated",
        Outcome::Forgotten(_) => "forgotten",
        Outcome::Embedded(_) => "embedded",
        Outcome::Missing(_) => "missing",
    };
    json!([name, outcome.id().as_str()])
}

fn parse_outcomes(written: &str) -> Result<Vec<Outcome>> {
    let unreadable = || Error::new(ErrorKind::Provider, "the outcomes of a key cannot be read");
    let pairs: Vec<(String, String)> = serde_json::from_str(written).map_err(|_| unreadable())?;
    let outcome = |(name, id): (String, String)| {
        let id = id.parse()?;
        Ok(match name.as_str() {
            "created" => Outcome::Created(id),
            "existing" => Outcome::Existing(id),
            "updated" => Outcome::Updated(id),
            "forgotten" => Outcome::Forgotten(id),
            "embedded" => Outcome::Embedded(id),
            "missing" => Outcome::Missing(id),
            _ => return Err(unreadable()),
        })
    };
    pairs.into_iter().map(outcome).collect()
}
