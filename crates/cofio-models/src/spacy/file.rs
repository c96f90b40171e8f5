//! The one file the model is kept in.
//!
//! It is `cofioner`, the version of the format (four bytes), the SHA-256 of the rest, and the rest:
//! the weights (four bytes each, the little end first), then the tokenizer's exceptions as JSON.

use std::fs;
use std::io;
use std::path::Path;

use cofio::{Error, ErrorKind, Result};
use sha2::{Digest as _, Sha256};

use super::msgpack::{self, Value};
use super::tokenizer::Exceptions;
use super::weights;

const MAGIC: &[u8; 8] = b"cofioner";
const VERSION: [u8; 4] = 1_u32.to_le_bytes();
const HEADER: usize = 8 + 4 + 32;

/// The numbers by which the published tokenizer calls the spelling of a part, and its norm.
const SPELLING: i64 = 65;
const NORM: i64 = 67;

/// Reads `ner/model` and `tokenizer` in the folder `source`, as the model is published, and writes
/// the file that [`EnCoreWebSm`](super::EnCoreWebSm) opens.
pub fn compact(source: &Path, target: &Path) -> Result<()> {
    let weights = read_published(&source.join("ner/model"), weights::published)?;
    let exceptions = read_published(&source.join("tokenizer"), exceptions)?;
    let mut body: Vec<u8> = weights.iter().flat_map(|number| number.to_le_bytes()).collect();
    serde_json::to_writer(&mut body, &exceptions).expect("words are JSON");
    let file = [&MAGIC[..], &VERSION, &Sha256::digest(&body), &body].concat();
    fs::write(target, file).map_err(|cause| {
        let message = format!("cannot write model {}", target.display());
        Error::new(ErrorKind::Provider, message).caused_by(cause)
    })
}

fn read_published<T>(path: &Path, read: impl FnOnce(&[u8]) -> Option<T>) -> Result<T> {
    let bytes = fs::read(path).map_err(|cause| {
        let message = format!("cannot read model {}", path.display());
        Error::new(ErrorKind::Configuration, message).caused_by(cause)
    })?;
    read(&bytes).ok_or_else(|| {
        let message = format!("cannot read model {}: it has another form", path.display());
        Error::new(ErrorKind::Damaged, message)
    })
}

/// Returns the words that the published tokenizer cuts otherwise than by rule.
fn exceptions(bytes: &[u8]) -> Option<Exceptions> {
    let tokenizer = msgpack::read(bytes)?;
    let part = |part: &Value<'_>| {
        let spelling = part.get_number(SPELLING)?.text()?.to_owned();
        Some((spelling, part.get_number(NORM).and_then(Value::text).map(str::to_owned)))
    };
    let exception = |(word, parts): &(Value<'_>, Value<'_>)| {
        let parts = parts.items().iter().map(part).collect::<Option<Vec<_>>>()?;
        Some((word.text()?.to_owned(), parts))
    };
    tokenizer.get("exceptions")?.entries().iter().map(exception).collect()
}

/// Reads a file that [`compact`] wrote.
pub(super) fn open(path: &Path) -> Result<(Vec<f32>, Exceptions)> {
    let bytes = fs::read(path).map_err(|cause| {
        let path = path.display();
        let message = match cause.kind() {
            io::ErrorKind::NotFound => {
                format!("there is no model at {path}; run `cofio model pull en-core-web-sm`")
            }
            _ => format!("cannot open model {path}"),
        };
        Error::new(ErrorKind::Configuration, message).caused_by(cause)
    })?;
    read(&bytes).ok_or_else(|| damaged(path))
}

fn read(bytes: &[u8]) -> Option<(Vec<f32>, Exceptions)> {
    let (header, body) = bytes.split_at_checked(HEADER)?;
    let expected = [&MAGIC[..], &VERSION, &Sha256::digest(body)].concat();
    let (weights, exceptions) = body.split_at_checked(4 * weights::count())?;
    if header != expected {
        return None;
    }
    let weights = weights.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
    let exceptions: Exceptions = serde_json::from_slice(exceptions).ok()?;
    let whole = |(word, parts): (&String, &Vec<(String, _)>)| {
        *word == parts.iter().map(|(part, _)| part.as_str()).collect::<String>()
    };
    exceptions.iter().all(whole).then_some((weights, exceptions))
}

/// Makes the error for a file that is not what was written.
pub(super) fn damaged(path: &Path) -> Error {
    let message = format!(
        "model {} is damaged or of another version; run `cofio model pull en-core-web-sm --force`",
        path.display()
    );
    Error::new(ErrorKind::Damaged, message)
}
