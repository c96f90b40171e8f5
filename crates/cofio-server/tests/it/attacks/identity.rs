//! Nobody reads, counts, guesses or changes what is not theirs.

use super::*;

/// An id of the right form that no memory has.
const UNKNOWN: &str = "fact_01890000000070008000000000000000";

#[test]
fn an_id_of_somebody_else_is_answered_like_one_that_is_not_there() {
    let town = Town::new();
    let hers = town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    let correct = json!({ "content": "Alice hides nothing" });
    for (method, path, body) in [
        ("GET", "/v1/memories/{id}", Value::Null),
        ("PATCH", "/v1/memories/{id}", json!({ "content": "Bob was here" })),
        ("DELETE", "/v1/memories/{id}", Value::Null),
        ("GET", "/v1/memories/{id}/history", Value::Null),
        ("POST", "/v1/memories/{id}/confirm", json!({})),
        ("POST", "/v1/memories/{id}/correct", correct),
        ("POST", "/v1/memories/{id}/archive", Value::Null),
        ("POST", "/v1/memories/{id}/bring-back", Value::Null),
        ("POST", "/v1/memories/{id}/why-not", json!({ "query": "fern" })),
        ("POST", "/v1/review/{id}/approve", json!({ "text": "Alice hides the spare key" })),
        ("POST", "/v1/review/{id}/reject", Value::Null),
    ] {
        let asked = |id: &str| town.ask(&town.bob, method, &path.replace("{id}", id), &body);
        let (foreign, unknown) = (asked(&hers), asked(UNKNOWN));
        assert_eq!(alike(&foreign, &hers), alike(&unknown, UNKNOWN), "{method} {path}");
        assert_eq!(foreign.status, 404, "{method} {path} {}", foreign.body);
    }
    let still = town.ask(&town.alice, "GET", &format!("/v1/memories/{hers}"), &Value::Null);
    assert_eq!(still.json()["memory"]["content"], "Alice hides the spare key under the fern");
}

#[test]
fn forgetting_together_leaves_what_is_not_the_callers() {
    let town = Town::new();
    let hers = town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    let his = town.keep(&town.bob, "user", "Bob has no fern");
    let body = json!({ "ids": [hers, his] });
    let answer = town.ask(&town.bob, "POST", "/v1/forget", &body).json();
    assert_eq!((&answer["ids"], &answer["failed"]), (&json!([his]), &json!([hers])));
    let still = town.ask(&town.alice, "GET", &format!("/v1/memories/{hers}"), &Value::Null);
    assert_eq!(still.status, 200);
}

#[test]
fn names_in_a_request_open_nothing() {
    let town = Town::new();
    town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    town.keep(&town.alice, "project", "The fern project ships on Friday");
    let foreign = [
        json!({ "userId": "alice" }),
        json!({ "user_id": "alice" }),
        json!({ "projectId": "alices-project" }),
        json!({ "userId": "alice", "sessionId": "s1" }),
        json!({ "userId": "Bob" }),
        json!({ "userId": "bob", "teamId": "everyone" }),
    ];
    for names in foreign {
        let search = json!({ "query": "fern", "identifiers": names });
        let answer = town.ask(&town.bob, "POST", "/v1/search", &search);
        assert_eq!(answer.status, 403, "{names} {}", answer.body);
        let create = json!({ "layer": "user", "content": "planted", "identifiers": names });
        let answer = town.ask(&town.bob, "POST", "/v1/memories", &create);
        let own = names["userId"].as_str().is_none_or(|user| user == "bob");
        let kept = own && names.get("user_id").is_none();
        let expected: &[u16] = if kept { &[200, 201] } else { &[403] };
        assert!(expected.contains(&answer.status), "{names} {}", answer.body);
    }
    for query in ["userId=alice", "projectId=alices-project", "userId=alice&layer=user"] {
        let answer = town.ask(&town.bob, "GET", &format!("/v1/memories?{query}"), &Value::Null);
        assert_eq!(answer.status, 403, "{query} {}", answer.body);
    }
}

#[test]
fn filters_do_not_override_whose_memories_are_meant() {
    let town = Town::new();
    town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    for filter in [
        json!({ "custom": { "userId": "alice" } }),
        json!({ "custom": { "scope": "user:alice" } }),
        json!({ "origin": "alice" }),
        json!({ "tags": ["') OR 1=1 --"] }),
        json!({ "sourceType": "manual" }),
    ] {
        let search = json!({ "query": "fern spare key", "filter": filter });
        let answer = town.ask(&town.bob, "POST", "/v1/search", &search);
        assert_eq!((answer.status, &answer.json()["results"]), (200, &json!([])), "{filter}");
    }
}

#[test]
fn a_cursor_belongs_to_whoever_it_was_given_to() {
    let town = Town::new();
    for (key, what) in [(&town.alice, "fern"), (&town.bob, "cactus")] {
        for number in 0..3 {
            town.keep(key, "user", &format!("The {what} number {number}"));
        }
    }
    let page = town.ask(&town.alice, "GET", "/v1/memories?limit=1", &Value::Null).json();
    let cursor = page["nextCursor"].as_str().unwrap();
    let path = format!("/v1/memories?limit=1&cursor={cursor}");
    assert_eq!(town.ask(&town.alice, "GET", &path, &Value::Null).status, 200);
    assert_eq!(town.ask(&town.bob, "GET", &path, &Value::Null).status, 400);
}

#[test]
fn ids_that_are_patterns_find_nothing() {
    let town = Town::new();
    let hers = town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    let upper = hers.to_uppercase();
    for id in ["*", "%25", "_", "null", "undefined", "fact_%25", "..%2F..", "%00", &upper] {
        let answer = town.ask(&town.alice, "GET", &format!("/v1/memories/{id}"), &Value::Null);
        assert!([400, 404].contains(&answer.status), "{id} {} {}", answer.status, answer.body);
    }
}

#[test]
fn names_that_are_put_together_do_not_collide() {
    let fixture = Fixture::new();
    let bound = |user: &str, session: &str| {
        let bound = Bound::default().with(Layer::User, named(user));
        KeyDraft {
            rights: worker(),
            ..KeyDraft::new(user, bound.with(Layer::Session, named(session)))
        }
    };
    let one = key(&fixture.engine, bound("a/b", "c"));
    let two = key(&fixture.engine, bound("a", "b/c"));
    let served = Served::locally(&fixture.engine, "keeper");
    let ask = |key: &str, path: &str, body: &Value| {
        let authorization = format!("Bearer {key}");
        served.ask_with("POST", path, &[("authorization", &authorization)], body)
    };
    let memory = json!({ "layer": "session", "content": "The fern is thirsty" });
    assert_eq!(ask(&one, "/v1/memories", &memory).status, 201);
    let search = json!({ "query": "fern" });
    assert_eq!(ask(&one, "/v1/search", &search).json()["results"].as_array().unwrap().len(), 1);
    assert_eq!(ask(&two, "/v1/search", &search).json()["results"], json!([]));
}

#[test]
fn counts_and_names_betray_nobody() {
    let town = Town::new();
    town.keep(&town.alice, "user", "@carol waters the fern in #Cardiff");
    let (bob, none) = (&town.bob, Value::Null);
    assert_eq!(town.ask(bob, "GET", "/v1/stats", &none).json()["total"], 0);
    assert_eq!(town.ask(bob, "GET", "/v1/memories", &none).json()["totalCount"], 0);
    let entities = town.ask(bob, "GET", "/v1/entities", &none).body;
    assert!(!entities.contains("carol") && !entities.contains("Cardiff"), "{entities}");
    assert_eq!(town.ask(bob, "GET", "/v1/entities/carol", &none).status, 404);
    assert_eq!(town.ask(bob, "GET", "/v1/changes", &none).json()["changes"], json!([]));
    let audit = town.ask(bob, "GET", "/v1/audit", &none).body;
    assert!(!audit.contains("alice"), "{audit}");
    let export = town.ask(bob, "GET", "/v1/export", &none).body;
    assert!(!export.contains("fern"), "{export}");
    // The same questions have answers for whoever may ask them.
    let alice = &town.alice;
    assert_eq!(town.ask(alice, "GET", "/v1/stats", &none).json()["total"], 1);
    assert!(town.ask(alice, "GET", "/v1/entities", &none).body.contains("carol"));
    assert!(town.ask(alice, "GET", "/v1/export", &none).body.contains("fern"));
}

#[test]
fn what_two_tenants_both_say_is_kept_twice() {
    let town = Town::new();
    let hers = town.keep(&town.alice, "user", "The ferry sails at nine");
    let his = town.keep(&town.bob, "user", "The ferry sails at nine");
    assert_ne!(hers, his);
}

#[test]
fn an_idempotency_key_of_one_tenant_is_nothing_to_another() {
    let town = Town::new();
    let send = |key: &str, content: &str| {
        let authorization = format!("Bearer {key}");
        let headers = [("authorization", authorization.as_str()), ("idempotency-key", "order-1")];
        let memory = json!({ "layer": "user", "content": content });
        town.served.ask_with("POST", "/v1/memories", &headers, &memory)
    };
    let hers = send(&town.alice, "The fern is thirsty");
    assert_eq!((hers.status, send(&town.bob, "The cactus is not").status), (201, 201));
    assert_eq!(send(&town.alice, "Something else").status, 409);
    let again = send(&town.alice, "The fern is thirsty").json();
    assert_eq!(again["memory"]["id"], hers.json()["memory"]["id"]);
}

#[test]
fn a_tool_over_http_opens_what_the_key_does() {
    let town = Town::new();
    town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    let search = |key: &str| {
        let authorization = format!("Bearer {key}");
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "search",
            "arguments": { "query": "fern" },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        let headers = [
            ("authorization", authorization.as_str()),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "search"),
        ];
        town.served.ask_with("POST", "/mcp", &headers, &message).body
    };
    assert!(search(&town.alice).contains("spare key under the fern"));
    assert!(!search(&town.bob).contains("spare key"));
}
