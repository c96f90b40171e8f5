//! MCP over HTTP, and who may ask.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use cofio::Engine;
use cofio::model::{Bound, Caller, Identifiers, KeyDraft, Layer};
use cofio::store::MemoryStore;
use cofio_server::http::{Limits, Service};
use cofio_server::mcp::{Profile, Server, SourceName};
use cofio_server::{Desk, Opened, Place};
use serde_json::{Value, json};

use crate::attacks::key;
use crate::fixture::{Fixture, named};
use crate::served::{Answer, Served, locally};

impl Served {
    fn of_mcp() -> Self {
        Self::start(Service::new(server(), Some((Caller::local(named("alice")), names()))))
    }

    /// Sends a message with headers beside those that every client sends.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        self.request("POST", "/mcp", headers, body)
    }

    /// Sends a request of the era without handshakes, and returns its result.
    fn call(&self, method: &str, name: Option<&str>, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        headers.extend(name.map(|name| ("mcp-name", name)));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&headers, &body.to_string()).message()["result"].clone()
    }
}

impl Answer {
    /// Returns the last message of the body, be it JSON or a stream of events.
    fn message(&self) -> Value {
        let mut messages = self.body.lines().filter_map(|line| {
            let json = line.strip_prefix("data:").unwrap_or(line);
            serde_json::from_str::<Value>(json.trim()).ok().filter(Value::is_object)
        });
        messages
            .next_back()
            .unwrap_or_else(|| panic!("{} has no message: {}", self.status, self.body))
    }
}

fn server() -> Server {
    let place = Place::new(named("alice"), names(), Layer::User);
    let desk = Desk::new(place, || {
        let engine = Engine::new(MemoryStore::new(), jiff::Timestamp::now);
        Ok(Opened::new(engine))
    });
    Server::new(Arc::new(desk), Profile::Core, SourceName::User)
}

fn names() -> Identifiers {
    Identifiers::default().with(Layer::User, named("alice"))
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[test]
fn without_a_handshake_each_request_stands_alone() {
    let served = Served::of_mcp();
    assert!(served.call("server/discover", None, json!({}))["supportedVersions"].is_array());
    let tools = served.call("tools/list", None, json!({}));
    assert_eq!(tools["tools"].as_array().unwrap().len(), 6);
    let kept = json!({"name": "remember", "arguments": {"content": "Tea is black"}});
    assert_eq!(served.call("tools/call", Some("remember"), kept)["isError"], false);
    let asked = json!({"name": "search", "arguments": {"query": "tea"}});
    let found = served.call("tools/call", Some("search"), asked);
    assert_eq!(found["structuredContent"]["memories"][0]["content"], "Tea is black");
}

#[test]
fn with_a_handshake_there_is_a_session_until_it_is_ended() {
    let served = Served::of_mcp();
    let greeting = served.post(&[], INITIALIZE);
    let session = greeting.headers["mcp-session-id"].clone();
    assert_eq!(greeting.message()["result"]["protocolVersion"], "2025-06-18");
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-06-18")];
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(served.post(&headers, ready).status, 202);
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let tools = served.post(&headers, list).message();
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
    assert!(served.request("DELETE", "/mcp", &headers, "").status < 300);
    assert_eq!(served.post(&headers, list).status, 404);
    let unknown = [("mcp-session-id", "00000000-0000-0000-0000-000000000000")];
    assert_eq!(served.post(&unknown, list).status, 404);
}

#[test]
fn headers_that_contradict_the_message_are_refused() {
    let served = Served::of_mcp();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "forget", "arguments": {"ids": []},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let version = ("mcp-protocol-version", "2026-07-28");
    for headers in [
        [version, ("mcp-method", "tools/list"), ("mcp-name", "forget")],
        [version, ("mcp-method", "tools/call"), ("mcp-name", "search")],
    ] {
        let answer = served.post(&headers, &body.to_string());
        assert_eq!(answer.status, 400, "{headers:?} {}", answer.body);
    }
}

#[test]
fn pages_of_other_servers_and_other_names_of_this_one_are_refused() {
    let served = Served::of_mcp();
    let port = served.address.port();
    let check = |headers: &[(&str, &str)], expected: u16| {
        assert_eq!(served.post(headers, INITIALIZE).status, expected, "{headers:?}");
    };
    check(&[("host", &format!("localhost:{port}"))], 200);
    check(&[("origin", &format!("http://127.0.0.1:{port}"))], 200);
    // A name that leads here is how a page gets around the rule of the same origin.
    check(&[("host", "rebound.example")], 403);
    check(&[("host", &format!("rebound.example:{port}"))], 403);
    check(&[("host", &format!("127.0.0.1.rebound.example:{port}"))], 403);
    check(&[("host", "127.0.0.1:1")], 403);
    check(&[("origin", "https://evil.example")], 403);
    check(&[("origin", "http://localhost:3000")], 403);
    check(&[("origin", "null")], 403);
    let host = format!("rebound.example:{port}");
    for (method, path) in [("GET", "/mcp"), ("DELETE", "/mcp"), ("OPTIONS", "/mcp"), ("GET", "/v1")]
    {
        let answer = served.request(method, path, &[("host", &host)], "");
        assert_eq!(answer.status, 403, "{method} {path}");
    }
    let twice = format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nhost: evil\r\nconnection: close\r\n\r\n"
    );
    assert!([400, 403].contains(&served.send(&twice).status));
    let none = "POST /mcp HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert!([400, 403].contains(&served.send(none).status));
}

#[test]
fn what_is_too_large_or_no_message_is_refused_and_the_next_is_answered() {
    let served = Served::of_mcp();
    let large = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5 * 1024 * 1024));
    assert_eq!(served.post(&[], &large).status, 413);
    for body in ["", "{", "[]", "null", "\u{0}", r#"{"jsonrpc":"1.0"}"#, &"[".repeat(10_000)] {
        let answer = served.post(&[], body);
        assert!((400..500).contains(&answer.status), "{body:.20} {}", answer.status);
    }
    assert_eq!(served.post(&[("content-type", "text/plain")], INITIALIZE).status, 415);
    assert_eq!(served.post(&[("accept", "text/html")], INITIALIZE).status, 406);
    assert_eq!(served.request("GET", "/nowhere", &[], "").status, 404);
    assert_eq!(served.post(&[], INITIALIZE).status, 200);
}

#[test]
fn a_stream_that_stands_open_does_not_keep_the_server() {
    let served = Served::of_mcp();
    let session = served.post(&[], INITIALIZE).headers["mcp-session-id"].clone();
    let mut standing = TcpStream::connect(served.address).unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\n\r\n",
        served.address
    );
    standing.write_all(request.as_bytes()).unwrap();
    let mut beginning = [0; 15];
    standing.read_exact(&mut beginning).unwrap();
    assert_eq!(&beginning, b"HTTP/1.1 200 OK");
    let start = std::time::Instant::now();
    drop(served);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// Begins a session, and returns its name; or what is answered instead.
fn begin(served: &Served, key: &str) -> Result<String, Answer> {
    let authorization = format!("Bearer {key}");
    let mut greeting = served.post(&[("authorization", &authorization)], INITIALIZE);
    greeting.headers.remove("mcp-session-id").ok_or(greeting)
}

/// Asks for the tools in a session, and returns the status.
fn look(served: &Served, key: &str, session: &str) -> u16 {
    let authorization = format!("Bearer {key}");
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let headers = [
        ("authorization", authorization.as_str()),
        ("mcp-session-id", session),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    served.post(&headers, list).status
}

#[test]
fn there_are_only_so_many_sessions_and_each_is_its_callers() {
    let fixture = Fixture::new();
    let [alice, bob, carol] = ["alice", "bob", "carol"].map(|user| {
        let bound = Bound::default().with(Layer::User, named(user));
        key(&fixture.engine, KeyDraft::new(user, bound))
    });
    let limits = Limits { sessions: 3, sessions_per_caller: 2, ..Limits::default() };
    let served = Served::start(Service { limits, ..locally(&fixture.engine, "keeper") });
    let [first, second, third] = [0; 3].map(|_| begin(&served, &alice).unwrap());
    // Whoever begins one too many gives up the one that was not used for longest.
    assert_eq!([&first, &second, &third].map(|id| look(&served, &alice, id)), [404, 200, 200]);
    let bobs = begin(&served, &bob).unwrap();
    assert_eq!(look(&served, &alice, &bobs), 404, "a session is its caller's");
    let delete = [("authorization", format!("Bearer {alice}")), ("mcp-session-id", bobs.clone())];
    let delete = delete.each_ref().map(|(name, value)| (*name, value.as_str()));
    served.request("DELETE", "/mcp", &delete, "");
    assert_eq!(look(&served, &bob, &bobs), 200);
    let refused = begin(&served, &carol).unwrap_err();
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.headers.contains_key("retry-after"));
}

#[test]
fn a_session_that_is_silent_for_long_ends() {
    let fixture = Fixture::new();
    let bound = Bound::default().with(Layer::User, named("alice"));
    let alice = key(&fixture.engine, KeyDraft::new("alice", bound));
    let session_silence = Duration::from_millis(100);
    let limits = Limits { session_silence, sessions: 1, ..Limits::default() };
    let served = Served::start(Service { limits, ..locally(&fixture.engine, "keeper") });
    let first = begin(&served, &alice).unwrap();
    let ended = (0..200).any(|_| {
        std::thread::sleep(session_silence * 2);
        look(&served, &alice, &first) == 404
    });
    assert!(ended);
    begin(&served, &alice).expect("its place is free again");
}
