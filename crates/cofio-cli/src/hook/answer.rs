//! What is printed for a client to hand to its model.

use serde_json::json;

use super::Payload;
use crate::client::Client;

/// Returns a text in the form in which the client takes it, and nothing besides.
pub fn json(payload: &Payload, text: &str) -> String {
    let answer = match payload.client {
        Client::Cursor => json!({ "additional_context": text }),
        _ => json!({
            "hookSpecificOutput": { "hookEventName": payload.name, "additionalContext": text },
        }),
    };
    answer.to_string() + "\n"
}
