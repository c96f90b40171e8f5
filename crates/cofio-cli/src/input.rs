//! What is read from standard input and from flags, within bounds.

use std::io::{self, Read as _};

use anyhow::{Context as _, Result};
use cofio::model::{Fraction, Identifier, MemoryId};
use cofio::{Error, ErrorKind};
use serde_json::{Map, Value};

/// Stands for standard input or standard output in place of a text or a file.
pub const STANDARD: &str = "-";

/// Returns the words as one text, or what standard input has if the only word is `-`.
pub fn text(words: &[String], limit: usize) -> Result<String> {
    match words {
        [word] if word == STANDARD => standard_input(limit),
        _ => Ok(words.join(" ")),
    }
}

/// Reads standard input to its end, or refuses it as soon as it has more than `limit` bytes.
fn standard_input(limit: usize) -> Result<String> {
    let mut bytes = Vec::new();
    let most = limit as u64 + 1;
    io::stdin().lock().take(most).read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.len() > limit {
        let message = format!("standard input has more than {limit} bytes; split it");
        return Err(Error::new(ErrorKind::ContentTooLong, message).with("limit", limit).into());
    }
    let text =
        String::from_utf8(bytes).map_err(|_| Error::invalid("standard input is not UTF-8"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a JSON object; an error says where it is wrong and never repeats it.
pub fn object(what: &str, raw: &str) -> Result<Map<String, Value>> {
    match serde_json::from_str(raw) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::invalid(format!("{what} needs a JSON object")).into()),
        Err(cause) => {
            let message =
                format!("{what} is no JSON, or nests too deep (column {})", cause.column());
            Err(Error::invalid(message).into())
        }
    }
}

/// Reads a number from 0 to 1.
pub fn fraction(raw: &str) -> Result<Fraction, String> {
    let number = raw.parse().ok().and_then(|number| Fraction::new(number).ok());
    number.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

/// Reads the name of a session, a user and so on.
pub fn identifier(raw: &str) -> Result<Identifier, String> {
    Identifier::new(raw).map_err(|error| error.to_string())
}

/// Reads an id; what cannot be one is not there.
pub fn id(raw: &str) -> Result<MemoryId> {
    Ok(raw.parse::<MemoryId>()?)
}
