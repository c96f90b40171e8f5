//! The `OpenSpec` knowledge provider protocol, as its clients meet it.

use std::collections::BTreeSet;

use cofio_server::http;
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::served::{Answer, Served};

const BASE: &str = "/openspec/v1/knowledge";

struct Provider {
    served: Served,
    fixture: Fixture,
}

impl Provider {
    fn new() -> Self {
        let fixture = Fixture::new();
        Self { served: Served::locally(&fixture.engine, "alice"), fixture }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.served.ask(method, &format!("{BASE}{path}"), body)
    }

    fn ask_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        self.served.ask_with(method, &format!("{BASE}{path}"), headers, body)
    }

    /// Keeps an entry, and returns it.
    fn keep(&self, entry: &Value) -> Value {
        let answer = self.ask("POST", "/create", &json!({ "entry": entry }));
        assert!([200, 201].contains(&answer.status), "{} {}", answer.status, answer.body);
        answer.json()["entry"].clone()
    }

    fn query(&self, body: &Value) -> Value {
        let answer = self.ask("POST", "/query", body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Returns the texts that a query finds, best first.
    fn found(&self, body: &Value) -> Vec<String> {
        let results = self.query(body)["results"].as_array().unwrap().clone();
        let text = |result: &Value| result["entry"]["content"].as_str().unwrap().to_owned();
        results.iter().map(text).collect()
    }

    /// Checks that something is refused with a status and a code.
    fn refused(&self, (method, path): (&str, &str), body: &Value, status: u16, code: &str) {
        let answer = self.ask(method, path, body);
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{body} {answer:?}");
    }
}

fn named(entry: &Value) -> String {
    format!("/{}", entry["id"].as_str().unwrap())
}

#[test]
fn discovery_tells_what_is_there() {
    let provider = Provider::new();
    let discovered = provider.ask("GET", "", &Value::Null).json();
    let told = &discovered["provider"];
    let limits = &provider.fixture.engine.config().limits;
    assert_eq!(told["name"], "Cofio");
    assert_eq!(told["limits"]["max_entry_size"], limits.content_bytes);
    assert_eq!(told["limits"]["max_batch_size"], 1_000);
    assert_eq!(told["limits"]["max_embeddings_dim"], 0);
    assert_eq!(told["limits"].get("query_rate_limit"), None, "only keys are counted");
    assert_eq!(told["capabilities"]["query"]["max_results"], limits.search_results);
    assert_eq!(told["capabilities"]["query"]["modes"], json!(["hybrid", "keyword"]));
    assert_eq!(
        told["features"],
        json!({
            "semantic_search": false,
            "hybrid_search": false,
            "reranking": false,
            "cross_layer_query": true,
            "versioning": true,
            "promotion": false,
        })
    );
    let semantic = json!({"query": "tea", "mode": "semantic"});
    provider.refused(("POST", "/query"), &semantic, 422, "UNSUPPORTED");
}

#[test]
fn both_prefixes_are_the_same() {
    let provider = Provider::new();
    let at = |path: &str| provider.served.ask("GET", path, &Value::Null).json();
    assert_eq!(at("/openspec/v1/knowledge"), at("/api/v1/knowledge"));
    let body = json!({"entry": {"content": "Tea is black"}});
    let kept = provider.served.ask("POST", "/api/v1/knowledge/create", &body);
    assert_eq!(kept.status, 201);
    assert_eq!(provider.found(&json!({"query": "tea"})), ["Tea is black"]);
    let path = format!("/api/v1/knowledge{}/metadata", named(&kept.json()["entry"]));
    assert_eq!(provider.served.ask("GET", &path, &Value::Null).status, 200);
}

#[test]
fn an_entry_is_answered_as_the_protocol_writes_it() {
    let provider = Provider::new();
    let entry = json!({
        "content": "Deploys take ten minutes",
        "metadata": {"title": "Deploys", "tags": ["ops"], "confidence": 0.9, "colour": "red"},
        "source": {"type": "user_upload", "identifier": "handbook.pdf", "version": "7"},
        "access_policy": "shared",
    });
    let options = json!({"layer": {"type": "project", "identifiers": {"projectId": "cofio"}}});
    let body = json!({"entry": entry, "options": options});
    let answer = provider.ask("POST", "/create", &body);
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.headers["etag"], "\"1\"");
    let expected = json!({
        "status": "created",
        "existing": false,
        "entry": {
            "id": "ID",
            "content": "Deploys take ten minutes",
            "metadata": {
                "title": "Deploys",
                "tags": ["ops"],
                "confidence": 0.9,
                "custom": {"colour": "red"},
            },
            "source": {
                "type": "user_upload",
                "identifier": "handbook.pdf",
                "version": "7",
                "from_external_content": false,
            },
            "access_policy": "shared",
            "created_at": "TIME",
            "updated_at": "TIME",
            "event_at": "TIME",
            "version": 1,
            "layer": "project",
            "identifiers": {"project_id": "cofio"},
            "kind": "fact",
            "state": "active",
            "trust": "high",
            "etag": "\"1\"",
            "embedding_model": null,
        },
    });
    assert_eq!(answer.steady(), expected);
    let again = provider.ask("POST", "/create", &body);
    assert_eq!((again.status, &again.json()["existing"]), (200, &json!(true)));
}

#[test]
fn what_makes_no_difference_is_named() {
    let provider = Provider::new();
    let body = json!({
        "entry": {"content": "Tea is black", "embedding": [0.1, 0.2], "trust": "high"},
        "options": {"generate_embedding": false, "version": true},
        "governance": {"audit_log": false},
    });
    let answer = provider.ask("POST", "/create", &body);
    let ignored =
        ["entry.embedding", "entry.trust", "options.generate_embedding", "governance.audit_log"];
    assert_eq!(answer.json()["ignored"], json!(ignored));
    // An entry comes back as it was told, and nothing of it is taken for something new.
    let told = provider.ask(
        "PUT",
        &named(&answer.json()["entry"]),
        &json!({
            "entry": answer.json()["entry"],
        }),
    );
    assert_eq!((told.status, &told.json()["entry"]["version"]), (200, &json!(1)), "{}", told.body);
}

#[test]
fn a_layer_is_named_in_either_vocabulary() {
    let provider = Provider::new();
    let layer = |layer: Value| json!({"entry": {"content": "x"}, "options": {"layer": layer}});
    let kept = |asked: Value| {
        let answer = provider.ask("POST", "/create", &layer(asked)).json();
        let entry = &answer["entry"];
        format!("{} {}", entry["layer"].as_str().unwrap(), entry["kind"].as_str().unwrap())
    };
    assert_eq!(kept(json!({"type": "episodic"})), "user episode");
    assert_eq!(kept(json!({"type": "organization", "identifiers": {"org_id": "o"}})), "org fact");
    assert_eq!(kept(json!({"agent_id": "helper"})), "agent fact");
    let create = ("POST", "/create");
    provider.refused(create, &layer(json!({"type": "galaxy"})), 422, "INVALID_LAYER");
    provider.refused(create, &layer(json!({"type": "team"})), 422, "MISSING_IDENTIFIER");
    provider.refused(create, &layer(json!({"user_id": "bob"})), 403, "UNAUTHORIZED");
    let twice = json!({"user_id": "alice", "identifiers": {"userId": "bob"}});
    provider.refused(create, &layer(twice), 400, "INVALID_INPUT");
}

#[test]
fn what_is_not_trusted_waits_for_approval() {
    let provider = Provider::new();
    let from_web = json!({"entry": {
        "content": "The moon is made of cheese",
        "source": {"type": "web_scrape", "identifier": "https://example.com"},
    }});
    let answer = provider.ask("POST", "/create", &from_web).json();
    assert_eq!(answer["status"], "pending_approval");
    assert_eq!(answer["approval_required"]["request_id"], answer["entry"]["id"]);
    assert_eq!(answer["approval_required"]["requested_by"], "alice");
    assert_eq!(provider.found(&json!({"query": "moon"})), [""; 0]);
    let wanted = json!({
        "entry": {"content": "We move to Ghent"},
        "governance": {"require_approval": true},
    });
    assert_eq!(provider.ask("POST", "/create", &wanted).json()["status"], "pending_approval");
    let episode = json!({
        "entry": {"content": "We met", "kind": "episode"},
        "governance": {"require_approval": true},
    });
    provider.refused(("POST", "/create"), &episode, 422, "UNSUPPORTED");
}

#[test]
fn a_change_is_made_to_the_version_that_was_read() {
    let provider = Provider::new();
    let entry = provider.keep(&json!({"content": "Tea is black", "metadata": {"title": "Tea"}}));
    let path = named(&entry);
    let green = json!({"entry": {"content": "Tea is green"}});
    let answer = provider.ask_with("PUT", &path, &[("if-match", "\"1\"")], &green);
    assert_eq!((answer.status, answer.headers["etag"].as_str()), (200, "\"2\""));
    let written = answer.json();
    assert_eq!(written["status"], "updated");
    assert_eq!(written["entry"]["metadata"]["title"], "Tea", "what is not sent stays");
    let late = provider.ask_with("PUT", &path, &[("if-match", "\"1\"")], &green);
    assert_eq!((late.status, late.code().as_str()), (412, "CONFLICT"));
    let public = json!({"entry": {"access_policy": "public", "metadata": {"title": null}}});
    let changed = provider.ask("PUT", &path, &public).json();
    assert_eq!(changed["entry"]["access_policy"], "public");
    assert_eq!(changed["entry"]["metadata"].get("title"), None);
    let late = provider.ask_with("DELETE", &path, &[("if-match", "\"1\"")], &Value::Null);
    assert_eq!(late.status, 412, "{}", late.body);
    let gone = provider.ask_with("DELETE", &path, &[("if-match", "\"3\"")], &Value::Null);
    assert_eq!((gone.status, &gone.json()["deleted"]), (200, &json!(true)), "{}", gone.body);
    assert_eq!(gone.json()["entry_id"], entry["id"]);
    assert!(gone.json()["receipt"]["audit_sequence"].is_u64());
    provider.refused(("DELETE", &path), &Value::Null, 404, "MEMORY_NOT_FOUND");
    provider.refused(("PUT", &path), &green, 404, "MEMORY_NOT_FOUND");
}

#[test]
fn a_removal_is_for_good_or_refused() {
    let provider = Provider::new();
    let path = named(&provider.keep(&json!({"content": "Tea is black"})));
    let soft = json!({"options": {"hard_delete": false}});
    provider.refused(("DELETE", &path), &soft, 422, "UNSUPPORTED");
    let asking = json!({"options": {"governance": {"require_approval": true}}});
    provider.refused(("DELETE", &path), &asking, 422, "UNSUPPORTED");
    let hard = json!({"options": {"hard_delete": true, "governance": {"reason": "stale"}}});
    let gone = provider.ask("DELETE", &path, &hard);
    assert_eq!(gone.status, 200, "{}", gone.body);
    assert_eq!(gone.json()["ignored"], json!(["options.governance.reason"]));
    assert_eq!(provider.found(&json!({"query": "tea"})), [""; 0]);
}

#[test]
fn metadata_is_read_without_the_text() {
    let provider = Provider::new();
    let entry = provider.keep(&json!({
        "content": "Tea is black",
        "metadata": {"author": "Ada", "shelf": 3},
    }));
    let path = named(&entry);
    provider.ask("PUT", &path, &json!({"entry": {"content": "Tea is green"}}));
    let answer = provider.ask("GET", &format!("{path}/metadata"), &Value::Null);
    let version =
        |version: u64| json!({"version": version, "created_at": "TIME", "created_by": "Ada"});
    let expected = json!({
        "entry_id": "ID",
        "metadata": {"author": "Ada", "tags": [], "custom": {"shelf": 3}},
        "source": {"type": "manual", "identifier": "ID", "from_external_content": false},
        "version_history": [version(1), version(2)],
    });
    assert_eq!(answer.steady(), expected);
    assert!(!answer.body.contains("Tea"));
    let path = format!("{path}/metadata?include_custom=false");
    let plain = provider.ask("GET", &path, &Value::Null).json();
    assert_eq!(plain["metadata"].get("custom"), None);
}

#[test]
fn filters_mean_what_they_say() {
    let provider = Provider::new();
    provider.keep(&json!({"content": "tea one", "metadata": {"author": "Ada", "tags": ["hot"]}}));
    provider.keep(&json!({"content": "tea two", "access_policy": "public"}));
    provider.keep(&json!({
        "content": "tea three",
        "kind": "episode",
        "source": {"type": "git_repository", "identifier": "r"},
        "metadata": {"custom": {"shelf": 3}},
    }));
    provider.fixture.wait(jiff::SignedDuration::from_hours(1));
    provider.keep(&json!({"content": "tea four"}));
    let check = |filters: Value, expected: &[&str]| {
        let found = provider.found(&json!({"query": "tea", "filters": filters}));
        let found: BTreeSet<&str> = found.iter().map(|text| &text["tea ".len()..]).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{filters}");
    };
    check(json!({}), &["one", "two", "three", "four"]);
    check(json!({"author": "Ada"}), &["one"]);
    check(json!({"tags": ["hot", "cold"]}), &["one"]);
    check(json!({"access_policy": "public"}), &["two"]);
    check(json!({"source_type": "git_repository"}), &["three"]);
    check(json!({"source_type": "knowledge_sync"}), &["three"]);
    check(json!({"source_type": "manual"}), &["one", "two", "four"]);
    check(json!({"custom_filters": {"shelf": 3}}), &["three"]);
    check(json!({"created_after": "2026-03-01T12:30:00Z"}), &["four"]);
    check(json!({"created_before": "2026-03-01T12:30:00Z"}), &["one", "two", "three"]);
    let asked = |filters: Value| json!({"query": "tea", "filters": filters});
    let query = ("POST", "/query");
    provider.refused(query, &asked(json!({"created_after": "today"})), 400, "INVALID_INPUT");
    provider.refused(query, &asked(json!({"source_type": "rumour"})), 400, "INVALID_INPUT");
    provider.refused(query, &asked(json!({"access_policy": "secret"})), 400, "INVALID_INPUT");
}

#[test]
fn a_query_can_be_about_an_earlier_moment() {
    let provider = Provider::new();
    let entry = provider.keep(&json!({"content": "Tea is black"}));
    provider.fixture.wait(jiff::SignedDuration::from_hours(1));
    provider.ask("PUT", &named(&entry), &json!({"entry": {"content": "Tea is green"}}));
    let asked = |options: Value| json!({"query": "tea", "options": options});
    assert_eq!(provider.found(&asked(json!({}))), ["Tea is green"]);
    let then = "2026-03-01T12:30:00Z";
    assert_eq!(provider.found(&asked(json!({"as_of": then}))), ["Tea is black"]);
    assert_eq!(provider.found(&asked(json!({"valid_at": then}))), ["Tea is green"]);
    let before = "2026-03-01T11:30:00Z";
    assert!(provider.found(&asked(json!({"as_of": before}))).is_empty());
    assert!(provider.found(&asked(json!({"valid_at": before}))).is_empty());
    let soon = asked(json!({"as_of": "soon"}));
    provider.refused(("POST", "/query"), &soon, 400, "INVALID_INPUT");
}

#[test]
fn a_query_is_answered_in_pages_and_explained() {
    let provider = Provider::new();
    for number in 0..5 {
        let content = format!("Tea number {number} is kept here. Something else is said too.");
        provider.keep(&json!({"content": content}));
    }
    let asked = |options: Value| json!({"query": "tea number", "options": options});
    let all = provider.found(&asked(json!({})));
    assert_eq!(all.len(), 5);
    assert_eq!(provider.found(&asked(json!({"limit": 2, "offset": 1}))), all[1..3]);
    assert_eq!(provider.found(&asked(json!({"top_k": 2, "offset": 1}))), all[1..2]);
    let answer = provider.query(&asked(json!({"limit": 1, "explain": true})));
    let result = &answer["results"][0];
    let highlight = result["highlight"]["content"][0].as_str().unwrap();
    assert!(highlight.starts_with("Tea number") && !highlight.contains("else"), "{highlight}");
    assert!(!result["signals"]["explanation"].as_array().unwrap().is_empty());
    assert_eq!(answer["metadata"]["layers_queried"], json!(["user"]));
    assert_eq!(answer["metadata"]["total_results"], 5);
    assert!(answer["metadata"]["execution_time_ms"].is_u64());
    assert!(answer["query_id"].is_string());
    let bare = provider.query(&asked(json!({"include_content": false})));
    assert!(!bare.to_string().contains("kept here"));
    assert_eq!(bare["results"][0].get("signals"), None);
    let query = ("POST", "/query");
    for options in [
        json!({"distance_metric": "euclidean"}),
        json!({"distance_metric": "dot"}),
        json!({"include_embeddings": true}),
    ] {
        provider.refused(query, &asked(options), 422, "UNSUPPORTED");
    }
    for options in [json!({"limit": 0}), json!({"limit": 1_001}), json!({"distance_threshold": 3})]
    {
        provider.refused(query, &asked(options), 400, "INVALID_INPUT");
    }
}

#[test]
fn layers_and_kinds_narrow_a_query() {
    let provider = Provider::new();
    provider.keep(&json!({"content": "tea fact"}));
    provider.keep(&json!({"content": "tea episode", "kind": "episode"}));
    provider.keep(&json!({
        "content": "tea project",
        "layer": "project",
        "identifiers": {"project_id": "p"},
    }));
    let check = |layer: Value, expected: &[&str]| {
        let found = provider.found(&json!({"query": "tea", "layer": layer}));
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{layer}");
    };
    check(json!({}), &["tea fact", "tea episode"]);
    check(json!({"identifiers": {"projectId": "p"}}), &["tea fact", "tea episode", "tea project"]);
    check(json!({"types": ["project"], "identifiers": {"project_id": "p"}}), &["tea project"]);
    check(json!({"types": ["user", "semantic"]}), &["tea fact"]);
    check(json!({"types": ["episodic"]}), &["tea episode"]);
    check(json!({"types": ["archival"]}), &[]);
    let bobs = json!({"query": "tea", "layer": {"user_id": "bob"}});
    provider.refused(("POST", "/query"), &bobs, 403, "UNAUTHORIZED");
}

#[test]
fn the_same_key_makes_the_same_request_once() {
    let provider = Provider::new();
    let key = [("idempotency-key", "k1")];
    let tea = json!({"entry": {"content": "Tea is black", "kind": "episode"}});
    let first = provider.ask_with("POST", "/create", &key, &tea).json();
    let again = provider.ask_with("POST", "/create", &key, &tea).json();
    assert_eq!(first["entry"]["id"], again["entry"]["id"]);
    let other = json!({"entry": {"content": "Tea is green", "kind": "episode"}});
    assert_eq!(provider.ask_with("POST", "/create", &key, &other).status, 409);
}

#[test]
fn a_batch_answers_for_every_entry() {
    let provider = Provider::new();
    let batch = |operation: &str, entries: Value, go_on: bool| {
        let options = json!({"continue_on_error": go_on});
        let body = json!({"operation": operation, "entries": entries, "options": options});
        let answer = provider.ask("POST", "/batch", &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };
    let statuses = |answer: &Value| -> Vec<String> {
        let items = answer["results"]["items"].as_array().unwrap();
        items.iter().map(|item| item["status"].as_str().unwrap().to_owned()).collect()
    };
    let entry = |content: &str| json!({"entry": {"content": content}});
    let three = json!([entry("tea one"), entry(""), entry("tea three")]);
    let stopped = batch("create", three.clone(), false);
    assert_eq!(statuses(&stopped), ["created", "failed"]);
    assert_eq!(stopped["status"], "failed");
    let completed = batch("create", three, true);
    assert_eq!(statuses(&completed), ["created", "failed", "created"]);
    assert_eq!(completed["status"], "completed");
    assert_eq!(completed["results"]["succeeded"], 2);
    assert_eq!(completed["results"]["failed"], 1);
    assert_eq!(completed["results"]["errors"][0]["index"], 1);
    assert_eq!(completed["results"]["errors"][0]["error"]["code"], "INVALID_INPUT");
    let id = completed["results"]["items"][0]["entry_id"].clone();
    let changed = batch("update", json!([{"id": id, "entry": {"content": "tea two"}}]), false);
    assert_eq!(statuses(&changed), ["updated"]);
    assert_eq!(changed["results"]["items"][0]["etag"], "\"2\"");
    let late = json!([{"entry": {"id": id, "etag": "\"1\"", "content": "tea"}}]);
    assert_eq!(statuses(&batch("update", late, false)), ["failed"]);
    let upserted = json!([
        {"id": id, "entry": {"content": "tea four"}},
        {"id": "fact_00000000000000000000000000000000", "entry": {"content": "tea five"}},
        {"entry": {"content": "tea six"}},
    ]);
    assert_eq!(statuses(&batch("upsert", upserted, false)), ["updated", "created", "created"]);
    let late = json!([{"id": id, "etag": "\"1\""}]);
    assert_eq!(statuses(&batch("delete", late, false)), ["failed"]);
    let removed = batch("delete", json!([{"id": id}, {"id": id}]), true);
    assert_eq!(statuses(&removed), ["deleted", "failed"]);
    assert_eq!(removed["results"]["errors"][0]["error"]["code"], "MEMORY_NOT_FOUND");
    let found: BTreeSet<String> = provider.found(&json!({"query": "tea"})).into_iter().collect();
    assert_eq!(found, ["tea three", "tea five", "tea six"].map(str::to_owned).into());
    let many = json!({"operation": "create", "entries": vec![entry("x"); 1_001]});
    provider.refused(("POST", "/batch"), &many, 400, "INVALID_INPUT");
}

#[test]
fn what_is_anothers_is_not_there() {
    let provider = Provider::new();
    let bob = Served::locally(&provider.fixture.engine, "bob");
    let body = json!({"entry": {"content": "Bob takes milk"}});
    let bobs = bob.ask("POST", &format!("{BASE}/create"), &body).json()["entry"].clone();
    let path = named(&bobs);
    provider.refused(("PUT", &path), &body, 404, "MEMORY_NOT_FOUND");
    provider.refused(("DELETE", &path), &Value::Null, 404, "MEMORY_NOT_FOUND");
    provider.refused(("GET", &format!("{path}/metadata")), &Value::Null, 404, "MEMORY_NOT_FOUND");
    let conditional = provider.ask_with("DELETE", &path, &[("if-match", "\"1\"")], &Value::Null);
    assert_eq!(conditional.status, 404, "its version is not told either");
    let taken = json!({"operation": "delete", "entries": [{"id": bobs["id"]}]});
    let answer = provider.ask("POST", "/batch", &taken).json();
    assert_eq!(answer["results"]["errors"][0]["error"]["code"], "MEMORY_NOT_FOUND");
    assert_eq!(provider.found(&json!({"query": "milk"})), [""; 0]);
    assert_eq!(bob.ask("GET", &format!("{BASE}{path}/metadata"), &Value::Null).status, 200);
}

#[test]
fn bad_input_is_refused_and_keeps_nothing() {
    let provider = Provider::new();
    for body in [
        json!({}),
        json!({"entry": {}}),
        json!({"entry": {"content": 7}}),
        json!({"entry": {"content": "x", "surprise": 1}}),
        json!({"entry": {"content": "x", "kind": "procedure"}}),
        json!({"entry": {"content": "x", "kind": "episode"}, "options": {"layer": {"type": "semantic"}}}),
        json!({"entry": {"content": "x", "metadata": {"confidence": 2}}}),
        json!({"entry": {"content": "x", "source": {"type": "rumour"}}}),
        json!({"entry": {"content": "x", "access_policy": "secret"}}),
        json!({"entry": {"content": "x", "expires_at": "soon"}}),
    ] {
        provider.refused(("POST", "/create"), &body, 400, "INVALID_INPUT");
    }
    let long = json!({"entry": {"content": "x".repeat(300_000)}});
    provider.refused(("POST", "/create"), &long, 413, "CONTENT_TOO_LONG");
    let long = json!({"query": "x".repeat(20_000)});
    provider.refused(("POST", "/query"), &long, 413, "QUERY_TOO_LONG");
    for path in ["/*", "/null", "/%00", "/fact_1"] {
        let change = json!({"entry": {"content": "x"}});
        provider.refused(("PUT", path), &change, 404, "MEMORY_NOT_FOUND");
    }
    assert!(provider.fixture.kept("alice").is_empty());
}

#[test]
fn every_operation_is_documented_once() {
    let document = http::document();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|path| path.as_object().unwrap().values());
    let names: Vec<&str> =
        operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    let own = paths.keys().filter(|path| path.starts_with(BASE)).count();
    // Update and delete share a path.
    assert_eq!(own, 7);
    assert!(!paths.keys().any(|path| path.starts_with("/api/")));
    for path in ["/v1/stream", "/openspec/v1/knowledge/stream"] {
        let content = &paths[path]["get"]["responses"]["200"]["content"];
        assert!(content["text/event-stream"].is_object(), "{path}");
    }
}
