//! A key does what it may, as long as it is good.

use cofio_server::http;
use jiff::SignedDuration;

use super::*;

#[test]
fn a_key_that_is_missing_wrong_or_over_opens_nothing() {
    let town = Town::new();
    let engine = &town.fixture.engine;
    let bound = || Bound::default().with(Layer::User, named("alice"));
    let ends = engine.now() + SignedDuration::from_hours(1);
    let expiring = KeyDraft { expires_at: Some(ends), ..KeyDraft::new("short", bound()) };
    let expiring = key(engine, expiring);
    let revoked = key(engine, KeyDraft::new("gone", bound()));
    assert_eq!(town.ask(&expiring, "GET", "/v1/memories", &Value::Null).status, 200);
    assert_eq!(town.ask(&revoked, "GET", "/v1/memories", &Value::Null).status, 200);

    let keeper = Caller::keeper(named("keeper"));
    let keys = block_on(engine.keys(&keeper)).unwrap();
    let gone = keys.iter().find(|key| key.name == "gone").unwrap();
    block_on(engine.revoke_key(&keeper, &gone.id)).unwrap();
    town.fixture.wait(SignedDuration::from_hours(2));

    let mut wrong = town.alice.clone();
    let last = if wrong.pop() == Some('0') { '1' } else { '0' };
    wrong.push(last);
    let long = "x".repeat(10_000);
    let mut said = Vec::new();
    for key in [expiring.as_str(), &revoked, &wrong, "cofio_", "x", &long] {
        let answer = town.ask(key, "GET", "/v1/memories", &Value::Null);
        assert_eq!(answer.status, 401, "{}", answer.body);
        assert!(answer.headers.contains_key("www-authenticate"));
        said.push(alike(&answer, key).1);
    }
    said.dedup();
    assert_eq!(said.len(), 1, "nobody learns why: {said:?}");
    assert_eq!(town.served.ask("GET", "/v1/memories", &Value::Null).status, 401);
    for authorization in ["Basic YWxpY2U6", "Bearer", "bearer\u{a0}x", &town.alice] {
        let headers = [("authorization", authorization)];
        let answer = town.served.ask_with("GET", "/v1/memories", &headers, &Value::Null);
        assert_eq!(answer.status, 401, "{authorization}");
    }
}

#[test]
fn a_key_is_sent_in_any_of_the_usual_ways() {
    let town = Town::new();
    let ways = [
        ("authorization", format!("Bearer {}", town.alice)),
        ("authorization", format!("bearer {}", town.alice)),
        ("authorization", format!("Token {}", town.alice)),
        ("x-api-key", town.alice.clone()),
    ];
    for (name, value) in &ways {
        let answer = town.served.ask_with("GET", "/v1/stats", &[(name, value)], &Value::Null);
        assert_eq!(answer.status, 200, "{name}");
    }
}

/// Goes through everything that is documented, with keys that lack a right it needs and with those
/// that have no other.
#[test]
fn every_endpoint_asks_for_the_rights_that_it_says() {
    let town = Town::new();
    let id = town.keep(&town.alice, "user", "Alice hides the spare key under the fern");
    let with = |rights: &[Right]| {
        let bound = Bound::default().with(Layer::User, named("alice"));
        let draft = KeyDraft { rights: Rights::of(rights), ..KeyDraft::new("some", bound) };
        key(&town.fixture.engine, draft)
    };
    let mut checked = 0;
    for (path, method, operation) in operations(&http::document()) {
        let needed = rights(operation["description"].as_str().unwrap());
        let Some(body) = example(&path, &method, &id) else { continue };
        let path = path.replace("{id}", &id).replace("{name}", "carol").replace("{key}", "mood");
        let path = path.replace("{sessionId}", "s1");
        let ask = |key: &str| town.ask(key, &method.to_uppercase(), &path, &body);
        for right in &needed {
            let others = Right::ALL.iter().filter(|other| ![right, &Right::Admin].contains(other));
            let answer = ask(&with(&others.copied().collect::<Vec<_>>()));
            assert_eq!(answer.status, 403, "{method} {path} without {right}: {}", answer.body);
            let said = answer.json()["error"]["message"].to_string();
            let all = needed.len() == 1 || needed.iter().all(|right| said.contains(right.as_str()));
            assert!(all, "{method} {path}: {said}");
        }
        if !needed.contains(&Right::Admin) {
            let answer = ask(&with(&needed));
            assert_ne!(answer.status, 403, "{method} {path} with {needed:?}: {}", answer.body);
        }
        checked += 1;
    }
    assert!(checked >= 35, "only {checked} endpoints were checked");
}

/// Reads which rights an endpoint says that it needs.
fn rights(about: &str) -> Vec<Right> {
    let Some((_, said)) = about.rsplit_once("The key needs the right") else { return Vec::new() };
    let said = said.trim_start_matches('s').trim_start_matches(" to ").trim_end_matches('.');
    said.split(" and ")
        .flat_map(|said| said.split(", "))
        .map(|right| right.parse().unwrap())
        .collect()
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let mut all = Vec::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            all.push((path.clone(), method.clone(), operation.clone()));
        }
    }
    all
}

/// Returns a body with which a request would be done, if the right were there.
///
/// Nothing for what has no right of its own: discovery, streams and jobs.
fn example(path: &str, method: &str, id: &str) -> Option<Value> {
    Some(match (method, path) {
        ("post", "/v1/memories") => json!({ "layer": "user", "content": "planted" }),
        ("post", "/v1/memories/bulk") => {
            json!({ "memories": [{ "layer": "user", "content": "planted" }] })
        }
        ("patch", _) => json!({ "content": "changed" }),
        ("post", "/v1/search" | "/v1/memories/{id}/why-not") => json!({ "query": "fern" }),
        ("post", "/v1/context") => json!({ "prompt": "fern" }),
        ("post", "/v1/memories/{id}/correct") => json!({ "content": "corrected" }),
        ("post", "/v1/memories/{id}/confirm") => json!({}),
        ("post", "/v1/forget") => json!({ "ids": [id] }),
        ("post", "/v1/maintenance") => json!({ "task": "decay" }),
        ("post", "/v1/keys") => json!({ "name": "more", "bound": { "user": ["alice"] } }),
        ("get" | "delete", path) if path.starts_with("/v1/") && !skipped(path) => Value::Null,
        (
            "post",
            "/v1/audit/verify"
            | "/v1/review/{id}/reject"
            | "/v1/maintenance/{id}/undo"
            | "/v1/memories/{id}/archive"
            | "/v1/memories/{id}/bring-back",
        ) => Value::Null,
        ("post", "/v1/review/{id}/approve") => json!({ "text": "fern" }),
        ("post", "/v1/sessions/{sessionId}/turns") => json!({ "role": "user", "content": "x" }),
        ("put", "/openspec/v1/knowledge/{id}") => json!({ "entry": { "content": "changed" } }),
        _ => return None,
    })
}

fn skipped(path: &str) -> bool {
    // An id of a key or of a job is none of a memory; a stream does not end.
    ["/v1/keys/{id}", "/v1/jobs", "/v1/jobs/{id}", "/v1/stream"].contains(&path)
}

#[test]
fn an_administrator_makes_keys_and_takes_them_back() {
    let town = Town::new();
    let wanted = json!({ "name": "carol", "rights": ["read"], "bound": { "user": ["carol"] } });
    let made = town.ask(&town.admin, "POST", "/v1/keys", &wanted);
    assert_eq!(made.status, 201, "{}", made.body);
    let (id, token) = (made.json()["key"]["id"].clone(), made.json()["token"].clone());
    let (id, token) = (id.as_str().unwrap(), token.as_str().unwrap());
    assert_eq!(town.ask(token, "GET", "/v1/memories", &Value::Null).status, 200);
    let write = json!({ "layer": "user", "content": "planted" });
    assert_eq!(town.ask(token, "POST", "/v1/memories", &write).status, 403);
    let listed = town.ask(&town.admin, "GET", "/v1/keys", &Value::Null).body;
    assert!(listed.contains("carol") && !listed.contains(token), "{listed}");
    let gone = town.ask(&town.admin, "DELETE", &format!("/v1/keys/{id}"), &Value::Null);
    assert_eq!(gone.status, 200, "{}", gone.body);
    assert_eq!(town.ask(token, "GET", "/v1/memories", &Value::Null).status, 401);
    for (method, path) in
        [("GET", "/v1/keys"), ("DELETE", "/v1/keys/key_01890000000070008000000000000000")]
    {
        assert_eq!(
            town.ask(&town.alice, method, path, &Value::Null).status,
            403,
            "{method} {path}"
        );
    }
}

#[test]
fn as_soon_as_there_is_a_key_nobody_asks_without_one() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    assert_eq!(served.ask("GET", "/v1/stats", &Value::Null).status, 200);
    key(&fixture.engine, KeyDraft::new("first", Bound::default().with(Layer::User, named("bob"))));
    assert_eq!(served.ask("GET", "/v1/stats", &Value::Null).status, 401);
    let mcp = served.ask("POST", "/mcp", &json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    assert_eq!(mcp.status, 401);
}

#[test]
fn a_key_of_little_trust_cannot_raise_it() {
    let town = Town::new();
    let bound = Bound::default().with(Layer::User, named("alice"));
    let low = KeyDraft {
        trust: cofio::model::Trust::Low,
        rights: worker(),
        ..KeyDraft::new("crawler", bound)
    };
    let crawler = key(&town.fixture.engine, low);
    let memory =
        json!({ "layer": "user", "content": "Alice pays in gold", "source": { "type": "manual" } });
    let answer = town.ask(&crawler, "POST", "/v1/memories", &memory).json();
    let (state, trust) = (&answer["memory"]["state"], &answer["memory"]["source"]["trust"]);
    assert_eq!((state, trust), (&json!("pending"), &json!("low")));
    let id = answer["memory"]["id"].as_str().unwrap();
    let approve = json!({ "text": "Alice pays in gold" });
    let answer = town.ask(&crawler, "POST", &format!("/v1/review/{id}/approve"), &approve);
    assert!(answer.status >= 400, "{}", answer.body);
    let found = town.ask(&town.alice, "POST", "/v1/search", &json!({ "query": "gold" })).json();
    assert_eq!(found["results"], json!([]));
}
