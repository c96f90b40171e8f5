use serde_json::{Value, json};

use super::{House, kept, refused};

#[test]
fn a_memory_has_a_place_and_a_version() {
    let house = House::new();
    let asked = json!({ "content": "Alice drinks her tea black", "layer": "user" });
    let made = house.alice.ask("POST", "/v1/memories", &asked);
    assert_eq!(made.status, 201);
    assert_eq!(made.headers["etag"], "\"1\"");
    let place = made.headers["location"].clone();
    let read = house.alice.ask("GET", &place, &Value::Null);
    assert_eq!(read.json()["memory"], made.json()["memory"]);
    let check = |tag: &str, status: u16| {
        let answer = house.alice.ask_with("GET", &place, &[("if-none-match", tag)], &Value::Null);
        assert_eq!((answer.status, answer.headers["etag"].as_str()), (status, "\"1\""), "{tag}");
    };
    check("\"1\"", 304);
    check("*", 304);
    check("\"7\", \"1\"", 304);
    check("\"2\"", 200);
    check("1", 200);
    let known = house.alice.ask("POST", "/v1/memories", &asked);
    assert_eq!(known.status, 200);
    assert_eq!(known.json()["existing"], true);
}

#[test]
fn nothing_is_changed_that_somebody_else_changed_since() {
    let house = House::new();
    let path = format!("/v1/memories/{}", house.keep("Alice drinks her tea black"));
    let check = |tag: &str, status: u16, now: Option<&str>| {
        let change = json!({ "metadata": { "title": tag } });
        let answer = house.alice.ask_with("PATCH", &path, &[("if-match", tag)], &change);
        let tag_now = answer.headers.get("etag").map(String::as_str);
        assert_eq!((answer.status, tag_now), (status, now), "{tag} {}", answer.body);
    };
    check("\"1\"", 200, Some("\"2\""));
    check("\"1\"", 412, None);
    check("\"0\"", 412, None);
    check("*", 200, Some("\"3\""));
    check("3", 400, None);
    check("\"-1\"", 400, None);
    check("\"18446744073709551616\"", 400, None);
    check("W/\"3\"", 400, None);
    // What is not looked at must not seem to hold.
    let old = [("if-match", "\"1\"")];
    let archive = format!("{path}/archive");
    refused(&house.alice.ask_with("POST", &archive, &old, &Value::Null), 400, "INVALID_INPUT");
    let unless = [("if-none-match", "*")];
    let answer =
        house.alice.ask_with("PATCH", &path, &unless, &json!({ "metadata": { "title": "x" } }));
    assert_eq!((answer.status, answer.json()["memory"]["version"].as_u64()), (200, Some(4)));
    let remove = |tag: &str| {
        house.alice.ask_with("DELETE", &path, &[("if-match", tag)], &Value::Null).status
    };
    assert_eq!((remove("\"3\""), remove("\"4\""), remove("\"4\"")), (412, 200, 404));
}

#[test]
fn the_same_request_again_answers_what_the_first_did() {
    let house = House::new();
    let send = |key: &str, content: &str| {
        let asked = json!({ "content": content, "layer": "user", "kind": "episode" });
        house.alice.ask_with("POST", "/v1/memories", &[("idempotency-key", key)], &asked)
    };
    let first = send("a", "The kettle broke");
    let again = send("a", "The kettle broke");
    assert_eq!(first.json()["memory"]["id"], again.json()["memory"]["id"]);
    refused(&send("a", "The kettle works"), 409, "CONFLICT");
    refused(&send("", "The kettle broke"), 400, "INVALID_INPUT");
    refused(&send("ä", "The kettle broke"), 400, "INVALID_INPUT");
    refused(&send(&"x".repeat(300), "The kettle broke"), 400, "INVALID_INPUT");
    let many = json!({ "memories": [{ "content": "One", "layer": "user", "kind": "episode" }] });
    let key = [("idempotency-key", "b")];
    let send = || house.alice.ask_with("POST", "/v1/memories/bulk", &key, &many).json();
    assert_eq!(send()["results"][0]["memory"]["id"], send()["results"][0]["memory"]["id"]);
}

#[test]
fn several_are_kept_together_or_not_at_all() {
    let house = House::new();
    let check = |memories: Value, status: u16| {
        let answer = house.alice.ask("POST", "/v1/memories/bulk", &json!({ "memories": memories }));
        assert_eq!(answer.status, status, "{}", answer.body);
        answer
    };
    let one = |content: &str| json!({ "content": content, "layer": "user" });
    let kept = check(json!([one("One"), one("Two"), one("One")]), 200).json();
    assert_eq!((&kept["added"], &kept["existing"]), (&json!(2), &json!(1)));
    let wrong = json!({ "content": "Four", "layer": "session" });
    let answer = check(json!([one("Three"), wrong]), 422);
    assert_eq!(answer.json()["error"]["details"]["index"], 1);
    let all = house.alice.ask("GET", "/v1/memories", &Value::Null).json();
    assert_eq!(all["totalCount"], 2);
    check(json!([]), 200);
    check(json!({}), 400);
    check(Value::Null, 400);
}

#[test]
fn a_list_comes_page_by_page_for_its_caller_only() {
    let house = House::new();
    for content in ["One", "Two", "Three"] {
        house.keep(content);
    }
    let list = |path: &str| house.alice.ask("GET", path, &Value::Null);
    let first = list("/v1/memories?limit=2&layer=user").json();
    let contents = |page: &Value| -> Vec<String> {
        let memories = page["memories"].as_array().unwrap();
        memories.iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(contents(&first), ["Three", "Two"]);
    let cursor = first["nextCursor"].as_str().unwrap();
    let next = format!("/v1/memories?limit=2&layer=user&cursor={cursor}");
    assert_eq!(contents(&list(&next).json()), ["One"]);
    refused(&house.bob.ask("GET", &next, &Value::Null), 400, "INVALID_INPUT");
    refused(&list(&next.replace("layer=user", "kind=fact")), 400, "INVALID_INPUT");
    let check = |query: &str, status: u16| {
        let answer = list(&format!("/v1/memories?{query}"));
        assert_eq!(answer.status, status, "{query} {}", answer.body);
    };
    check("", 200);
    check("limit=100", 200);
    check("limit=0", 400);
    check("limit=-1", 400);
    check("limit=101", 400);
    check("limit=9223372036854775808", 400);
    check("limit=NaN", 400);
    check("limit=", 400);
    check("limit=1&limit=2", 400);
    check("cursor=", 400);
    check("cursor=nonsense", 400);
    check("order=confidence", 200);
    check("order=size", 400);
    check("kind=fact&kind=episode", 200);
    check("kind=poem", 400);
    check("layer=planet", 422);
    check("layer=session", 422);
    check("userId=bob", 403);
    check("userId=alice&sessionId=s1&layer=session", 200);
    check("user=alice", 400);
    check("from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z", 200);
    check("from=yesterday", 400);
}

#[test]
fn a_memory_is_confirmed_corrected_put_away_and_brought_back() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    let verb = |id: &str, verb: &str, body: &Value| {
        house.alice.ask("POST", &format!("/v1/memories/{id}/{verb}"), body)
    };
    let state = |verb_name: &str| {
        let answer = verb(&id, verb_name, &Value::Null);
        let memory = &answer.json()["memory"];
        (answer.headers["etag"].clone(), memory["state"].as_str().unwrap().to_owned())
    };
    assert_eq!(state("archive"), ("\"2\"".to_owned(), "archived".to_owned()));
    assert_eq!(state("archive"), ("\"2\"".to_owned(), "archived".to_owned()));
    assert_eq!(state("bring-back"), ("\"3\"".to_owned(), "active".to_owned()));
    let confirmed = verb(&id, "confirm", &Value::Null);
    assert_eq!(confirmed.json()["memory"]["metadata"]["confidence"], 1.0);
    let read = json!({ "text": "Alice drinks coffee" });
    refused(&verb(&id, "confirm", &read), 409, "CONFLICT");
    let truth = json!({ "content": "Alice takes milk now" });
    let corrected = verb(&id, "correct", &truth).json();
    assert_eq!(corrected["replaced"]["id"], id.as_str());
    assert_eq!(corrected["replaced"]["state"], "superseded");
    assert_eq!(corrected["memory"]["content"], "Alice takes milk now");
    refused(&verb(&id, "archive", &Value::Null), 409, "CONFLICT");
    let history = house.alice.ask("GET", &format!("/v1/memories/{id}/history"), &Value::Null);
    assert_eq!(history.json()["earlier"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_trusted_less_replaces_and_confirms_nothing() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    let verb = |verb: &str, body: &Value| {
        house.alice.ask("POST", &format!("/v1/memories/{id}/{verb}"), body)
    };
    let page = json!({ "type": "web" });
    let lie = json!({ "content": "Alice hates tea", "source": page });
    refused(&verb("correct", &lie), 422, "POLICY_REFUSED");
    refused(&verb("confirm", &json!({ "source": page })), 422, "POLICY_REFUSED");
    let waits = json!({ "content": "Alice likes the ferry", "source": page });
    let waiting = kept(&house.alice, waits);
    let path = format!("/v1/memories/{waiting}/confirm");
    refused(&house.alice.ask("POST", &path, &Value::Null), 409, "CONFIRMATION_REQUIRED");
    let read = json!({ "text": "Alice likes the ferry" });
    assert_eq!(house.alice.ask("POST", &path, &read).json()["memory"]["state"], "active");
}

#[test]
fn a_verb_takes_what_it_knows_and_nothing_else() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    let check = |verb: &str, body: Value, status: u16, code: &str| {
        let path = format!("/v1/memories/{id}/{verb}");
        refused(&house.alice.ask("POST", &path, &body), status, code);
    };
    check("correct", json!({}), 400, "INVALID_INPUT");
    check("correct", json!({ "content": 1 }), 400, "INVALID_INPUT");
    check("correct", json!({ "content": "x", "colour": "red" }), 400, "INVALID_INPUT");
    check("correct", json!({ "content": "Alice drinks her tea black" }), 400, "INVALID_INPUT");
    check("correct", json!({ "content": "x".repeat(300_000) }), 413, "CONTENT_TOO_LONG");
    check(
        "correct",
        json!({ "content": "x", "source": { "type": "dream" } }),
        400,
        "INVALID_INPUT",
    );
    check("confirm", json!({ "text": ["x"] }), 400, "INVALID_INPUT");
    check("confirm", json!([]), 400, "INVALID_INPUT");
    for verb in ["confirm", "correct", "archive", "bring-back"] {
        let body = json!({ "content": "x" });
        let body = if verb == "correct" { body } else { Value::Null };
        let ask = |served: &crate::served::Served, id: &str| {
            served.ask("POST", &format!("/v1/memories/{id}/{verb}"), &body)
        };
        refused(&ask(&house.bob, &id), 404, "MEMORY_NOT_FOUND");
        refused(&ask(&house.alice, "fact_nonsense"), 404, "MEMORY_NOT_FOUND");
    }
    assert_eq!(house.fixture.kept("alice")[0].version, 1);
}
