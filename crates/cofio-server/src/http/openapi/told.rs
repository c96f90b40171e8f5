//! The headers that answers have, whatever was asked.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

/// Every such header: its name, what it takes, and what it says.
const HEADERS: [(&str, &str, &str); 5] = [
    ("X-Request-ID", "string", "Names this request in the log"),
    (
        "X-Rate-Limit-Remaining",
        "integer",
        "How many more requests of this key are answered at once",
    ),
    ("X-Rate-Limit-Reset", "integer", "In how many seconds as many as ever are"),
    ("Retry-After", "integer", "In how many seconds to try again"),
    ("WWW-Authenticate", "string", "How to send a key"),
];

/// Returns what the document says of each.
pub(super) fn documented() -> Map<String, Value> {
    let header = |(name, kind, about): (&str, &str, &str)| {
        (name.to_owned(), json!({ "description": about, "schema": { "type": kind } }))
    };
    HEADERS.into_iter().map(header).collect()
}

/// Adds to an answer the headers that one of its status may have.
pub(super) fn with_headers(mut answer: Value, status: StatusCode) -> Value {
    for (name, ..) in HEADERS {
        let is_told = match name {
            "X-Rate-Limit-Remaining" | "X-Rate-Limit-Reset" => status != StatusCode::UNAUTHORIZED,
            "Retry-After" => {
                [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status)
            }
            "WWW-Authenticate" => status == StatusCode::UNAUTHORIZED,
            _ => true,
        };
        if is_told {
            answer["headers"][name] = json!({ "$ref": format!("#/components/headers/{name}") });
        }
    }
    answer
}
