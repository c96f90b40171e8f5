//! A model server that plays a script: it knows what it will be asked, in both dialects, and
//! whoever asks anything else fails the test.

use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::server::{Request, Server, reply};

/// What the server says to whoever shows it material with certain words.
pub struct Line {
    /// What the material has in it.
    pub words: &'static str,
    /// What is said first, and what is said to whoever was not content with that.
    pub said: Vec<Said>,
}

/// How the model answers.
pub enum Said {
    /// With this value.
    Value(Value),
    /// With this text.
    Text(&'static str),
    /// With this text, and then there was no more room.
    CutShort(&'static str),
    /// Not at all.
    Refusal,
}

/// A server that plays a script.
pub struct Script {
    server: Server,
    unknown: Arc<Mutex<Vec<String>>>,
}

impl Script {
    pub fn play(lines: Vec<Line>) -> Self {
        let unknown: Arc<Mutex<Vec<String>>> = Arc::default();
        let complaints = unknown.clone();
        let server = Server::start(move |request, stream| match find(&lines, request) {
            Ok(said) => answer(request, said, stream),
            Err(why) => {
                complaints.lock().unwrap().push(format!("{}: {why}", request.path));
                reply(stream, 400, &[], b"this is not in the script");
            }
        });
        Self { server, unknown }
    }

    pub fn url(&self) -> String {
        self.server.url() + "/v1"
    }

    pub fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }

    /// Returns what was asked that is not in the script, and forgives it.
    pub fn take_unknown(&self) -> Vec<String> {
        std::mem::take(&mut self.unknown.lock().unwrap())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let unknown = self.take_unknown();
        assert!(unknown.is_empty() || thread::panicking(), "not in the script: {unknown:?}");
    }
}

/// Finds what to say, or says what is wrong with the request.
fn find<'a>(lines: &'a [Line], request: &Request) -> Result<&'a Said, String> {
    let body: Value = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
    let chats = request.path.ends_with("/chat/completions");
    let (schema, turns) = if chats {
        (&body["response_format"]["json_schema"]["schema"], 1)
    } else {
        (&body["output_config"]["format"]["schema"], 0)
    };
    if schema["type"] != "object" || !body["max_tokens"].is_u64() || body["model"] != "tiny" {
        return Err("no schema, limit or model".to_owned());
    }
    let messages = body["messages"].as_array().ok_or("no messages")?;
    let messages = messages.get(turns..).unwrap_or_default();
    let material = messages.first().and_then(|message| message["content"].as_str());
    let material = material.ok_or("no material")?;
    let line = lines.iter().find(|line| material.contains(line.words)).ok_or("unknown material")?;
    // The material, then an answer and a complaint for each that was not good enough.
    line.said.get(messages.len() / 2).ok_or_else(|| "asked too often".to_owned())
}

fn answer(request: &Request, said: &Said, stream: &mut TcpStream) {
    let text = match said {
        Said::Value(value) => value.to_string(),
        Said::Text(text) | Said::CutShort(text) => (*text).to_owned(),
        Said::Refusal => String::new(),
    };
    let body = if request.path.ends_with("/chat/completions") {
        let finish = if matches!(said, Said::CutShort(_)) { "length" } else { "stop" };
        let refusal = matches!(said, Said::Refusal).then_some("I would rather not");
        json!({
            "object": "chat.completion",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
                "finish_reason": finish,
            }],
            "usage": {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55},
        })
    } else {
        let stop = match said {
            Said::CutShort(_) => "max_tokens",
            Said::Refusal => "refusal",
            Said::Value(_) | Said::Text(_) => "end_turn",
        };
        json!({
            "type": "message",
            "content": [{"type": "text", "text": text}],
            "stop_reason": stop,
            "usage": {"input_tokens": 50, "output_tokens": 5},
        })
    };
    let headers = [("Content-Type", "application/json; charset=utf-8")];
    reply(stream, 200, &headers, body.to_string().as_bytes());
}
