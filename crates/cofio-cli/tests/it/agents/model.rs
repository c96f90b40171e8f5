//! A model that follows a script: what an agent sends it is kept, what it answers is known.

mod anthropic;
mod openai;

use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::http::{Reply, Request, serve};

/// What the model does when it is asked something.
pub struct Scene {
    /// What the person says, word by word.
    pub prompt: &'static str,
    pub answer: Answer,
}

pub enum Answer {
    /// Calls a tool, then says something.
    Call { tool: &'static str, arguments: Value, then: &'static str },
    /// Repeats a line that the prompt came with, from these words on.
    Repeat { about: &'static str },
}

/// One request of an agent, in words that do not depend on whose dialect it speaks.
#[derive(Debug)]
pub struct Asked {
    /// What people and programs said to the model, piece by piece.
    pub said: Vec<String>,
    /// What the tool answered, if the model had called one.
    pub answer_of_tool: Option<String>,
    tools: Vec<Tool>,
}

impl Asked {
    /// Returns the lines that have these words, from there on.
    pub fn lines(&self, words: &str) -> Vec<&str> {
        let lines = self.said.iter().flat_map(|said| said.lines());
        lines.filter_map(|line| line.find(words).map(|start| &line[start..])).collect()
    }
}

/// A tool as an agent offers it.
#[derive(Debug)]
struct Tool {
    /// What some agents call tools of the same server by.
    namespace: Option<String>,
    name: String,
}

/// What the model answers to one request.
enum Reaction<'a> {
    Say(String),
    Call { tool: &'a Tool, arguments: &'a Value },
}

/// How an agent asks, and in which events it is answered.
struct Dialect {
    read: fn(&Value) -> Asked,
    events: fn(&Reaction<'_>) -> Vec<Value>,
}

/// A model on loopback.
pub struct Model {
    pub port: u16,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Asked>,
    unknown: Vec<String>,
}

impl Model {
    /// Starts a model that lives as long as the test.
    pub fn start(scenes: Vec<Scene>) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let kept = Arc::clone(&log);
        let port = serve(move |request| {
            let answered = answer(&scenes, request);
            let mut log = kept.lock().unwrap();
            match answered {
                Ok((asked, events)) => {
                    log.requests.push(asked);
                    Reply { status: 200, kind: "text/event-stream", body: events }
                }
                // An agent asks again after any other status.
                Err(reason) => {
                    log.unknown.push(format!("{} {}: {reason}", request.method, request.path));
                    Reply { status: 400, kind: "text/plain", body: reason }
                }
            }
        });
        Self { port, log }
    }

    /// Returns what was sent to the model since the last time, and fails if it was not in the script.
    pub fn requests(&self) -> Vec<Asked> {
        let log = std::mem::take(&mut *self.log.lock().unwrap());
        assert!(log.unknown.is_empty(), "the model does not know what to do: {:#?}", log.unknown);
        log.requests
    }
}

/// Returns what was asked, and the events of the answer.
fn answer(scenes: &[Scene], request: &Request) -> Result<(Asked, String), String> {
    let body: Value = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
    let path = request.path.split('?').next().unwrap_or_default();
    let dialect = match (request.method.as_str(), path) {
        ("POST", "/v1/messages") => Dialect { read: anthropic::read, events: anthropic::events },
        ("POST", "/v1/responses") => Dialect { read: openai::read, events: openai::events },
        _ => return Err("no such address".to_owned()),
    };
    let asked = (dialect.read)(&body);
    let events = (dialect.events)(&react(scenes, &asked)?);
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", text(&event["type"]));
    Ok((asked, events.iter().map(event).collect()))
}

fn react<'a>(scenes: &'a [Scene], asked: &'a Asked) -> Result<Reaction<'a>, String> {
    let is_said = |scene: &&Scene| asked.said.iter().any(|said| said.trim() == scene.prompt);
    let scene = scenes.iter().find(is_said).ok_or("no such prompt")?;
    match &scene.answer {
        Answer::Call { then, .. } if asked.answer_of_tool.is_some() => {
            Ok(Reaction::Say((*then).to_owned()))
        }
        Answer::Call { tool, arguments, .. } => {
            let offered = asked.tools.iter().find(|offered| offered.name.ends_with(tool));
            let tool = offered.ok_or_else(|| format!("no tool {tool:?} is offered"))?;
            Ok(Reaction::Call { tool, arguments })
        }
        Answer::Repeat { about } => {
            let found = asked.lines(about).first().copied();
            Ok(Reaction::Say(found.unwrap_or("Nobody told me.").to_owned()))
        }
    }
}

/// Returns a string of a document, empty if there is none.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the elements of a list, none if it is not there.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
