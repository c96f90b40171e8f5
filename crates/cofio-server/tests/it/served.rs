//! A server on loopback, and what it answers.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;

use cofio::Engine;
use cofio::model::{Caller, Identifiers, Layer, MemoryId, Timestamp};
use cofio_server::http::{self, Service};
use cofio_server::mcp::{Profile, Server, SourceName};
use cofio_server::{Desk, Opened, Place};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::fixture::named;

/// A server on loopback that ends with the test.
pub struct Served {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Served {
    pub fn start(service: Service) -> Self {
        let (tell, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let stopped = async { stopped.await.unwrap_or_default() };
                http::open(service, listener, stopped).await.unwrap();
            });
        });
        Self { address: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// Serves an engine, where a user needs no key.
    pub fn locally(engine: &Engine, user: &str) -> Self {
        Self::start(locally(engine, user))
    }

    /// Sends a request with headers beside those that every client sends.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        self.send(&self.written(method, path, headers, body))
    }

    /// Sends JSON, or nothing if it is null.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.ask_with(method, path, &[], body)
    }

    /// Sends JSON with headers.
    pub fn ask_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.request(method, path, headers, &body)
    }

    /// Has a tool called, with headers.
    pub fn call_tool(&self, headers: &[(&str, &str)], name: &str, arguments: &Value) {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": name,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        let own = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", name),
        ];
        let headers = [headers, &own].concat();
        assert_eq!(self.ask_with("POST", "/mcp", &headers, &body).status, 200);
    }

    /// Writes a request down.
    pub fn written(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let mut all = BTreeMap::from([
            ("host", self.address.to_string()),
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
            ("connection", "close".to_owned()),
            ("content-length", body.len().to_string()),
        ]);
        for (name, value) in headers {
            all.insert(name, (*value).to_owned());
        }
        let lines: Vec<String> =
            all.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        format!("{method} {path} HTTP/1.1\r\n{}\r\n\r\n{body}", lines.join("\r\n"))
    }

    /// Sends a request as it is.
    pub fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        // The server may refuse before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or("0");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers: BTreeMap<String, String> =
            headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let chunked = headers.get("transfer-encoding").is_some_and(|how| how == "chunked");
        let body = if chunked { joined(body) } else { body.to_owned() };
        Answer { status: status.parse().unwrap(), headers, body }
    }

    /// Asks the server to end, and waits until it has.
    pub fn end(mut self) {
        self.stop_and_wait();
    }

    fn stop_and_wait(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            assert!(thread.join().is_ok() || thread::panicking(), "the server ends in order");
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop_and_wait();
    }
}

impl Answer {
    /// Returns the body, which is JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|_| panic!("{} is no JSON: {}", self.status, self.body))
    }

    /// Returns the body without what differs from one run to the next.
    pub fn steady(&self) -> Value {
        steady(self.json())
    }

    /// Returns the code of a failure.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Returns what serves an engine on which a user needs no key.
pub fn locally(engine: &Engine, user: &str) -> Service {
    let names = Identifiers::default().with(Layer::User, named(user));
    let engine = engine.clone();
    let place = Place::new(named(user), names.clone(), Layer::User);
    let desk = Desk::new(place, move || Ok(Opened::new(engine.clone())));
    let server = Server::new(Arc::new(desk), Profile::Core, SourceName::User);
    Service::new(server, Some((Caller::local(named(user)), names)))
}

/// Puts names in the place of ids, times and hashes.
fn steady(value: Value) -> Value {
    match value {
        Value::String(text) if text.parse::<MemoryId>().is_ok() => "ID".into(),
        Value::String(text) if text.parse::<Timestamp>().is_ok() => "TIME".into(),
        Value::String(text) if text.starts_with("receipt_") => "RECEIPT".into(),
        Value::String(text) if is_hash(&text) => "HASH".into(),
        Value::Array(items) => items.into_iter().map(steady).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name, steady(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Puts the pieces of a stream together; one that was cut off ends where it was.
fn joined(mut pieces: &str) -> String {
    let mut all = String::new();
    while let Some((size, rest)) = pieces.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        let Some(piece) = rest.get(..size).filter(|_| size > 0) else { break };
        all.push_str(piece);
        pieces = rest.get(size + 2..).unwrap_or_default();
    }
    all
}
