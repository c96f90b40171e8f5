//! An agent of our own, which speaks the protocol of either era and says what its user says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

use crate::machine::Machine;

/// How long an answer may take on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With a handshake, of this version.
    Handshake(&'static str),
    /// With everything in each request.
    Inline,
}

/// Every protocol that agents speak today.
pub const ERAS: [Era; 3] =
    [Era::Handshake("2025-06-18"), Era::Handshake("2025-11-25"), Era::Inline];

/// An agent with a server of its own.
pub struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Everything on standard error, once the server has ended.
    complaints: Option<JoinHandle<String>>,
    era: Era,
    /// What the user answers, if the agent can ask at all.
    user: Option<&'static str>,
    /// What the user was asked.
    pub asked: Vec<String>,
    /// What was told without being asked for.
    pub notified: Vec<Value>,
    /// What the server answered the handshake with.
    pub greeting: Value,
    /// Answers that came before they were waited for.
    early: Vec<Value>,
    next: u64,
    ids: Vec<String>,
}

impl Agent {
    /// Starts `cofio mcp` for an agent that cannot ask its user.
    pub fn start(machine: &Machine, arguments: &str, era: Era) -> Self {
        Self::with_user(machine, arguments, era, None)
    }

    /// Starts it for an agent whose user always answers the same: accept, decline or cancel.
    pub fn with_user(
        machine: &Machine,
        arguments: &str,
        era: Era,
        user: Option<&'static str>,
    ) -> Self {
        let mut agent = Self::without_handshake(machine, arguments, era, user);
        if let Era::Handshake(version) = era {
            agent.shake_hands(version);
        }
        agent
    }

    /// Agrees with the server on a version.
    pub fn shake_hands(&mut self, version: &str) {
        let params = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities(),
            "clientInfo": {"name": "agent", "version": "1"},
        });
        self.greeting = self.ask("initialize", params);
        self.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// Starts it, and says nothing yet.
    pub fn without_handshake(
        machine: &Machine,
        arguments: &str,
        era: Era,
        user: Option<&'static str>,
    ) -> Self {
        let mut command = machine.command();
        command.arg("mcp").args(arguments.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let complaints = thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // Nothing but the protocol may stand there.
                let message: Value = serde_json::from_str(&line).expect("a line is a message");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            complaints: Some(complaints),
            messages,
            era,
            user,
            asked: Vec::new(),
            notified: Vec::new(),
            greeting: Value::Null,
            early: Vec::new(),
            next: 0,
            ids: Vec::new(),
        }
    }

    /// Calls a tool, and returns the whole result; questions to the user are answered.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        loop {
            let result = self.ask("tools/call", params.clone());
            if result["resultType"] != "input_required" {
                return result;
            }
            let questions = result["inputRequests"].as_object().unwrap();
            let answers: Map<String, Value> = questions
                .iter()
                .map(|(key, question)| (key.clone(), self.answer(&question["params"])))
                .collect();
            params["inputResponses"] = Value::Object(answers);
            params["requestState"] = result["requestState"].clone();
            if params["requestState"].is_null() {
                params.as_object_mut().unwrap().remove("requestState");
            }
        }
    }

    /// Calls a tool that has to succeed, and returns what programs get.
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that has to succeed, and returns what models read, with ids and times made short.
    pub fn said(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        self.short(&text)
    }

    /// Calls a tool that has to fail, and returns what models read.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null(), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        self.short(&text)
    }

    /// Sends a request, and returns its result, or an object with its error.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer_to(&json!(id))
    }

    /// Sends a request, and returns its id.
    pub fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if self.era == Era::Inline {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({"name": "agent", "version": "1"});
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities();
        }
        self.tell(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Waits for the answer to a request, and answers for the user meanwhile.
    pub fn answer_to(&mut self, id: &Value) -> Value {
        if let Some(place) = self.early.iter().position(|early| early["id"] == *id) {
            return outcome(&self.early.swap_remove(place));
        }
        loop {
            let message = match self.messages.recv_timeout(PATIENCE) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {id} after {PATIENCE:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("no answer to {id}: it has ended"),
            };
            if message["method"] == "elicitation/create" {
                let result = self.answer(&message["params"]);
                self.tell(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            } else if message.get("method").is_some() {
                self.notified.push(message);
            } else if message["id"] == *id {
                return outcome(&message);
            } else {
                self.early.push(message);
            }
        }
    }

    /// Returns whether a request was answered while another one was waited for.
    pub fn was_answered(&self, id: u64) -> bool {
        self.early.iter().any(|early| early["id"] == id)
    }

    /// Sends a message as it is.
    pub fn tell(&mut self, message: &Value) {
        self.tell_raw(format!("{message}\n").as_bytes());
    }

    /// Sends bytes.
    pub fn tell_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Closes standard input, and returns how the server ended and how long that took.
    pub fn end(mut self) -> (ExitStatus, Duration) {
        self.close();
        self.ended()
    }

    /// Closes standard input.
    pub fn close(&mut self) {
        drop(self.input.take());
    }

    /// Waits until the server has ended by itself, and returns how and how long that took.
    pub fn ended(mut self) -> (ExitStatus, Duration) {
        let start = Instant::now();
        let status = self.child.wait().unwrap();
        let took = start.elapsed();
        // A call that panics is lost without a word anywhere else.
        let complaints = self.complaints.take().unwrap().join().unwrap();
        assert_eq!(complaints, "", "nothing is said on standard error");
        (status, took)
    }

    /// Waits until the user is asked, who does not answer.
    pub fn wait_for_question(&mut self) {
        let message = self.messages.recv_timeout(PATIENCE).unwrap();
        assert_eq!(message["method"], "elicitation/create");
    }

    /// Returns the number of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Replaces ids by numbers in the order of their appearance, and times.
    pub fn short(&mut self, text: &str) -> String {
        let id = Regex::new(r"\b(work|ctx|ep|fact|proc|ref)_[0-9a-f]{32}\b").unwrap();
        let text = id.replace_all(text, |found: &Captures<'_>| {
            let ids = &mut self.ids;
            let known = ids.iter().position(|id| *id == found[0]).unwrap_or_else(|| {
                ids.push(found[0].to_owned());
                ids.len() - 1
            });
            format!("{}_{}", &found[1], known + 1)
        });
        let time = Regex::new(r"\b\d{4}-\d\d-\d\d(T[\d:.]+Z)?").unwrap();
        time.replace_all(&text, "TIME").into_owned()
    }

    fn answer(&mut self, question: &Value) -> Value {
        self.asked.push(question["message"].as_str().unwrap().to_owned());
        let action = self.user.expect("only a user who can be asked is asked");
        json!({"action": action, "content": {}})
    }

    fn capabilities(&self) -> Value {
        if self.user.is_some() { json!({"elicitation": {}}) } else { json!({}) }
    }
}

/// Returns the result of an answer, or an object with its error.
fn outcome(answer: &Value) -> Value {
    match answer.get("error") {
        Some(error) => json!({"error": error}),
        None => answer["result"].clone(),
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        // A test that failed must leave nothing behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
