//! The `OpenAPI` document, made from the types of the endpoints.

mod told;

use std::borrow::Cow;

use axum::http::{Method, StatusCode};
use axum::routing::MethodRouter;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::answer::Answer as _;
use super::body::Body as _;
use super::endpoint::{self, Endpoint, Group, Header};
use super::failure::{FailureBody, Problem};
use super::health;
use super::house::House;

/// What can go wrong with any request.
const FAILURES: [(StatusCode, &str); 13] = [
    (StatusCode::BAD_REQUEST, "Something in the request cannot be read or is out of range"),
    (StatusCode::UNAUTHORIZED, "No key was sent, or one that is not valid"),
    (StatusCode::FORBIDDEN, "The key may not do this, or not open what is named"),
    (StatusCode::NOT_FOUND, "It is not there, or not the caller's"),
    (StatusCode::CONFLICT, "Somebody else was first, or a person has to be asked"),
    (StatusCode::PRECONDITION_FAILED, "The version that If-Match names is no longer the latest"),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body, a text or a question is too large"),
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not in the form that is read here"),
    (StatusCode::UNPROCESSABLE_ENTITY, "A layer or an identifier is missing, or a policy refuses"),
    (StatusCode::TOO_MANY_REQUESTS, "The key asks too often"),
    (StatusCode::INTERNAL_SERVER_ERROR, "The server has to be set up differently, or mended"),
    (StatusCode::SERVICE_UNAVAILABLE, "There is too much to do, or a part is out of order"),
    (StatusCode::GATEWAY_TIMEOUT, "It took too long, and may have been done"),
];

/// An endpoint of any type, as routers and the document list it.
#[derive(Clone)]
pub(crate) struct Entry {
    /// Where it answers.
    pub(crate) path: Cow<'static, str>,
    /// What it is called.
    pub(crate) name: &'static str,
    /// Whether it is the same as another, which the document has already.
    repeated: bool,
    group: Group,
    method: fn() -> Method,
    route: fn() -> MethodRouter<House>,
    describe: fn(&mut Schemas) -> (String, Value),
}

impl Entry {
    /// Makes the entry of an endpoint.
    pub(crate) const fn of<E: Endpoint>() -> Self {
        Self {
            path: Cow::Borrowed(E::PATH),
            name: E::NAME,
            repeated: false,
            group: E::GROUP,
            method: || E::METHOD,
            route: endpoint::route::<E>,
            describe: describe::<E>,
        }
    }

    /// Returns the same endpoint below another prefix, where the document need not repeat it.
    #[must_use]
    pub(crate) fn repeated_at(self, [from, to]: [&str; 2]) -> Self {
        let path = Cow::Owned(self.path.replacen(from, to, 1));
        Self { path, repeated: true, ..self }
    }

    /// Returns how it is asked.
    pub(crate) fn method(&self) -> Method {
        (self.method)()
    }

    /// Returns what answers there.
    pub(crate) fn route(&self) -> MethodRouter<House> {
        (self.route)()
    }
}

/// Collects the schemas of what is sent and of what comes back.
pub(crate) struct Schemas {
    sent: SchemaGenerator,
    answered: SchemaGenerator,
}

/// Returns the document of some endpoints.
pub(crate) fn document(entries: &[Entry]) -> Value {
    let settings = || {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings
    };
    let mut schemas = Schemas {
        sent: settings().for_deserialize().into_generator(),
        answered: settings().for_serialize().into_generator(),
    };
    let mut paths = Map::new();
    for entry in entries.iter().filter(|entry| !entry.repeated) {
        let (method, operation) = (entry.describe)(&mut schemas);
        let path = paths.entry(entry.path.as_ref()).or_insert_with(|| Value::Object(Map::new()));
        path[method] = operation;
    }
    paths.extend(health::documented(&mut schemas.answered));
    let failures = failures(&mut schemas.answered);
    let mut all = schemas.sent.take_definitions(true);
    all.extend(schemas.answered.take_definitions(true));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cofio",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Memory for AI agents",
            "description": "Stores, finds, corrects and forgets what agents learn.\n\nA key opens the identifiers it is bound to and nothing else, whatever a request names; what it is bound to need not be said. Without any key, the server answers on loopback only, for the local user.",
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
        },
        "tags": tags(entries),
        "security": [{ "key": [] }, {}],
        "paths": paths,
        "components": {
            "schemas": all,
            "responses": failures,
            "headers": told::documented(),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key that `cofio key create` made",
                },
            },
        },
    })
}

/// Returns the groups that have an endpoint.
fn tags(entries: &[Entry]) -> Vec<Value> {
    let used =
        Group::ALL.iter().filter(|(group, ..)| entries.iter().any(|one| one.group == *group));
    used.map(|(_, name, about)| json!({ "name": name, "description": about })).collect()
}

fn describe<E: Endpoint>(schemas: &mut Schemas) -> (String, Value) {
    let mut responses = Map::new();
    for (status, answer) in E::Answer::documented(&mut schemas.answered) {
        responses.insert(status.as_str().to_owned(), told::with_headers(answer, status));
    }
    for (status, _) in FAILURES {
        let reference = json!({ "$ref": format!("#/components/responses/{}", name(status)) });
        responses.insert(status.as_str().to_owned(), reference);
    }
    let mut parameters = listed::<E::Path>("path");
    parameters.extend(listed::<E::Query>("query"));
    parameters.extend(E::HEADERS.iter().map(|header| header_parameter(*header)));
    let mut operation = json!({
        "operationId": E::NAME,
        "tags": [E::GROUP.name()],
        "summary": E::SUMMARY,
        "description": format!("{}\n\nThe key {}.", E::ABOUT, needs::<E>()).trim(),
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = E::Body::documented(&mut schemas.sent) {
        operation["requestBody"] = body;
    }
    (E::METHOD.as_str().to_ascii_lowercase(), operation)
}

/// Says which rights an endpoint needs.
pub(crate) fn needs<E: Endpoint>() -> String {
    let also: Vec<&str> = E::ALSO_NEEDS.iter().map(|right| right.as_str()).collect();
    match also[..] {
        [] => format!("needs the right to {}", E::NEEDS),
        _ => format!("needs the rights to {} and {}", also.join(", "), E::NEEDS),
    }
}

/// Returns the names in a path or behind the question mark, each with what it takes.
fn listed<T: JsonSchema>(place: &str) -> Vec<Value> {
    let schema = inlined::<T>();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        json!({
            "name": name,
            "in": place,
            "required": place == "path" || required.contains(&Value::from(name.as_str())),
            "description": about.unwrap_or_default(),
            "schema": schema,
        })
    };
    properties.iter().map(parameter).collect()
}

/// A name that may stand behind the question mark.
pub(crate) struct Name {
    /// How it is written.
    pub(crate) name: String,
    /// Whether an empty text is a value of it.
    pub(crate) may_be_empty: bool,
}

/// Returns the names that a query may have.
pub(crate) fn names<T: JsonSchema>() -> Vec<Name> {
    let schema = inlined::<T>();
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let name = |(name, schema): (&String, &Value)| Name {
        name: name.clone(),
        may_be_empty: takes_empty_text(schema),
    };
    properties.iter().map(name).collect()
}

/// Returns whether a schema allows an empty text, by itself or in a list.
fn takes_empty_text(schema: &Value) -> bool {
    let narrowed = ["const", "enum", "format", "minLength", "oneOf", "pattern"];
    match schema["type"].as_str() {
        Some("array") => takes_empty_text(&schema["items"]),
        Some("string") => narrowed.iter().all(|word| schema.get(word).is_none()),
        _ => false,
    }
}

/// Returns a schema without references and without null, as a parameter is there or is not.
fn inlined<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    let mut schema = Value::from(settings.into_generator().into_root_schema_for::<T>());
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.values_mut().for_each(drop_null);
    }
    schema
}

fn drop_null(schema: &mut Value) {
    if let Some(types) = schema["type"].as_array() {
        let types: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
        if let [one] = &types[..] {
            schema["type"] = one.clone();
        }
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choices: Vec<Value> =
            choices.iter().filter(|choice| choice["type"] != "null").cloned().collect();
        if let [Value::Object(only)] = &choices[..] {
            let mut only = only.clone();
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("anyOf");
                schema.append(&mut only);
            }
        }
    }
    if let Some(schema) = schema.as_object_mut()
        && schema.get("default").is_some_and(Value::is_null)
    {
        schema.remove("default");
    }
}

fn header_parameter(header: Header) -> Value {
    let (name, about) = header.described();
    json!({ "name": name, "in": "header", "description": about, "schema": { "type": "string" } })
}

fn failures(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let plain = generator.subschema_for::<FailureBody>();
    let problem = generator.subschema_for::<Problem>();
    let described = |(status, about): (StatusCode, &str)| {
        let content = json!({
            "application/json": { "schema": plain },
            "application/problem+json": { "schema": problem },
        });
        let failure = json!({ "description": about, "content": content });
        (name(status), told::with_headers(failure, status))
    };
    FAILURES.into_iter().map(described).collect()
}

/// Returns what a status is called where it is referred to.
fn name(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or("Failure");
    reason.chars().filter(char::is_ascii_alphanumeric).collect()
}
