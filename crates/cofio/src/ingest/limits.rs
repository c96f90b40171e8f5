//! How much of anything is accepted, and in which form.

use serde_json::Value;

use crate::config::Limits;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Kind, MemoryId, Metadata, Source, Triple};
use crate::text;

/// Refuses text that is empty or too long.
pub(super) fn check_content(content: &str, limits: &Limits) -> Result<()> {
    if content.trim().is_empty() || text::fold(content).trim().is_empty() {
        return Err(Error::invalid("there is nothing to remember in an empty text"));
    }
    if content.len() > limits.content_bytes {
        let message = format!(
            "the text has {} bytes and may have {}; split it",
            content.len(),
            limits.content_bytes
        );
        return Err(Error::new(ErrorKind::ContentTooLong, message)
            .with("bytes", content.len())
            .with("limit", limits.content_bytes));
    }
    Ok(())
}

/// Refuses metadata that is too large or nests too deep.
pub(super) fn check_metadata(metadata: &Metadata, limits: &Limits) -> Result<()> {
    if metadata.tags.len() > limits.tags {
        return Err(Error::invalid(format!("a memory has at most {} tags", limits.tags)));
    }
    if metadata.tags.iter().any(|tag| tag.trim().is_empty() || tag.len() > 256) {
        return Err(Error::invalid("a tag has 1 to 256 bytes and is not only spaces"));
    }
    let texts = [&metadata.title, &metadata.description, &metadata.language, &metadata.author];
    let mut bytes: usize = texts.iter().filter_map(|text| text.as_ref()).map(String::len).sum();
    if let Some(pointer) = &metadata.knowledge {
        bytes += pointer.source_id.len() + pointer.content_hash.len();
    }
    for (name, value) in &metadata.custom {
        if depth(value) > limits.metadata_depth {
            let message = format!("custom metadata nests at most {} deep", limits.metadata_depth);
            return Err(Error::invalid(message));
        }
        bytes += name.len() + value.to_string().len();
    }
    check_bytes("metadata", bytes, limits.metadata_bytes)
}

/// Refuses more parents than a conclusion can have, and keys that are no keys.
pub(super) fn check_links(
    derived_from: &[MemoryId],
    key: Option<&str>,
    limits: &Limits,
) -> Result<()> {
    if derived_from.len() > limits.derived_from {
        let message = format!("a memory is derived from at most {} others", limits.derived_from);
        return Err(Error::invalid(message));
    }
    match key {
        Some(key) => check_key(key),
        None => Ok(()),
    }
}

/// Refuses what cannot be a key.
pub fn check_key(key: &str) -> Result<()> {
    if key.trim().is_empty() || key.len() > 256 || key.chars().any(char::is_control) {
        return Err(Error::invalid("a key has 1 to 256 bytes and no control characters"));
    }
    Ok(())
}

/// Refuses a source or a statement that is too large, and a statement of what states nothing.
///
/// A fact may state of its subject that there is no longer any such object.
pub(super) fn check_parts(
    kind: Kind,
    source: &Source,
    triple: Option<&Triple>,
    limits: &Limits,
) -> Result<()> {
    let texts = [&source.message, &source.tool, &source.reference, &source.role];
    let bytes = texts.iter().filter_map(|text| text.as_ref()).map(String::len).sum();
    check_bytes("source", bytes, limits.metadata_bytes)?;
    let Some(triple) = triple else { return Ok(()) };
    if !matches!(kind, Kind::Procedure | Kind::Fact) {
        let message = "only a fact or a procedure has a subject, a predicate and an object";
        return Err(Error::invalid(message));
    }
    let parts = [&triple.fact_type, &triple.subject, &triple.predicate, &triple.object];
    let needed = if kind == Kind::Fact { &parts[..3] } else { &parts[..] };
    if needed.iter().any(|part| part.trim().is_empty()) {
        let message = format!("a {kind} needs a type, a subject, a predicate and an object");
        return Err(Error::invalid(message));
    }
    check_bytes("statement", parts.iter().map(|part| part.len()).sum(), limits.metadata_bytes)
}

fn check_bytes(what: &str, bytes: usize, limit: usize) -> Result<()> {
    if bytes <= limit {
        return Ok(());
    }
    let message = format!("the {what} has {bytes} bytes and may have {limit}");
    Err(Error::new(ErrorKind::ContentTooLong, message).with("bytes", bytes).with("limit", limit))
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
