//! What Prometheus is told.

use cofio::lifecycle::schedule::Timetable;
use cofio::model::{Bound, Caller, KeyDraft, Layer, Right, Rights, Task};
use cofio_server::http::Service;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use pollster::block_on;
use serde_json::{Value, json};

use crate::fixture::{Fixture, named};
use crate::served::{Served, locally};

/// Returns the value of one line, which begins with a name and its labels.
fn value(page: &str, name: &str) -> Option<f64> {
    let line =
        page.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok())
}

fn scrape(served: &Served) -> String {
    let answer = served.ask("GET", "/metrics", &Value::Null);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let media_type = &answer.headers["content-type"];
    assert!(media_type.starts_with("application/openmetrics-text; version=1.0.0"), "{media_type}");
    answer.body
}

#[test]
fn operations_errors_times_and_what_is_kept_are_counted() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    for content in ["Tea is black", "Coffee is black too"] {
        let body = json!({"content": content, "layer": "user"});
        assert_eq!(served.ask("POST", "/v1/memories", &body).status, 201);
    }
    served.ask("GET", "/v1/memories?layer=user", &Value::Null);
    served.ask("GET", "/v1/memories?layer=user&layer=project&projectId=x", &Value::Null);
    served.ask("GET", "/v1/memories/fact_nothing", &Value::Null);
    served.ask("POST", "/v1/search", &json!({"query": "black", "layers": ["user"]}));
    served.ask("POST", "/openspec/v1/knowledge/query", &json!({"query": "coffee"}));
    served.ask("POST", "/v1/memories", &json!({"content": "x", "layer": "moon"}));
    let page = scrape(&served);
    let check = |name: &str, expected: f64| {
        assert_eq!(value(&page, name), Some(expected), "{name} in\n{page}");
    };
    check(r#"memory_operations_total{operation="createMemory",layer="user"}"#, 2.0);
    check(r#"memory_operations_total{operation="createMemory",layer="any"}"#, 1.0);
    check(r#"memory_operations_total{operation="listMemories",layer="user"}"#, 1.0);
    check(r#"memory_operations_total{operation="listMemories",layer="any"}"#, 1.0);
    check(r#"memory_operation_errors_total{code="MEMORY_NOT_FOUND"}"#, 1.0);
    check(r#"memory_operation_errors_total{code="INVALID_LAYER"}"#, 1.0);
    check(r#"memory_operation_duration_seconds_count{operation="createMemory"}"#, 3.0);
    check(r#"memory_entries{layer="user",kind="fact"}"#, 2.0);
    check("cofio_pending_embeddings", 2.0);
    check(r#"memory_operations_total{operation="searchMemories",layer="user"}"#, 1.0);
    check("memory_search_results_count", 2.0);
    check("memory_search_results_sum", 3.0);
    check(r#"cofio_http_requests_total{class="2xx"}"#, 6.0);
    check(r#"cofio_http_requests_total{class="4xx"}"#, 2.0);
    // The one that asks.
    check("cofio_http_requests_in_flight", 1.0);
    for idle in ["store_writes_waiting", "store_reads_waiting", "jobs_running", "streams_open"] {
        check(&format!("cofio_{idle}"), 0.0);
    }
    assert!(page.ends_with("# EOF\n"), "{page}");
}

#[test]
fn what_models_have_done_is_counted_too() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    served.call_tool(&[], "remember", &json!({"content": "Tea is black"}));
    served.call_tool(&[], "search", &json!({"query": "tea"}));
    served.call_tool(&[], "search", &json!({"query": "coffee", "layer": "user"}));
    served.call_tool(&[], "search", &json!({"limit": "many"}));
    let page = scrape(&served);
    let check = |name: &str, expected: f64| {
        assert_eq!(value(&page, name), Some(expected), "{name} in\n{page}");
    };
    check(r#"memory_operations_total{operation="remember",layer="user"}"#, 1.0);
    check(r#"memory_operations_total{operation="search",layer="any"}"#, 2.0);
    check(r#"memory_operations_total{operation="search",layer="user"}"#, 1.0);
    check(r#"memory_search_results_bucket{le="0.0"}"#, 1.0);
    check(r#"memory_search_results_bucket{le="1.0"}"#, 2.0);
    check("memory_search_results_count", 2.0);
    check(r#"memory_operation_errors_total{code="INVALID_INPUT"}"#, 1.0);
}

#[test]
fn what_every_dialect_finds_is_counted() {
    let fixture = Fixture::new();
    let served = Served::start(Service { mem0: true, ..locally(&fixture.engine, "alice") });
    let body = json!({"content": "Tea is black", "layer": "user"});
    assert_eq!(served.ask("POST", "/v1/memories", &body).status, 201);
    let mem0 = json!({"query": "tea", "filters": {"user_id": "alice"}});
    for (path, body) in [
        ("/v1/search", json!({"query": "tea"})),
        ("/openspec/v1/knowledge/query", json!({"query": "tea"})),
        ("/v3/memories/search/", mem0),
    ] {
        assert_eq!(served.ask("POST", path, &body).status, 200, "{path}");
    }
    let page = scrape(&served);
    assert_eq!(value(&page, "memory_search_results_count"), Some(3.0), "{page}");
    assert_eq!(value(&page, "memory_search_results_sum"), Some(3.0), "{page}");
}

#[test]
fn nothing_that_somebody_sends_becomes_a_label() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "canary-user");
    let canary = "canary7f3a";
    let body = json!({"content": canary, "layer": "user", "identifiers": {"sessionId": canary}});
    served.ask("POST", "/v1/memories", &body);
    served.ask("POST", "/v1/memories", &json!({"content": canary, "layer": canary}));
    served.ask("GET", &format!("/v1/memories/{canary}"), &Value::Null);
    served.ask("GET", &format!("/{canary}?{canary}={canary}"), &Value::Null);
    served.ask("CANARY7F3A", "/v1/memories", &Value::Null);
    served.ask_with("GET", "/v1/memories", &[("authorization", "Bearer canary7f3a")], &Value::Null);
    let page = scrape(&served);
    assert!(!page.to_lowercase().contains("canary"), "{page}");
    assert_eq!(value(&page, r#"cofio_http_requests_total{class="5xx"}"#), None);
}

#[test]
fn how_the_latest_maintenance_went_is_told_from_the_ledger() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let memory = json!({"content": "Tea is black", "layer": "user"});
    served.ask("POST", "/v1/memories", &memory);
    fixture.wait(SignedDuration::from_hours(31 * 24));
    let keeper = Caller::keeper(named("cofio-serve"));
    let nightly = Timetable::new([(Task::Decay, "0 4 * * *")], &TimeZone::UTC, "store").unwrap();
    assert_eq!(block_on(fixture.engine.maintain_due(&keeper, &nightly)).unwrap().len(), 1);
    for task in ["decay", "reflect"] {
        served.ask("POST", "/v1/maintenance", &json!({ "task": task }));
    }
    let page = scrape(&served);
    let maintenance = |name: &str| value(&page, &format!("cofio_maintenance_{name}"));
    let check = |name: &str, expected: f64| {
        assert_eq!(maintenance(name), Some(expected), "{name} in\n{page}");
    };
    check(r#"last_state{task="decay",state="completed"}"#, 1.0);
    check(r#"last_state{task="decay",state="failed"}"#, 0.0);
    check(r#"jobs{task="decay",state="completed"}"#, 2.0);
    check(r#"jobs{task="reflect",state="completed"}"#, 1.0);
    check(r#"last_count{task="decay",what="updated"}"#, 0.0);
    check(r#"last_count{task="reflect",what="looked_at"}"#, 0.0);
    let started = maintenance(r#"last_start_timestamp_seconds{task="decay"}"#).unwrap();
    assert!(started > 1_775_000_000.0, "{started}");
    assert!(maintenance(r#"last_duration_seconds{task="decay"}"#).unwrap() > 0.0, "{page}");
    assert!(maintenance(r#"last_lag_seconds{task="decay"}"#).unwrap() > 3_600.0, "{page}");
    assert_eq!(maintenance(r#"last_lag_seconds{task="reflect"}"#), None, "it had no time");
    assert_eq!(maintenance(r#"jobs{task="merge",state="completed"}"#), None, "it never ran");
    assert!(!page.contains("alice") && !page.contains("cofio-serve"), "{page}");
}

/// Makes a key with rights, and returns the header that shows it.
fn key(fixture: &Fixture, seed: u8, bound: Bound, rights: &[Right]) -> String {
    let draft = KeyDraft { rights: Rights::of(rights), ..KeyDraft::new("a key", bound) };
    let keeper = Caller::keeper(named("keeper"));
    let (_, token) = block_on(fixture.engine.create_key(&keeper, draft, [seed; 32])).unwrap();
    format!("Bearer {}", token.expose())
}

#[test]
fn where_there_are_keys_one_must_be_allowed_to_administer() {
    let fixture = Fixture::new();
    let administrator = key(&fixture, 1, Bound::default(), &[Right::Admin]);
    let alice = Bound::default().with(Layer::User, named("alice"));
    let user = key(&fixture, 2, alice, &[Right::Read, Right::Write, Right::Delete]);
    let served = Served::locally(&fixture.engine, "alice");
    let status =
        |headers: &[(&str, &str)]| served.ask_with("GET", "/metrics", headers, &Value::Null).status;
    assert_eq!(status(&[]), 401);
    assert_eq!(status(&[("authorization", &administrator)]), 200);
    // What was counted for somebody else is not shown either.
    assert_eq!(status(&[("authorization", &user)]), 403);
    assert_eq!(status(&[]), 401);
}
