//! Metadata as people write it: one JSON object, in which unknown names are custom fields.

use serde_json::{Map, Value};

use crate::entry::EntryPointer;
use crate::error::{Error, Result};
use crate::model::{Edit, Fraction, Metadata, MetadataPatch};

/// Reads metadata for a new memory.
pub fn metadata(fields: Map<String, Value>) -> Result<Metadata> {
    let mut metadata = Metadata::default();
    metadata.apply(metadata_patch(fields)?);
    Ok(metadata)
}

/// Reads what to change in metadata; null removes a field.
pub fn metadata_patch(fields: Map<String, Value>) -> Result<MetadataPatch> {
    let mut patch = MetadataPatch::default();
    for (name, value) in fields {
        match name.as_str() {
            "title" => patch.title = edit(value, |value| text("title", value))?,
            "description" => patch.description = edit(value, |value| text("description", value))?,
            "tags" => patch.tags = edit(value, tags)?,
            "language" => patch.language = edit(value, |value| text("language", value))?,
            "author" => patch.author = edit(value, |value| text("author", value))?,
            "confidence" => patch.confidence = edit(value, |value| fraction("confidence", &value))?,
            "importance" => patch.importance = edit(value, |value| fraction("importance", &value))?,
            "relevance" => patch.relevance = edit(value, |value| fraction("relevance", &value))?,
            "knowledgePointer" => patch.knowledge = edit(value, pointer)?,
            "custom" => match value {
                Value::Object(custom) => patch.custom.extend(custom),
                _ => return Err(Error::invalid("custom needs a JSON object")),
            },
            _ => drop(patch.custom.insert(name, value)),
        }
    }
    Ok(patch)
}

fn edit<T>(value: Value, read: impl FnOnce(Value) -> Result<T>) -> Result<Edit<T>> {
    if value.is_null() { Ok(Edit::Clear) } else { read(value).map(Edit::Set) }
}

fn text(name: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(Error::invalid(format!("{name} needs a text"))),
    }
}

fn tags(value: Value) -> Result<Vec<String>> {
    match value {
        Value::Array(items) => items.into_iter().map(|item| text("a tag", item)).collect(),
        _ => Err(Error::invalid("tags needs a list of texts")),
    }
}

fn fraction(name: &str, value: &Value) -> Result<Fraction> {
    let number = value.as_f64();
    number
        .and_then(|number| Fraction::new(number).ok())
        .ok_or_else(|| Error::invalid(format!("{name} needs a number from 0 to 1")))
}

fn pointer(value: Value) -> Result<crate::model::KnowledgePointer> {
    let entry: EntryPointer = serde_json::from_value(value).map_err(|_| {
        Error::invalid("knowledgePointer needs sourceType, sourceId, contentHash and syncedAt")
    })?;
    entry.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(before: &Value, patch: Value, after: &Value) {
        let Value::Object(patch) = patch else { panic!("a patch is an object") };
        let Value::Object(before) = before.clone() else { panic!("metadata is an object") };
        let mut patched = metadata(before).unwrap();
        patched.apply(metadata_patch(patch).unwrap());
        let written = serde_json::to_value(super::super::EntryMetadata::from(&patched)).unwrap();
        assert_eq!(&written, after);
    }

    #[test]
    fn a_patch_merges_one_level_deep_and_null_removes() {
        check(
            &json!({"title": "a", "tags": ["x"], "colour": "red", "size": {"w": 1}}),
            json!({"tags": ["y"], "colour": null, "size": {"h": 2}, "title": null}),
            &json!({"tags": ["y"], "custom": {"size": {"h": 2}}}),
        );
    }

    #[test]
    fn a_field_of_the_wrong_form_is_refused() {
        for patch in [
            json!({"confidence": 2}),
            json!({"tags": "x"}),
            json!({"title": 1}),
            json!({"custom": []}),
        ] {
            let Value::Object(patch) = patch else { unreachable!() };
            assert!(metadata_patch(patch).is_err());
        }
    }
}
