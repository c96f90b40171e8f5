//! What is sent along with a request, read only as far as the limits go.

use axum::body::Body as Stream;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use cofio::ErrorKind;
use futures_util::StreamExt as _;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::failure::{Failure, Outcome};
use super::shape::Shape;

/// What can be sent along.
pub(crate) trait Body: Sized + Send {
    /// Reads it, if it has no more bytes than `most`, and a shape that was made for it.
    fn read(
        headers: &HeaderMap,
        body: Stream,
        most: usize,
        shape: &Shape,
    ) -> impl Future<Output = Outcome<Self>> + Send;

    /// Returns the shape that it has to have.
    fn shape() -> Shape;

    /// Returns what the documentation says of it, if there is anything.
    fn documented(generator: &mut SchemaGenerator) -> Option<Value>;
}

/// Nothing is sent along; what is sent all the same is not read.
#[derive(Debug)]
pub(crate) struct Empty;

/// One JSON value.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// One JSON value, or nothing.
#[derive(Debug)]
pub(crate) struct Perhaps<T>(pub(crate) Option<T>);

/// Lines of JSON, as they are.
#[derive(Debug)]
pub(crate) struct Lines(pub(crate) Bytes);

/// The form of lines of JSON.
pub(crate) const LINES: &str = "application/x-ndjson";

impl Body for Empty {
    async fn read(_: &HeaderMap, _: Stream, _: usize, _: &Shape) -> Outcome<Self> {
        Ok(Self)
    }

    fn shape() -> Shape {
        Shape::any()
    }

    fn documented(_: &mut SchemaGenerator) -> Option<Value> {
        None
    }
}

impl<T: DeserializeOwned + JsonSchema + Send> Body for Json<T> {
    async fn read(headers: &HeaderMap, body: Stream, most: usize, shape: &Shape) -> Outcome<Self> {
        let bytes = collect(headers, body, most).await?;
        parse(headers, &bytes, shape).map(Self)
    }

    fn shape() -> Shape {
        Shape::of::<T>()
    }

    fn documented(generator: &mut SchemaGenerator) -> Option<Value> {
        let schema = generator.subschema_for::<T>();
        Some(json!({ "required": true, "content": { "application/json": { "schema": schema } } }))
    }
}

impl<T: DeserializeOwned + JsonSchema + Send> Body for Perhaps<T> {
    async fn read(headers: &HeaderMap, body: Stream, most: usize, shape: &Shape) -> Outcome<Self> {
        let bytes = collect(headers, body, most).await?;
        if bytes.is_empty() {
            return Ok(Self(None));
        }
        parse(headers, &bytes, shape).map(|value| Self(Some(value)))
    }

    fn shape() -> Shape {
        Shape::of::<T>()
    }

    fn documented(generator: &mut SchemaGenerator) -> Option<Value> {
        let schema = generator.subschema_for::<T>();
        Some(json!({ "content": { "application/json": { "schema": schema } } }))
    }
}

impl Body for Lines {
    async fn read(headers: &HeaderMap, body: Stream, most: usize, _: &Shape) -> Outcome<Self> {
        collect(headers, body, most).await.map(Self)
    }

    fn shape() -> Shape {
        Shape::any()
    }

    fn documented(_: &mut SchemaGenerator) -> Option<Value> {
        Some(json!({
            "required": true,
            "content": { LINES: { "schema": { "type": "string" } } },
        }))
    }
}

/// Reads a body to its end, if that comes before the limit.
async fn collect(headers: &HeaderMap, body: Stream, most: usize) -> Outcome<Bytes> {
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let message = "bodies are taken as they are, without an encoding";
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED", message));
    }
    let (mut pieces, mut whole) = (body.into_data_stream(), BytesMut::new());
    while let Some(piece) = pieces.next().await {
        let cut_off = |_| Failure::unreadable("the body ended before it was whole");
        let piece = piece.map_err(cut_off)?;
        if piece.len() > most.saturating_sub(whole.len()) {
            return Err(too_large());
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

/// Says that a body is too large.
pub(super) fn too_large() -> Failure {
    let code = ErrorKind::ContentTooLong.code();
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, code, "the body is too large")
}

/// Reads JSON; anything deeper than 128 levels is refused before it is built.
fn parse<T: DeserializeOwned>(headers: &HeaderMap, bytes: &[u8], shape: &Shape) -> Outcome<T> {
    let form = headers.get(header::CONTENT_TYPE).and_then(|form| form.to_str().ok());
    let is_json = |form: &str| {
        let form = form.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        form == "application/json" || form.ends_with("+json")
    };
    if !form.is_some_and(is_json) {
        let message = "the body has to be sent as application/json";
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED", message));
    }
    let value = serde_json::from_slice(bytes)
        .map_err(|error| Failure::unreadable(without_values(&error)))?;
    shape.check(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message =
            format!("the body has a list where none may stand, before line {line} column {column}");
        Failure::unreadable(message)
    })?;
    Ok(value)
}

/// Returns what is wrong with JSON, and where; a value that it repeats may be a secret.
fn without_values(error: &serde_json::Error) -> String {
    let place = format!("line {} column {}", error.line(), error.column());
    match error.classify() {
        serde_json::error::Category::Data => {
            let said = error.to_string();
            let named = ["missing field", "unknown field", "duplicate field"];
            let harmless = named.iter().any(|begin| said.starts_with(begin));
            if harmless && said.len() < 300 {
                return said;
            }
            format!("the body has a value of the wrong type at {place}")
        }
        _ => format!("the body is not JSON at {place}"),
    }
}
