use serde_json::{Value, json};

use super::{House, kept, refused};

#[test]
fn what_is_forgotten_is_gone_and_a_receipt_says_so() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    let derived = json!({ "content": "Alice likes it strong", "derivedFrom": [id] });
    kept(&house.alice, derived);
    let forget = |dry_run: bool| {
        let asked = json!({ "ids": [id, "nonsense"], "dryRun": dry_run });
        house.alice.ask("POST", "/v1/forget", &asked).steady()
    };
    let planned = json!({
        "success": false,
        "deleted": 2,
        "ids": ["ID", "ID"],
        "failed": ["nonsense"],
        "derived": 1,
        "dryRun": true,
    });
    assert_eq!(forget(true), planned);
    assert_eq!(house.fixture.kept("alice").len(), 2);
    let mut gone = forget(false);
    let receipt = gone.as_object_mut().unwrap().remove("receipt").unwrap();
    let mut expected = planned.clone();
    expected["dryRun"] = false.into();
    assert_eq!(gone, expected);
    let memory = json!({ "id": "ID", "scope": "user:alice" });
    assert_eq!(
        receipt,
        json!({
            "receipt": "RECEIPT",
            "forgottenAt": "TIME",
            "forgottenBy": "alice",
            "reason": "id",
            "memories": [memory, memory],
            "deleted": 2,
            "derived": 1,
            "audit": { "sequence": receipt["audit"]["sequence"], "hash": "HASH" },
        })
    );
    assert_eq!(house.fixture.kept("alice").len(), 0);
    let again = forget(false);
    assert_eq!((&again["deleted"], &again["failed"][0]), (&json!(0), &json!("ID")));
}

#[test]
fn memories_are_chosen_in_exactly_one_way() {
    let house = House::new();
    kept(&house.alice, json!({ "content": "One", "metadata": { "tags": ["draft"] } }));
    let source = json!({ "type": "web", "reference": "https://example.com/page" });
    kept(&house.alice, json!({ "content": "The ferry sails at nine", "source": source }));
    let bobs = kept(&house.bob, json!({ "content": "Bob drinks coffee" }));
    let check = |asked: Value, deleted: u64| {
        let answer = house.alice.ask("POST", "/v1/forget", &asked);
        assert_eq!(answer.status, 200, "{asked} {}", answer.body);
        assert_eq!(answer.json()["deleted"], deleted, "{asked}");
    };
    check(json!({ "ids": [] }), 0);
    check(json!({ "ids": [bobs] }), 0);
    check(json!({ "filter": { "tags": ["other"] } }), 0);
    check(json!({ "filter": { "tags": ["draft"] }, "dryRun": true }), 1);
    check(json!({ "filter": { "tags": ["draft"] }, "layers": ["user"] }), 1);
    check(json!({ "source": "https://example.com" }), 0);
    check(json!({ "source": "https://example.com/page", "dryRun": true }), 1);
    check(json!({ "source": "https://example.com/page" }), 1);
    house.keep("Two");
    check(json!({ "layers": ["user"], "filter": {} }), 1);
    assert_eq!(house.fixture.kept("bob").len(), 1);
    let check = |asked: Value, status: u16, code: &str| {
        refused(&house.alice.ask("POST", "/v1/forget", &asked), status, code);
    };
    check(json!({}), 400, "INVALID_INPUT");
    check(json!({ "filter": {} }), 400, "INVALID_INPUT");
    check(json!({ "dryRun": true }), 400, "INVALID_INPUT");
    check(json!({ "ids": [], "source": "x" }), 400, "INVALID_INPUT");
    check(json!({ "ids": [], "filter": { "tags": ["x"] } }), 400, "INVALID_INPUT");
    check(json!({ "source": "x", "layers": ["user"] }), 400, "INVALID_INPUT");
    check(json!({ "ids": "all" }), 400, "INVALID_INPUT");
    check(json!({ "ids": [1] }), 400, "INVALID_INPUT");
    check(json!({ "everything": true }), 400, "INVALID_INPUT");
    check(json!({ "layers": [] }), 422, "MISSING_IDENTIFIER");
    check(json!({ "layers": ["planet"] }), 422, "INVALID_LAYER");
    check(json!({ "layers": ["user"], "identifiers": { "userId": "bob" } }), 403, "UNAUTHORIZED");
    let many: Vec<&str> = vec!["fact_0198c0de0000700080000000000000aa"; 10_001];
    check(json!({ "ids": many }), 400, "INVALID_INPUT");
    check(json!({ "ids": many, "dryRun": true }), 400, "INVALID_INPUT");
}
