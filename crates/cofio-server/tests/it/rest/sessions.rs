use serde_json::{Value, json};

use super::{House, refused};

#[test]
fn a_window_holds_the_last_turns_of_a_conversation() {
    let house = House::new();
    let path = "/v1/sessions/today/turns";
    let say = |role: &str, content: &str| {
        house.alice.ask("POST", path, &json!({ "role": role, "content": content }))
    };
    say("user", "what is left to do?");
    let window = say("assistant", "the dishes");
    let expected = json!({
        "turns": [
            { "role": "user", "content": "what is left to do?", "timestamp": "TIME" },
            { "role": "assistant", "content": "the dishes", "timestamp": "TIME" },
        ],
        "scope": "session:alice/today",
        "layer": "session",
        "identifiers": { "userId": "alice", "sessionId": "today" },
    });
    assert_eq!(window.steady(), expected);
    assert_eq!(house.alice.ask("GET", path, &Value::Null).steady(), expected);
    assert_eq!(house.bob.ask("GET", path, &Value::Null).json()["turns"], json!([]));
    for number in 0..12 {
        say("user", &format!("turn {number}"));
    }
    let turns = house.alice.ask("GET", path, &Value::Null).json()["turns"].clone();
    assert_eq!(turns.as_array().unwrap().len(), 10);
    assert_eq!(house.bob.ask("DELETE", path, &Value::Null).json()["cleared"], 0);
    assert_eq!(house.alice.ask("DELETE", path, &Value::Null).json()["cleared"], 10);
    assert_eq!(house.alice.ask("GET", path, &Value::Null).json()["turns"], json!([]));
}

#[test]
fn what_is_said_and_where_has_its_form() {
    let house = House::new();
    let check = |session: &str, body: Value, status: u16| {
        let (session, query) = session.split_once('?').unwrap_or((session, ""));
        let path = format!("/v1/sessions/{session}/turns?{query}");
        let answer = house.alice.ask("POST", &path, &body);
        assert_eq!(answer.status, status, "{path} {}", answer.body);
    };
    let turn = |role: &str, content: &str| json!({ "role": role, "content": content });
    check("s", turn("user", "hello"), 200);
    check("a%2Fb", turn("user", "hello"), 200);
    check("%20", turn("user", "hello"), 400);
    check("%00", turn("user", "hello"), 400);
    check("%FF", turn("user", "hello"), 400);
    check(&"x".repeat(257), turn("user", "hello"), 400);
    check("s", turn("", "hello"), 400);
    check("s", turn(&"x".repeat(65), "hello"), 400);
    check("s", turn("user", ""), 400);
    check("s", turn("user", &"x".repeat(300_000)), 413);
    check("s", json!({ "role": "user" }), 400);
    check("s", json!({ "role": 1, "content": "x" }), 400);
    check("s", json!({ "role": "tool", "content": "x", "source": { "type": "tool" } }), 200);
    check("s?userId=alice", turn("user", "hello"), 200);
    check("s?userId=bob", turn("user", "hello"), 403);
    check("s?sessionId=t", turn("user", "hello"), 400);
}

#[test]
fn conversations_are_listed_with_the_latest_first() {
    let house = House::new();
    for session in ["one", "two", "three"] {
        let path = format!("/v1/sessions/{session}/turns");
        house.alice.ask("POST", &path, &json!({ "role": "user", "content": "hello" }));
    }
    let identifiers = json!({ "sessionId": "one" });
    let memory = json!({ "content": "It rained", "layer": "session", "identifiers": identifiers });
    assert_eq!(house.alice.ask("POST", "/v1/memories", &memory).status, 201);
    let list = |query: &str| house.alice.ask("GET", &format!("/v1/sessions?{query}"), &Value::Null);
    let first = list("limit=1");
    let cursor = first.json()["nextCursor"].as_str().unwrap().to_owned();
    let one = json!({
        "sessionId": "one", "userId": "alice", "turns": 1, "memories": 1, "latestAt": "TIME",
    });
    let page = json!({ "sessions": [one], "nextCursor": cursor, "totalCount": 3 });
    assert_eq!(first.steady(), page);
    let next = list(&format!("limit=2&cursor={cursor}")).json();
    assert_eq!(next["sessions"][0]["sessionId"], "three");
    assert_eq!(next["sessions"][1]["sessionId"], "two");
    assert_eq!(next["nextCursor"], Value::Null);
    let others = house.bob.ask("GET", "/v1/sessions", &Value::Null).json();
    assert_eq!(others, json!({ "sessions": [], "nextCursor": null, "totalCount": 0 }));
    let path = format!("/v1/sessions?cursor={cursor}");
    refused(&house.bob.ask("GET", &path, &Value::Null), 400, "INVALID_INPUT");
    for query in ["limit=0", "limit=101", "limit=-1", "cursor=x", "cursor=a.b.c", "userId=alice"] {
        refused(&list(query), 400, "INVALID_INPUT");
    }
}

#[test]
fn a_value_is_kept_under_its_key() {
    let house = House::new();
    let path = "/v1/values/branch";
    let set = |value: &str| {
        house.alice.ask("PUT", &format!("{path}?layer=user"), &json!({ "value": value }))
    };
    let made = set("feature/tea");
    assert_eq!((made.status, made.headers["etag"].as_str()), (201, "\"1\""));
    let changed = set("main");
    assert_eq!((changed.status, changed.headers["etag"].as_str()), (200, "\"2\""));
    let read = house.alice.ask("GET", path, &Value::Null);
    assert_eq!(read.json()["memory"]["content"], "main");
    assert!(!read.headers.contains_key("etag"), "tomorrow another memory has the same version");
    refused(&house.bob.ask("GET", path, &Value::Null), 404, "MEMORY_NOT_FOUND");
    let project = format!("{path}?layer=project&projectId=cofio");
    assert_eq!(house.alice.ask("PUT", &project, &json!({ "value": "tea" })).status, 201);
    let content =
        |path: &str| house.alice.ask("GET", path, &Value::Null).json()["memory"]["content"].clone();
    assert_eq!(content(&format!("{path}?projectId=cofio")), "main");
    assert_eq!(content(&project), "tea");
}

#[test]
fn a_value_and_its_key_have_their_form() {
    let house = House::new();
    let check = |path: &str, body: Value, status: u16| {
        let answer = house.alice.ask("PUT", path, &body);
        assert_eq!(answer.status, status, "{path} {body} {}", answer.body);
    };
    let value = json!({ "value": "x" });
    check("/v1/values/a%2Fb?layer=user", value.clone(), 201);
    check("/v1/values/k", value.clone(), 400);
    check("/v1/values/k?layer=planet", value.clone(), 422);
    check("/v1/values/k?layer=session", value.clone(), 422);
    check("/v1/values/k?layer=user&userId=bob", value.clone(), 403);
    check("/v1/values/%20?layer=user", value.clone(), 400);
    check(&format!("/v1/values/{}?layer=user", "k".repeat(257)), value, 400);
    check("/v1/values/k?layer=user", json!({}), 400);
    check("/v1/values/k?layer=user", json!({ "value": "" }), 400);
    check("/v1/values/k?layer=user", json!({ "value": "x", "colour": 1 }), 400);
    refused(&house.alice.ask("GET", "/v1/values/none", &Value::Null), 404, "MEMORY_NOT_FOUND");
    refused(&house.alice.ask("GET", "/v1/values/%0A", &Value::Null), 400, "INVALID_INPUT");
}
