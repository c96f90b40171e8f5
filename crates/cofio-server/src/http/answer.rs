//! What comes back, and what the documentation says of it.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use super::body::LINES;
use super::visit::Visit;

/// What an endpoint answers.
pub(crate) trait Answer {
    /// Puts it on the wire.
    fn respond(self, visit: &Visit) -> Response;

    /// Returns the statuses that it may have, with what is sent along.
    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)>;
}

/// A value that was found or came of something.
#[derive(Debug)]
pub(crate) struct Found<T>(pub(crate) T);

/// A value that can be asked for again, and need not be sent if it is still the same.
#[derive(Debug)]
pub(crate) struct Versioned<T> {
    /// The version of the memory.
    pub(crate) version: u64,
    /// The value.
    pub(crate) value: T,
}

/// Something that was made and has no version.
#[derive(Debug)]
pub(crate) struct Created<T>(pub(crate) T);

/// A memory after a change.
#[derive(Debug)]
pub(crate) struct Changed<T> {
    /// The version of the memory.
    pub(crate) version: u64,
    /// The value.
    pub(crate) value: T,
}

/// Something that was made, or was there already.
#[derive(Debug)]
pub(crate) struct Made<T> {
    /// Whether it is new.
    pub(crate) new: bool,
    /// The version of the memory.
    pub(crate) version: u64,
    /// Where it can be asked for.
    pub(crate) place: String,
    /// The value.
    pub(crate) value: T,
}

/// Lines of JSON that are made while they are read.
#[derive(Debug)]
pub(crate) struct Streamed(pub(crate) Body);

impl Answer for Streamed {
    fn respond(self, _: &Visit) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static(LINES))], self.0).into_response()
    }

    fn documented(_: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let content = json!({ LINES: { "schema": { "type": "string" } } });
        vec![(StatusCode::OK, json!({ "description": "Lines of JSON", "content": content }))]
    }
}

impl<T: Serialize + JsonSchema> Answer for Found<T> {
    fn respond(self, _: &Visit) -> Response {
        axum::Json(self.0).into_response()
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        vec![(StatusCode::OK, json_content::<T>(generator, "What was asked for"))]
    }
}

impl<T: Serialize + JsonSchema> Answer for Versioned<T> {
    fn respond(self, visit: &Visit) -> Response {
        let tag = tag(self.version);
        if visit.has_already(&tag) {
            return (StatusCode::NOT_MODIFIED, tagged(&tag)).into_response();
        }
        (tagged(&tag), axum::Json(self.value)).into_response()
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let mut found = json_content::<T>(generator, "What was asked for");
        found["headers"] = tag_header();
        let same = json!({ "description": "It is still what If-None-Match names" });
        vec![(StatusCode::OK, found), (StatusCode::NOT_MODIFIED, same)]
    }
}

impl<T: Serialize + JsonSchema> Answer for Changed<T> {
    fn respond(self, _: &Visit) -> Response {
        (tagged(&tag(self.version)), axum::Json(self.value)).into_response()
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let mut changed = json_content::<T>(generator, "As it is now");
        changed["headers"] = tag_header();
        vec![(StatusCode::OK, changed)]
    }
}

impl<T: Serialize + JsonSchema> Answer for Made<T> {
    fn respond(self, _: &Visit) -> Response {
        let status = if self.new { StatusCode::CREATED } else { StatusCode::OK };
        let mut headers = tagged(&tag(self.version));
        let place = HeaderValue::from_str(&self.place).ok();
        headers.extend(place.map(|place| (header::LOCATION, place)));
        (status, headers, axum::Json(self.value)).into_response()
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let mut made = json_content::<T>(generator, "It is kept");
        made["headers"] = tag_header();
        made["headers"]["Location"] =
            json!({ "description": "Where it can be read", "schema": { "type": "string" } });
        let mut known = json_content::<T>(generator, "It was known already");
        known["headers"] = tag_header();
        vec![(StatusCode::CREATED, made), (StatusCode::OK, known)]
    }
}

impl<T: Serialize + JsonSchema> Answer for Created<T> {
    fn respond(self, _: &Visit) -> Response {
        (StatusCode::CREATED, axum::Json(self.0)).into_response()
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        vec![(StatusCode::CREATED, json_content::<T>(generator, "It is made"))]
    }
}

/// Returns how JSON of one type is documented.
pub(crate) fn json_content<T: JsonSchema>(generator: &mut SchemaGenerator, about: &str) -> Value {
    let schema = generator.subschema_for::<T>();
    json!({ "description": about, "content": { "application/json": { "schema": schema } } })
}

/// Returns the tag of a version.
pub(crate) fn tag(version: u64) -> String {
    format!("\"{version}\"")
}

fn tagged(tag: &str) -> HeaderMap {
    let value = HeaderValue::from_str(tag).ok();
    value.map(|value| (header::ETAG, value)).into_iter().collect()
}

fn tag_header() -> Value {
    json!({ "ETag": { "description": "Its version, for If-Match", "schema": { "type": "string" } } })
}
