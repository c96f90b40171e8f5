//! The schemas of what the dialects take.

use cofio_server::dialects::anthropic_memory::MemoryInput;
use cofio_server::dialects::knowledge_graph::{
    AddObservations, CreateEntities, CreateRelations, DeleteEntities, DeleteObservations,
    DeleteRelations, OpenNodes, SearchNodes,
};
use cofio_server::dialects::workspace::{LearnFact, Recall, Reflect, Remember};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

/// Checks that no value may be one of several types, which Gemini refuses, and that each field says
/// what it is for.
#[track_caller]
fn check<T: JsonSchema>(required: &[&str]) {
    let schema = Value::from(schema_for!(T));
    let text = schema.to_string();
    assert!(!text.contains("\"null\""), "{text}");
    assert!(!text.contains("\"type\":["), "{text}");
    let named: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    assert_eq!(named, required);
    for (name, field) in schema["properties"].as_object().unwrap() {
        let described = field.get("description").is_some() || field.get("$ref").is_some();
        assert!(described, "{name} has no description");
    }
}

#[test]
fn every_input_has_a_schema_that_every_client_accepts() {
    check::<MemoryInput>(&["command"]);
    check::<CreateEntities>(&["entities"]);
    check::<CreateRelations>(&["relations"]);
    check::<AddObservations>(&["observations"]);
    check::<DeleteEntities>(&["entityNames"]);
    check::<DeleteObservations>(&["deletions"]);
    check::<DeleteRelations>(&["relations"]);
    check::<SearchNodes>(&["query"]);
    check::<OpenNodes>(&["names"]);
    check::<Recall>(&[]);
    check::<Remember>(&["content"]);
    check::<Reflect>(&[]);
    check::<LearnFact>(&["topic", "content"]);
}
