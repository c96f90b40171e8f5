//! What a filter may ask of a memory and has no column of its own, as texts that are equal or not.

use cofio::model::{Criteria, Memory};
use serde_json::{Value, json};

use super::plain::plain;

/// Marks what stands for a document.
const KNOWLEDGE: &str = "knowledge";

/// Returns everything that a filter may ask of a memory, as a JSON array.
pub(super) fn of(memory: &Memory) -> Value {
    let (metadata, source) = (&memory.metadata, &memory.source);
    let mut labels: Vec<String> = metadata.tags.iter().map(|tag| label("tag", tag)).collect();
    labels.push(label("source", source.source_type.as_str()));
    labels.push(label("policy", memory.access_policy.as_str()));
    labels.extend(metadata.author.iter().map(|author| label("author", author)));
    labels.extend(metadata.knowledge.iter().map(|_| KNOWLEDGE.to_owned()));
    labels.extend(metadata.custom.iter().map(|(name, value)| field(name, value)));
    let session = source.session.as_ref().map(ToString::to_string);
    let origins = [source.reference.as_ref(), source.tool.as_ref(), session.as_ref()];
    labels.extend(origins.into_iter().flatten().map(|origin| label("origin", origin)));
    Value::from(labels)
}

/// What is wanted of labels.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// All of these.
    pub(super) all: Vec<String>,
    /// One of these, if there are any.
    pub(super) any: Vec<String>,
    /// None of these.
    pub(super) none: Vec<String>,
}

/// Returns what criteria want of labels.
pub(super) fn wanted(criteria: &Criteria) -> Wanted {
    let mut wanted = Wanted {
        any: criteria.tags.iter().map(|tag| label("tag", tag)).collect(),
        ..Wanted::default()
    };
    let all = &mut wanted.all;
    all.extend(criteria.source_type.map(|source| label("source", source.as_str())));
    all.extend(criteria.access_policy.map(|policy| label("policy", policy.as_str())));
    all.extend(criteria.author.iter().map(|author| label("author", author)));
    all.extend(criteria.origin.iter().map(|origin| label("origin", origin)));
    all.extend(criteria.custom.iter().map(|(name, value)| field(name, value)));
    match criteria.has_knowledge_pointer {
        Some(true) => all.push(KNOWLEDGE.to_owned()),
        Some(false) => wanted.none.push(KNOWLEDGE.to_owned()),
        None => {}
    }
    wanted
}

fn label(name: &str, value: &str) -> String {
    format!("{name}:{}", plain(value))
}

/// Returns the label of a custom field; numbers of different kinds are different, as in the model.
fn field(name: &str, value: &Value) -> String {
    label("field", &json!([name, value]).to_string())
}
