//! Anthropic's messages.

use cofio::llm::{Charge, Prompt, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use super::reading::{Ending, Reading, charge, json};

pub const PATH: &str = "messages";

/// The version of the dialect, which every request names.
pub const VERSION: &str = "2023-06-01";

/// Writes a request.
pub fn request(prompt: &Prompt, model: &str) -> Value {
    let messages: Vec<Value> = prompt
        .messages()
        .into_iter()
        .map(|message| {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            json!({"role": role, "content": message.text})
        })
        .collect();
    json!({
        "model": model,
        "max_tokens": prompt.most_tokens,
        "system": prompt.system(),
        "messages": messages,
        "output_config": {
            "format": {"type": "json_schema", "schema": prompt.shape.json_schema()},
        },
    })
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Block {
    /// Only blocks of text have one.
    text: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(rename = "input_tokens")]
    read: u64,
    #[serde(rename = "cache_creation_input_tokens")]
    cached_now: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    cached_before: Option<u64>,
    #[serde(rename = "output_tokens")]
    written: u64,
}

/// Reads an answer, or says what is wrong with it.
pub fn read(body: &[u8]) -> Result<Reading, String> {
    let answer: Answer = json(body)?;
    let charge = answer.usage.map_or(Charge::Unknown, |tokens| {
        let input = tokens
            .read
            .saturating_add(tokens.cached_now.unwrap_or(0))
            .saturating_add(tokens.cached_before.unwrap_or(0));
        charge(input, tokens.written)
    });
    let ending = match answer.stop_reason.as_deref() {
        Some("end_turn" | "stop_sequence") => Ending::Whole,
        Some("max_tokens" | "model_context_window_exceeded") => Ending::CutShort,
        Some("refusal") => Ending::Refused,
        _ => Ending::Odd,
    };
    let text = answer.content.into_iter().filter_map(|block| block.text).collect();
    Ok(Reading { ending, text, charge })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cofio::lifecycle::spend::Usage;

    #[test]
    fn an_ending_is_told_from_another() {
        let check = |stop: Value, expected: Ending| {
            let body = json!({"content": [], "stop_reason": stop});
            assert_eq!(read(body.to_string().as_bytes()).unwrap().ending, expected);
        };
        check(json!("end_turn"), Ending::Whole);
        check(json!("max_tokens"), Ending::CutShort);
        check(json!("model_context_window_exceeded"), Ending::CutShort);
        check(json!("refusal"), Ending::Refused);
        check(json!("tool_use"), Ending::Odd);
        check(Value::Null, Ending::Odd);
    }

    #[test]
    fn text_is_put_together_and_what_was_cached_is_paid_for() {
        let body = json!({
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "{\"a\":"},
                {"type": "text", "text": "1}"},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "cache_read_input_tokens": 5, "output_tokens": 2},
        });
        let reading = read(body.to_string().as_bytes()).unwrap();
        assert_eq!(reading.text, r#"{"a":1}"#);
        assert_eq!(reading.charge, Charge::Tokens(Usage { input: 6, output: 2 }));
    }
}
