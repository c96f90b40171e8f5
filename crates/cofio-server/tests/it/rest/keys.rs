//! What keys may do, where one server answers several of them.

use cofio::model::{Bound, Caller, KeyDraft, Layer, Right, Rights};
use pollster::block_on;
use serde_json::{Value, json};

use super::refused;
use crate::fixture::{Fixture, named};
use crate::served::{Answer, Served};

/// A server that two users and somebody who only reads have keys for.
pub(super) struct Keyed {
    pub(super) fixture: Fixture,
    pub(super) alice: String,
    pub(super) reader: String,
    pub(super) bob: String,
    served: Served,
}

impl Keyed {
    pub(super) fn new() -> Self {
        let fixture = Fixture::new();
        let key = |user: &str, rights: Rights, seed: u8| {
            let bound = Bound::default().with(Layer::User, named(user));
            let draft = KeyDraft { rights, ..KeyDraft::new(user, bound) };
            let keeper = Caller::keeper(named("keeper"));
            let (_, token) =
                block_on(fixture.engine.create_key(&keeper, draft, [seed; 32])).unwrap();
            format!("Bearer {}", token.expose())
        };
        let usual = Rights::of(&[Right::Read, Right::Write, Right::Delete]);
        Self {
            alice: key("alice", usual, 1),
            reader: key("alice", Rights::of(&[Right::Read]), 2),
            bob: key("bob", usual, 3),
            served: Served::locally(&fixture.engine, "alice"),
            fixture,
        }
    }

    pub(super) fn ask(&self, key: &str, method: &str, path: &str, body: &Value) -> Answer {
        self.served.ask_with(method, path, &[("authorization", key)], body)
    }
}

#[test]
fn whoever_only_reads_changes_nothing() {
    let keyed = Keyed::new();
    let memory = json!({ "content": "Alice drinks her tea black", "layer": "user" });
    let made = keyed.ask(&keyed.alice, "POST", "/v1/memories", &memory);
    assert_eq!(made.status, 201, "{}", made.body);
    let one = made.headers["location"].clone();
    let id = made.json()["memory"]["id"].clone();
    let check = |method: &str, path: &str, body: Value| {
        refused(&keyed.ask(&keyed.reader, method, path, &body), 403, "UNAUTHORIZED");
    };
    let read = |method: &str, path: &str, body: Value| {
        let answer = keyed.ask(&keyed.reader, method, path, &body);
        assert_eq!(answer.status, 200, "{method} {path} {}", answer.body);
    };
    check("POST", "/v1/memories", json!({ "content": "x", "layer": "user" }));
    check("POST", "/v1/memories/bulk", json!({ "memories": [memory] }));
    check("PATCH", &one, json!({ "content": "x" }));
    check("DELETE", &one, Value::Null);
    check("POST", &format!("{one}/confirm"), Value::Null);
    check("POST", &format!("{one}/correct"), json!({ "content": "x" }));
    check("POST", &format!("{one}/archive"), Value::Null);
    check("POST", &format!("{one}/bring-back"), Value::Null);
    check("POST", "/v1/forget", json!({ "ids": [id] }));
    check("POST", "/v1/forget", json!({ "ids": [id], "dryRun": true }));
    check("POST", "/v1/forget", json!({ "layers": ["user"] }));
    check("POST", "/v1/forget", json!({ "source": "https://example.com" }));
    check("PUT", "/v1/values/branch?layer=user", json!({ "value": "main" }));
    check("POST", "/v1/review/permit", json!({ "text": "x", "layer": "user" }));
    check("POST", "/v1/audit/verify", Value::Null);
    read("GET", &one, Value::Null);
    read("GET", &format!("{one}/history"), Value::Null);
    read("POST", &format!("{one}/why-not"), json!({ "query": "tea" }));
    read("POST", "/v1/search", json!({ "query": "tea" }));
    read("POST", "/v1/context", json!({ "prompt": "tea" }));
    for path in ["memories", "entities", "procedures", "sessions", "review", "review/rejected"] {
        read("GET", &format!("/v1/{path}"), Value::Null);
    }
    for path in ["stats", "changes", "audit", "jobs"] {
        read("GET", &format!("/v1/{path}"), Value::Null);
    }
    let exported = keyed.ask(&keyed.reader, "GET", "/v1/export", &Value::Null);
    assert!(exported.body.contains("Alice drinks her tea black"));
    let import = keyed.served.request(
        "POST",
        "/v1/import?dryRun=true",
        &[("authorization", &keyed.reader)],
        &exported.body,
    );
    refused(&import, 403, "UNAUTHORIZED");
}

#[test]
fn a_key_opens_what_it_is_bound_to_and_nothing_else() {
    let keyed = Keyed::new();
    for content in ["One", "Two"] {
        let memory = json!({ "content": content, "layer": "user" });
        assert_eq!(keyed.ask(&keyed.alice, "POST", "/v1/memories", &memory).status, 201);
    }
    let first = keyed.ask(&keyed.alice, "GET", "/v1/memories?limit=1", &Value::Null).json();
    let next = format!("/v1/memories?limit=1&cursor={}", first["nextCursor"].as_str().unwrap());
    assert_eq!(keyed.ask(&keyed.alice, "GET", &next, &Value::Null).status, 200);
    // A cursor is its caller's, even where others may open the same.
    refused(&keyed.ask(&keyed.reader, "GET", &next, &Value::Null), 400, "INVALID_INPUT");
    refused(&keyed.ask(&keyed.bob, "GET", &next, &Value::Null), 400, "INVALID_INPUT");
    let id = first["memories"][0]["id"].as_str().unwrap();
    let one = format!("/v1/memories/{id}");
    refused(&keyed.ask(&keyed.bob, "GET", &one, &Value::Null), 404, "MEMORY_NOT_FOUND");
    let gone = keyed.ask(&keyed.bob, "POST", "/v1/forget", &json!({ "ids": [id] })).json();
    assert_eq!((&gone["deleted"], &gone["failed"]), (&json!(0), &json!([id])));
    let exported = keyed.ask(&keyed.bob, "GET", "/v1/export", &Value::Null);
    assert_eq!(exported.body.lines().count(), 2);
    for query in ["?userId=alice", "?layer=project&projectId=cofio"] {
        let path = format!("/v1/memories{query}");
        refused(&keyed.ask(&keyed.bob, "GET", &path, &Value::Null), 403, "UNAUTHORIZED");
    }
    refused(&keyed.ask("Bearer nonsense", "GET", "/v1/stats", &Value::Null), 401, "UNAUTHORIZED");
}

#[test]
fn a_job_is_known_to_the_key_that_asked_for_it() {
    let keyed = Keyed::new();
    let later = [("authorization", keyed.alice.as_str()), ("prefer", "respond-async")];
    let asked = json!({ "layers": ["user"] });
    let accepted = keyed.served.ask_with("POST", "/v1/forget", &later, &asked);
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    let place = &accepted.headers["location"];
    assert_eq!(keyed.ask(&keyed.alice, "GET", place, &Value::Null).status, 200);
    for other in [&keyed.reader, &keyed.bob] {
        refused(&keyed.ask(other, "GET", place, &Value::Null), 404, "NOT_FOUND");
        let jobs = keyed.ask(other, "GET", "/v1/jobs", &Value::Null).json();
        assert_eq!(jobs, json!({ "jobs": [] }));
    }
}
