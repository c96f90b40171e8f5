//! What came of a request that a caller gave a key, in the form in which it is persisted.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{IdempotencyKey, Outcome};
use crate::text::hex;

/// Returns what is stored of a key, which may be anything its caller likes.
pub fn key_digest(key: &IdempotencyKey) -> String {
    hex(&Sha256::digest(key.as_str()))
}

/// Writes outcomes as JSON.
pub fn encode_outcomes(outcomes: &[Outcome]) -> String {
    Value::from(outcomes.iter().map(outcome_json).collect::<Vec<_>>()).to_string()
}

/// Reads outcomes back.
pub fn decode_outcomes(written: &str) -> Result<Vec<Outcome>> {
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
