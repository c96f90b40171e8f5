//! OpenAI's chat completions, as its imitators understand them.

use cofio::llm::{Charge, Prompt, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use super::reading::{Ending, Reading, charge, json};

pub const PATH: &str = "chat/completions";

/// The host whose newer models refuse what its imitators need.
const OPENAI: &str = "api.openai.com";

/// Writes a request.
pub fn request(prompt: &Prompt, model: &str, host: &str) -> Value {
    let mut messages = vec![json!({"role": "system", "content": prompt.system()})];
    for message in prompt.messages() {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        messages.push(json!({"role": role, "content": message.text}));
    }
    let mut request = json!({
        "model": model,
        "messages": messages,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "strict": true,
                "schema": prompt.shape.json_schema(),
            },
        },
    });
    if host == OPENAI {
        request["max_completion_tokens"] = json!(prompt.most_tokens);
    } else {
        request["max_tokens"] = json!(prompt.most_tokens);
        request["temperature"] = json!(0);
    }
    request
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
}

/// Reads an answer, or says what is wrong with it.
pub fn read(body: &[u8]) -> Result<Reading, String> {
    let completion: Completion = json(body)?;
    let charge = completion
        .usage
        .map_or(Charge::Unknown, |tokens| charge(tokens.prompt_tokens, tokens.completion_tokens));
    let choice = completion.choices.into_iter().next().ok_or("it has no choices")?;
    let ending = match choice.finish_reason.as_deref() {
        _ if choice.message.refusal.is_some() => Ending::Refused,
        Some("stop") | None => Ending::Whole,
        Some("length") => Ending::CutShort,
        Some("content_filter") => Ending::Refused,
        Some(_) => Ending::Odd,
    };
    Ok(Reading { ending, text: choice.message.content.unwrap_or_default(), charge })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cofio::lifecycle::spend::Usage;
    use cofio::llm::Shape;

    #[test]
    fn openai_itself_is_asked_in_its_newer_words() {
        let prompt = Prompt::new("Do.", Vec::new(), Shape::Flag);
        let limits = |host: &str| {
            let request = request(&prompt, "m", host);
            ["max_tokens", "max_completion_tokens", "temperature"].map(|name| request[name].clone())
        };
        assert_eq!(limits("127.0.0.1:80"), [json!(4_096), Value::Null, json!(0)]);
        assert_eq!(limits(OPENAI), [Value::Null, json!(4_096), Value::Null]);
    }

    #[test]
    fn an_ending_is_told_from_another() {
        let check = |finish: Value, refusal: Value, expected: Ending| {
            let message = json!({"content": "{}", "refusal": refusal});
            let body = json!({"choices": [{"message": message, "finish_reason": finish}]});
            assert_eq!(read(body.to_string().as_bytes()).unwrap().ending, expected);
        };
        check(json!("stop"), Value::Null, Ending::Whole);
        check(Value::Null, Value::Null, Ending::Whole);
        check(json!("length"), Value::Null, Ending::CutShort);
        check(json!("content_filter"), Value::Null, Ending::Refused);
        check(json!("stop"), json!("I would rather not"), Ending::Refused);
        check(json!("tool_calls"), Value::Null, Ending::Odd);
    }

    #[test]
    fn a_server_that_counts_nothing_is_not_believed() {
        let check = |usage: Value, expected: Charge| {
            let body = json!({"choices": [{"message": {"content": "{}"}}], "usage": usage});
            assert_eq!(read(body.to_string().as_bytes()).unwrap().charge, expected);
        };
        let tokens = Charge::Tokens(Usage { input: 7, output: 2 });
        check(json!({"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}), tokens);
        check(json!({"prompt_tokens": 0, "completion_tokens": 0}), Charge::Unknown);
        check(Value::Null, Charge::Unknown);
    }
}
