use serde_json::{Value, json};

use super::{House, kept, refused};

/// Returns what some memories say.
fn contents(memories: &Value) -> Vec<&str> {
    memories.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect()
}

#[test]
fn what_was_learnt_changed_faded_forgotten_and_waits_is_told_since_a_moment() {
    let house = House::new();
    house.keep("Alice has a cat");
    house.fixture.wait(jiff::SignedDuration::from_hours(24));
    let wrong = house.keep("Alice lives in Cardiff");
    let dull = house.keep("Alice had toast");
    let secret = house.keep("Alice is eight");
    let verb = |id: &str, verb: &str, body: &Value| {
        let answer = house.alice.ask("POST", &format!("/v1/memories/{id}/{verb}"), body);
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    verb(&wrong, "correct", &json!({ "content": "Alice lives in Swansea" }));
    verb(&dull, "archive", &Value::Null);
    house.alice.ask("DELETE", &format!("/v1/memories/{secret}"), &Value::Null);
    let web = json!({ "type": "web", "reference": "https://example.com" });
    kept(&house.alice, json!({ "content": "The ferry sails at nine", "source": web }));

    let path = "/v1/brief?since=2026-03-02T00:00:00Z";
    let brief = house.alice.ask("GET", path, &Value::Null).json();
    assert_eq!(brief["since"], "2026-03-02T00:00:00Z");
    assert_eq!(contents(&brief["learnt"]), ["Alice lives in Swansea"]);
    let [changed] = &brief["changed"].as_array().unwrap()[..] else { panic!("{brief}") };
    assert_eq!(changed["before"]["content"], "Alice lives in Cardiff");
    assert_eq!(changed["after"]["content"], "Alice lives in Swansea");
    assert_eq!(contents(&brief["faded"]), ["Alice had toast"]);
    assert_eq!(contents(&brief["waiting"]), ["The ferry sails at nine"]);
    assert_eq!((&brief["forgotten"], &brief["reflection"]), (&json!(1), &Value::Null));
    let all = house.alice.ask("GET", "/v1/brief?since=2026-03-01T00:00:00Z", &Value::Null).json();
    assert_eq!(contents(&all["learnt"]), ["Alice lives in Swansea", "Alice has a cat"]);

    let nothing = json!({
        "since": "2026-03-02T00:00:00Z",
        "learnt": [],
        "changed": [],
        "faded": [],
        "waiting": [],
        "forgotten": 0,
        "reflection": null,
    });
    assert_eq!(house.bob.ask("GET", path, &Value::Null).json(), nothing);
    refused(
        &house.bob.ask("GET", &format!("{path}&userId=alice"), &Value::Null),
        403,
        "UNAUTHORIZED",
    );
}

#[test]
fn a_brief_takes_a_moment_and_what_the_caller_may_open() {
    let house = House::new();
    let check = |query: &str, status: u16| {
        let answer = house.alice.ask("GET", &format!("/v1/brief{query}"), &Value::Null);
        assert_eq!(answer.status, status, "{query} {}", answer.body);
    };
    check("?since=2026-03-01T00:00:00Z&layer=user", 200);
    check("?since=9999-01-01T00:00:00Z", 200);
    check("", 400);
    check("?since=", 400);
    check("?since=yesterday", 400);
    check("?since=2026-03-01", 400);
    check("?since=2026-03-01T00:00:00Z&since=2026-03-02T00:00:00Z", 400);
    check("?since=2026-03-01T00:00:00Z&layer=planet", 422);
    check("?since=2026-03-01T00:00:00Z&layer=session", 422);
    check("?since=2026-03-01T00:00:00Z&limit=1", 400);
}
