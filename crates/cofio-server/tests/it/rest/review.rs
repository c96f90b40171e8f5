use serde_json::{Value, json};

use super::{House, kept, refused};

fn from_the_web(content: &str) -> Value {
    json!({ "content": content, "source": { "type": "web", "reference": "https://example.com" } })
}

#[test]
fn what_waits_is_approved_by_its_exact_text() {
    let house = House::new();
    let id = kept(&house.alice, from_the_web("The ferry sails at nine"));
    let waiting = house.alice.ask("GET", "/v1/review", &Value::Null).json();
    assert_eq!(waiting["totalCount"], 1);
    assert_eq!(waiting["memories"][0]["id"], id.as_str());
    assert_eq!(house.bob.ask("GET", "/v1/review", &Value::Null).json()["totalCount"], 0);
    let path = format!("/v1/review/{id}/approve");
    let right = json!({ "text": "The ferry sails at nine" });
    let approve = |text: &str| house.alice.ask("POST", &path, &json!({ "text": text }));
    refused(&house.bob.ask("POST", &path, &right), 404, "MEMORY_NOT_FOUND");
    refused(&approve("The ferry sails at ten"), 409, "CONFLICT");
    refused(&approve(""), 409, "CONFLICT");
    refused(&house.alice.ask("POST", &path, &json!({})), 400, "INVALID_INPUT");
    let approved = house.alice.ask("POST", &path, &right);
    assert_eq!(approved.headers["etag"], "\"2\"");
    let mut decision = approved.json();
    let memory = decision["memory"].take();
    assert_eq!(memory["state"], "active");
    assert_eq!(memory["source"]["trust"], "high");
    assert_eq!(decision, json!({ "id": id, "decision": "approved", "memory": null }));
    refused(&house.alice.ask("POST", &path, &right), 409, "CONFLICT");
}

#[test]
fn what_is_rejected_stays_out_until_it_is_permitted() {
    let house = House::new();
    let id = kept(&house.alice, from_the_web("The bank is Acme Bank"));
    let path = format!("/v1/review/{id}/reject");
    refused(&house.bob.ask("POST", &path, &Value::Null), 404, "MEMORY_NOT_FOUND");
    let rejected = house.alice.ask("POST", &path, &Value::Null);
    assert_eq!(rejected.json(), json!({ "id": id, "decision": "rejected" }));
    refused(&house.alice.ask("POST", &path, &Value::Null), 404, "MEMORY_NOT_FOUND");
    let listed = house.alice.ask("GET", "/v1/review/rejected", &Value::Null).steady();
    let scope = json!({
        "scope": "user:alice", "layer": "user", "identifiers": { "userId": "alice" },
    });
    let rejection = json!({ "hash": "HASH", "at": "TIME", "scope": scope });
    assert_eq!(listed, json!({ "rejections": [rejection] }));
    let others = house.bob.ask("GET", "/v1/review/rejected", &Value::Null).json();
    assert_eq!(others, json!({ "rejections": [] }));
    let mut again = from_the_web("the BANK is acme bank!");
    again["layer"] = "user".into();
    refused(&house.alice.ask("POST", "/v1/memories", &again), 422, "POLICY_REFUSED");
    let permit = |served: &crate::served::Served, text: &str| {
        served.ask("POST", "/v1/review/permit", &json!({ "text": text, "layer": "user" }))
    };
    refused(&permit(&house.bob, "The bank is Acme Bank"), 404, "MEMORY_NOT_FOUND");
    refused(&permit(&house.alice, "Something else"), 404, "MEMORY_NOT_FOUND");
    refused(&permit(&house.alice, ""), 404, "MEMORY_NOT_FOUND");
    let permitted = permit(&house.alice, "The bank is Acme Bank").json();
    assert_eq!(permitted, json!({ "permitted": true, "scope": scope }));
    assert_eq!(house.alice.ask("POST", "/v1/memories", &again).status, 201);
}

#[test]
fn what_is_asked_of_the_review_is_limited() {
    let house = House::new();
    let check = |path: &str, status: u16| {
        let answer = house.alice.ask("GET", path, &Value::Null);
        assert_eq!(answer.status, status, "{path} {}", answer.body);
    };
    check("/v1/review?limit=100", 200);
    check("/v1/review?limit=0", 400);
    check("/v1/review?limit=101", 400);
    check("/v1/review?limit=-1", 400);
    check("/v1/review?cursor=x", 400);
    check("/v1/review?userId=bob", 403);
    check("/v1/review?layer=planet", 422);
    check("/v1/review?state=active", 400);
    check("/v1/review/rejected?limit=1", 400);
    let id = house.keep("Alice drinks her tea black");
    let path = format!("/v1/review/{id}/reject");
    refused(&house.alice.ask("POST", &path, &Value::Null), 409, "CONFLICT");
    let permit = |body: Value, status: u16, code: &str| {
        refused(&house.alice.ask("POST", "/v1/review/permit", &body), status, code);
    };
    permit(json!({ "text": "x" }), 400, "INVALID_INPUT");
    permit(json!({ "text": "x", "layer": "session" }), 422, "MISSING_IDENTIFIER");
    let bobs = json!({ "text": "x", "layer": "user", "identifiers": { "userId": "bob" } });
    permit(bobs, 403, "UNAUTHORIZED");
}
