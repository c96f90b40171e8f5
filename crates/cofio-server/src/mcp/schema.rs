//! Schemas that every client accepts.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Names that say nothing to a model, or that some clients refuse.
const LEFT_OUT: [&str; 6] =
    ["$schema", "title", "format", "additionalProperties", "minimum", "maximum"];

/// Returns the schema of a type as a plain tree: no references, no null, and no names that say
/// nothing.
///
/// Gemini refuses a list of types, which is how a value that may be left out is usually written;
/// that it may is clear from its not being required.
pub(crate) fn of<T: JsonSchema>() -> Arc<JsonObject> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = Value::from(schema);
    simplify(&mut schema);
    let Value::Object(mut object) = schema else { unreachable!("a struct is an object") };
    // What the type is for is the tool's to say.
    object.remove("description");
    object.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
    Arc::new(object)
}

fn simplify(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    for name in LEFT_OUT {
        object.remove(name);
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    drop_null(object);
    list_constants(object);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(simplify);
    }
    if let Some(items) = object.get_mut("items") {
        simplify(items);
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(choices)) = object.get_mut(name) {
            choices.iter_mut().for_each(simplify);
        }
    }
}

/// Turns "this or null" into this.
fn drop_null(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice["type"] != "null");
    if let [Value::Object(only)] = choices.as_mut_slice() {
        let mut only = std::mem::take(only);
        object.remove("anyOf");
        only.append(object);
        *object = only;
        for name in LEFT_OUT {
            object.remove(name);
        }
    }
}

/// Turns "this text or that one", each with an explanation, into a list of texts.
fn list_constants(object: &mut JsonObject) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let constants: Option<Vec<Value>> =
        choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(constants) = constants {
        object.remove("oneOf");
        object.insert("type".to_owned(), Value::from("string"));
        object.insert("enum".to_owned(), Value::Array(constants));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Example {
        /// What to say
        text: String,
        /// How often
        times: Option<u32>,
        colour: Option<Colour>,
        size: Size,
        rest: Option<BTreeMap<String, Value>>,
        inner: Vec<Inner>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Size {
        /// Up to a metre
        Small,
        /// More
        Large,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Inner {
        share: Option<f64>,
    }

    #[test]
    fn what_may_be_left_out_is_no_list_of_types() {
        let expected = json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What to say"},
                "times": {"type": "integer", "description": "How often"},
                "colour": {"type": "string", "enum": ["red", "green"]},
                "size": {"type": "string", "enum": ["small", "large"]},
                "rest": {"type": "object"},
                "inner": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"share": {"type": "number"}}},
                },
            },
            "required": ["text", "size", "inner"],
        });
        assert_eq!(Value::Object((*of::<Example>()).clone()), expected);
    }
}
