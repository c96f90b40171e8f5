//! Conversations as clients write them to files: a JSON object per line.
//!
//! Only what a person or the model said is taken; tools, thoughts, settings and whatever else a
//! later version may write is passed by. Of several things that the model says on its way to an
//! answer only the last counts.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::Value;

use super::said::{Role, Said};

/// The most bytes that are read at once, and of one line.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
const LINE_BYTES: u64 = 1024 * 1024;

/// Returns what was said after the first `from` bytes, and how many bytes there are by then.
pub fn read(path: &Path, from: u64) -> Option<(Vec<Said>, u64)> {
    // Opening a pipe would wait for somebody to write into it.
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    // A file that has become shorter is another one.
    let from = if from <= length { from } else { 0 };
    let start = from.max(length.saturating_sub(MOST_BYTES));
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(start)).ok()?;
    // There is no end to some files that say they are empty.
    let mut file = BufReader::new(file.take(length - start));
    let mut turns = Turns::default();
    let mut end = start;
    loop {
        let mut line = Vec::new();
        let read = file.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line).ok()?;
        if read == 0 {
            break;
        }
        // A line that is being written is read when it is whole.
        if line.ends_with(b"\n") || read as u64 == LINE_BYTES {
            end += read as u64;
        }
        if let Ok(line) = serde_json::from_slice(&line) {
            turns.add(&line);
        }
    }
    Some((turns.finish(), end))
}

/// A conversation under way.
#[derive(Debug, Default)]
struct Turns {
    said: Vec<Said>,
    /// The last thing that the model said, and the message it belongs to.
    last: Option<(Option<String>, String)>,
}

impl Turns {
    fn add(&mut self, line: &Value) {
        let flagged = |name: &str| line[name].as_bool() == Some(true);
        // Made by the client, or said among an agent's own agents.
        if ["isMeta", "isSidechain", "isCompactSummary"].into_iter().any(flagged) {
            return;
        }
        match line["type"].as_str().unwrap_or_default() {
            "user" => {
                // Claude Code has a message around it, Gemini CLI does not.
                let content = line.pointer("/message/content").unwrap_or(&line["content"]);
                self.user(&texts(content));
            }
            "assistant" => {
                let message = &line["message"];
                self.assistant(message["id"].as_str(), &texts(&message["content"]));
            }
            "gemini" => self.assistant(line["id"].as_str(), &texts(&line["content"])),
            "event_msg" => self.codex(&line["payload"]),
            _ => {}
        }
    }

    fn codex(&mut self, payload: &Value) {
        let message = [payload["message"].as_str().unwrap_or_default()];
        match payload["type"].as_str() {
            Some("user_message") => self.user(&message),
            Some("agent_message") => self.assistant(None, &message),
            _ => {}
        }
    }

    fn user(&mut self, texts: &[&str]) {
        let own: Vec<_> = texts.iter().filter_map(|text| Said::new(Role::User, text)).collect();
        if own.is_empty() {
            return;
        }
        self.answered();
        let own: Vec<_> = own.into_iter().map(|said| said.text).collect();
        self.said.extend(Said::new(Role::User, &own.join("\n")));
    }

    fn assistant(&mut self, message: Option<&str>, texts: &[&str]) {
        let text = texts.join("\n");
        if text.trim().is_empty() {
            return;
        }
        match &mut self.last {
            // A message is written in several lines, a part of it in each.
            Some((id, before)) if id.is_some() && id.as_deref() == message && *before != text => {
                before.push('\n');
                before.push_str(&text);
            }
            last => *last = Some((message.map(str::to_owned), text)),
        }
    }

    fn answered(&mut self) {
        let last = self.last.take();
        self.said.extend(last.and_then(|(_, text)| Said::new(Role::Assistant, &text)));
    }

    fn finish(mut self) -> Vec<Said> {
        self.answered();
        self.said
    }
}

/// Returns the texts of a content, which is a text or a list of parts; other parts are passed by.
fn texts(content: &Value) -> Vec<&str> {
    let text = |part: &Value| -> bool {
        part["type"].as_str().is_none_or(|kind| kind == "text") && part["thought"].is_null()
    };
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts
            .iter()
            .filter(|part| text(part))
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => Vec::new(),
    }
}
