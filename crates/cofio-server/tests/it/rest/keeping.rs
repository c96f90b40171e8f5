use serde_json::{Value, json};

use super::{House, kept, refused};

#[test]
fn what_is_kept_is_counted() {
    let house = House::new();
    house.keep("Alice drinks her tea black");
    let stats =
        |query: &str| house.alice.ask("GET", &format!("/v1/stats{query}"), &Value::Null).steady();
    let scope = json!({
        "scope": "user:alice",
        "layer": "user",
        "identifiers": { "userId": "alice" },
        "memories": 1,
        "entities": 0,
        "pendingEmbeddings": 1,
        "latestAt": "TIME",
    });
    let all = json!({
        "total": 1,
        "kinds": { "fact": 1 },
        "layers": { "user": 1 },
        "pendingEmbeddings": 1,
        "contentBytes": 26,
        "latestAt": "TIME",
        "scopes": [scope],
    });
    assert_eq!(stats(""), all);
    assert_eq!(stats("?layer=user"), all);
    assert_eq!(stats("?layer=project&projectId=cofio")["total"], 0);
    assert_eq!(house.bob.ask("GET", "/v1/stats", &Value::Null).json()["total"], 0);
    let others = house.alice.ask("GET", "/v1/stats?userId=bob", &Value::Null);
    refused(&others, 403, "UNAUTHORIZED");
}

#[test]
fn changes_are_read_in_their_order() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    kept(&house.bob, json!({ "content": "Bob drinks coffee" }));
    house.alice.ask("DELETE", &format!("/v1/memories/{id}"), &Value::Null);
    let changes = |query: &str| {
        let answer = house.alice.ask("GET", &format!("/v1/changes{query}"), &Value::Null);
        assert_eq!(answer.status, 200, "{query} {}", answer.body);
        answer.steady()
    };
    let change = |sequence: u64, kind: &str, version: u64| {
        json!({
            "sequence": sequence,
            "id": "ID",
            "kind": kind,
            "version": version,
            "timestamp": "TIME",
            "scope": "user:alice",
        })
    };
    let (first, second) = (change(1, "created", 1), change(3, "deleted", 1));
    assert_eq!(changes(""), json!({ "changes": [first, second], "nextAfter": 3 }));
    assert_eq!(changes("?limit=1"), json!({ "changes": [first], "nextAfter": 1 }));
    assert_eq!(changes("?after=1"), json!({ "changes": [second], "nextAfter": 3 }));
    assert_eq!(changes("?after=3"), json!({ "changes": [], "nextAfter": 3 }));
    for after in [i64::MAX as u64, 1 << 63, u64::MAX] {
        let nothing = json!({ "changes": [], "nextAfter": after });
        assert_eq!(changes(&format!("?after={after}")), nothing);
    }
    for query in ["limit=0", "limit=1001", "limit=-1", "after=-1", "after=x", "after=1e3"] {
        let path = format!("/v1/changes?{query}");
        refused(&house.alice.ask("GET", &path, &Value::Null), 400, "INVALID_INPUT");
    }
}

#[test]
fn everybody_sees_what_they_did_themselves() {
    let house = House::new();
    house.keep("Alice drinks her tea black");
    kept(&house.bob, json!({ "content": "Bob drinks coffee" }));
    let audit = |query: &str| {
        let answer = house.alice.ask("GET", &format!("/v1/audit{query}"), &Value::Null);
        assert_eq!(answer.status, 200, "{query} {}", answer.body);
        answer.steady()
    };
    let entry = json!({
        "sequence": 1,
        "timestamp": "TIME",
        "action": "memory_write",
        "userId": "alice",
        "scope": "user:alice",
        "firstChange": 1,
        "lastChange": 1,
        "metadata": { "count": 1, "kind": "fact", "size": 26, "source": "manual" },
        "hash": "HASH",
    });
    let expected = json!({ "entries": [entry], "nextAfter": 1 });
    assert_eq!(audit(""), expected);
    assert_eq!(audit("?latest=true"), expected);
    assert_eq!(audit("?after=0&latest=false&limit=1000"), expected);
    assert_eq!(audit("?after=1"), json!({ "entries": [], "nextAfter": 1 }));
    assert_eq!(audit(&format!("?after={}", u64::MAX))["entries"], json!([]));
    for query in ["limit=0", "limit=1001", "limit=-1", "after=-1", "after=1&latest=true"] {
        let path = format!("/v1/audit?{query}");
        refused(&house.alice.ask("GET", &path, &Value::Null), 400, "INVALID_INPUT");
    }
    let verified = house.alice.ask("POST", "/v1/audit/verify", &Value::Null).json();
    assert_eq!(verified, json!({ "valid": true, "entries": 2 }));
}

#[test]
fn a_bundle_leaves_and_comes_back_as_it_was() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    let patch = json!({ "metadata": { "title": "Tea" } });
    house.alice.ask("PATCH", &format!("/v1/memories/{id}"), &patch);
    house.keep("The greenhouse opens at nine");
    kept(&house.bob, json!({ "content": "Bob drinks coffee" }));
    let exported = house.alice.ask("GET", "/v1/export", &Value::Null);
    assert_eq!(exported.headers["content-type"], "application/x-ndjson");
    assert_eq!(exported.headers["transfer-encoding"], "chunked");
    let lines: Vec<Value> =
        exported.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["type"], &lines[3]["memories"]), (&json!("manifest"), &json!(2)));
    assert!(!exported.body.contains("coffee"));
    let elsewhere = House::new();
    let import = |query: &str, bundle: &str| {
        let headers = [("content-type", "application/x-ndjson")];
        elsewhere.alice.request("POST", &format!("/v1/import{query}"), &headers, bundle)
    };
    let counted = |created: u64, skipped: u64, dry_run: bool| {
        json!({
            "created": created,
            "replaced": 0,
            "skipped": skipped,
            "duplicates": 0,
            "forgotten": 0,
            "rejected": 0,
            "refused": 0,
            "redacted": 0,
            "dryRun": dry_run,
        })
    };
    assert_eq!(import("?dryRun=true", &exported.body).json(), counted(2, 0, true));
    assert_eq!(elsewhere.fixture.kept("alice").len(), 0);
    assert_eq!(import("", &exported.body).json(), counted(2, 0, false));
    assert_eq!(import("?onConflict=replace", &exported.body).json(), counted(0, 2, false));
    let history =
        elsewhere.alice.ask("GET", &format!("/v1/memories/{id}/history"), &Value::Null).json();
    assert_eq!(history["earlier"].as_array().unwrap().len(), 1);
    let headers = [("content-type", "application/x-ndjson")];
    let bobs = elsewhere.bob.request("POST", "/v1/import", &headers, &exported.body);
    refused(&bobs, 403, "UNAUTHORIZED");
}

#[test]
fn a_bundle_that_is_wrong_changes_nothing() {
    let house = House::new();
    house.keep("Alice drinks her tea black");
    let bundle = house.alice.ask("GET", "/v1/export", &Value::Null).body;
    let elsewhere = House::new();
    let check = |query: &str, bundle: &str, status: u16| {
        let answer = elsewhere.alice.request("POST", &format!("/v1/import{query}"), &[], bundle);
        assert_eq!(answer.status, status, "{query} {}", answer.body);
    };
    check("", "", 400);
    check("", "{}", 400);
    check("", "\u{0}", 400);
    check("", &bundle.replace("black", "white"), 400);
    check("", bundle.trim_end().rsplit_once('\n').unwrap().0, 400);
    check("", &format!("{bundle}{bundle}"), 400);
    check("?onConflict=guess", &bundle, 400);
    check("?trust=blind", &bundle, 400);
    check("?dryRun=maybe", &bundle, 400);
    check("", &"x".repeat(17 * 1024 * 1024), 413);
    assert_eq!(elsewhere.fixture.kept("alice").len(), 0);
    check("?trust=low&onConflict=newer&onPossibleSecret=redact", &bundle, 200);
    assert_eq!(elsewhere.fixture.kept("alice")[0].source.trust().as_str(), "low");
}
