//! What an agent hands to a hook, and which agent it is.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

use crate::client::Client;

/// What a hook was told.
#[derive(Debug, PartialEq)]
pub struct Payload {
    pub client: Client,
    /// The event as the client calls it.
    pub name: String,
    pub event: Event,
    pub session: Option<String>,
    /// The folder that the agent works in.
    pub folder: Option<PathBuf>,
    /// The file that the client writes the conversation to.
    pub transcript: Option<PathBuf>,
}

/// What happened.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// A conversation began, or goes on.
    SessionStart {
        /// Whether the agent knows nothing of what it was told before.
        anew: bool,
    },
    /// Somebody is about to be answered.
    Prompt(String),
    /// The agent has answered; without a text its transcript has it.
    Answer { prompt: Option<String>, text: Option<String> },
    /// The client is about to drop what was said.
    Ending,
    /// Something that is none of our business.
    Other,
}

impl Payload {
    /// Reads what a client wrote; a client that is named beforehand is believed.
    pub fn read(raw: &[u8], client: Option<Client>) -> Result<Self> {
        // Some shells put a mark before what they hand on.
        let raw = raw.strip_prefix("\u{feff}".as_bytes()).unwrap_or(raw);
        let value: Value = serde_json::from_slice(raw).context("the payload is no JSON")?;
        let Value::Object(fields) = value else { bail!("the payload is no JSON object") };
        let fields = Fields(&fields);
        let name = fields.text(&["hook_event_name", "hookEventName"]);
        let name = name.context("the payload names no event")?.to_owned();
        let session = fields.text(&["session_id", "sessionId", "conversation_id"]);
        Ok(Self {
            client: client.unwrap_or_else(|| fields.client(&name)),
            event: fields.event(&name),
            session: session.map(str::to_owned),
            folder: fields.folder(),
            transcript: fields.text(&["transcript_path", "transcriptPath"]).map(PathBuf::from),
            name,
        })
    }

    /// Returns whether the client reads what is answered to this event.
    pub fn can_be_told(&self) -> bool {
        match self.event {
            Event::SessionStart { .. } => true,
            // These take nothing before a prompt but whether it may go on.
            Event::Prompt(_) => !matches!(self.client, Client::Cursor | Client::VsCode),
            _ => false,
        }
    }
}

/// The fields of a payload; what is not of the expected form is not there.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// Returns the first of these fields that has a text.
    fn text(&self, names: &[&str]) -> Option<&'a str> {
        let texts = names.iter().filter_map(|name| self.0.get(*name)?.as_str());
        texts.into_iter().find(|text| !text.is_empty())
    }

    fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    fn folder(&self) -> Option<PathBuf> {
        let roots = self.0.get("workspace_roots").and_then(Value::as_array);
        let root = roots.and_then(|roots| roots.first()?.as_str());
        let folder = self.text(&["cwd"]).or(root).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    }

    fn event(&self, name: &str) -> Event {
        // What is said to and by an agent's own agents is not said by anybody.
        if self.has("agent_id") {
            return Event::Other;
        }
        let text = |names: &[&str]| self.text(names).map(str::to_owned);
        match name {
            "SessionStart" | "sessionStart" => {
                Event::SessionStart { anew: self.text(&["source"]) != Some("resume") }
            }
            "UserPromptSubmit" | "BeforeAgent" | "beforeSubmitPrompt" => {
                text(&["prompt"]).map_or(Event::Other, Event::Prompt)
            }
            "Stop" | "AfterAgent" | "afterAgentResponse" => Event::Answer {
                prompt: text(&["prompt"]),
                text: text(&["last_assistant_message", "prompt_response", "text"]),
            },
            "PreCompact" | "preCompact" | "PreCompress" | "SessionEnd" | "sessionEnd" => {
                Event::Ending
            }
            _ => Event::Other,
        }
    }

    /// Tells the client by what only it says.
    fn client(&self, event: &str) -> Client {
        let transcript = self.text(&["transcript_path", "transcriptPath"]).unwrap_or_default();
        let transcript = transcript.replace('\\', "/");
        let is_rollout =
            transcript.rsplit('/').next().is_some_and(|name| name.starts_with("rollout-"));
        let begins_small = event.starts_with(|first: char| first.is_lowercase());
        if self.has("cursor_version") || self.has("conversation_id") || begins_small {
            Client::Cursor
        } else if matches!(event, "BeforeAgent" | "AfterAgent" | "PreCompress")
            || transcript.contains("/.gemini/")
        {
            Client::Gemini
        } else if self.has("turn_id") || is_rollout {
            Client::Codex
        } else if self.has("sessionId") || transcript.contains("/workspaceStorage/") {
            Client::VsCode
        } else {
            Client::ClaudeCode
        }
    }
}
