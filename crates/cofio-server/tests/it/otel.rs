//! What a collector of OpenTelemetry is sent, and what never is.

mod collector;

use std::collections::BTreeSet;
use std::net::TcpListener;

use cofio_server::Telemetry;
use cofio_server::http::Service;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::logs::ask_everything;
use crate::served::{Served, locally};
use collector::{Collector, attribute};

/// Where a caller stands.
const TRACE: u128 = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c;
const SPAN: u64 = 0xb7ad_6b71_6920_3331;

/// Serves a user whose name no span may contain, and sends spans somewhere.
fn served(fixture: &Fixture, endpoint: &str) -> Served {
    let telemetry = Some(Telemetry::to(endpoint).unwrap());
    Served::start(Service { telemetry, mem0: true, ..locally(&fixture.engine, "canary-user") })
}

/// Returns the spans of what is asked, in the order in which they ended, and checks that nothing is
/// in them that somebody wrote.
fn spans(ask: impl FnOnce(&Served)) -> Vec<Span> {
    let (fixture, collector) = (Fixture::new(), Collector::answering(200));
    let served = served(&fixture, &collector.endpoint);
    ask(&served);
    served.end();
    let bodies = collector.bodies();
    for body in &bodies {
        let text = String::from_utf8_lossy(body).to_lowercase();
        assert!(!text.contains("canary"), "{text}");
    }
    collector::spans(&bodies)
}

fn names(spans: &[Span]) -> Vec<&str> {
    spans.iter().map(|span| span.name.as_str()).collect()
}

/// Checks the attributes of a span whose names begin alike, in the order of their names.
fn check(span: &Span, prefix: &str, expected: &[(&str, &str)]) {
    let names = span.attributes.iter().map(|attribute| attribute.key.as_str());
    let names: BTreeSet<&str> = names.filter(|name| name.starts_with(prefix)).collect();
    let found: Vec<(&str, String)> =
        names.into_iter().map(|name| (name, attribute(span, name).unwrap())).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (*name, &value[..])).collect();
    assert_eq!(found, expected, "{}", span.name);
}

fn trace(span: &Span) -> u128 {
    u128::from_be_bytes(span.trace_id[..].try_into().unwrap())
}

fn parent(span: &Span) -> u64 {
    u64::from_be_bytes(span.parent_span_id[..].try_into().unwrap())
}

/// Returns the header of a caller who is told of, or is not.
fn traceparent(flags: &str) -> String {
    format!("00-{TRACE:032x}-{SPAN:016x}-{flags}")
}

#[test]
fn a_request_is_a_span_below_the_callers_and_what_it_does_to_memories_one_below_it() {
    let mut id = String::new();
    let spans = spans(|served| {
        let caller = traceparent("01");
        let headers = [("traceparent", caller.as_str()), ("x-request-id", "mine-1")];
        let body = json!({"content": "Canary tea is black", "layer": "user"});
        let made = served.ask_with("POST", "/v1/memories", &headers, &body);
        made.json()["memory"]["id"].as_str().unwrap().clone_into(&mut id);
        let missing = "/v1/memories/fact_00000000000070008000000000000000";
        served.ask("DELETE", missing, &Value::Null);
        served.ask("GET", "/nowhere", &Value::Null);
    });
    let expected =
        ["create_memory", "POST /v1/memories", "delete_memory", "DELETE /v1/memories/{id}", "GET"];
    assert_eq!(names(&spans), expected);

    let (memory, request) = (&spans[0], &spans[1]);
    for span in [memory, request] {
        assert_eq!(trace(span), TRACE);
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
    }
    assert_eq!(parent(request), SPAN);
    assert_eq!(memory.parent_span_id, request.span_id);
    assert_eq!((request.kind(), memory.kind()), (SpanKind::Server, SpanKind::Internal));
    let http = [
        ("http.request.method", "POST"),
        ("http.response.header.x-request-id", "mine-1"),
        ("http.response.status_code", "201"),
        ("http.route", "/v1/memories"),
    ];
    check(request, "http.", &http);
    assert_eq!(attribute(request, "url.scheme").as_deref(), Some("http"));
    let memories = [
        ("cofio.memory.layer", "user"),
        ("gen_ai.memory.record.count", "1"),
        ("gen_ai.memory.record.id", id.as_str()),
        ("gen_ai.memory.store.id", "cofio"),
        ("gen_ai.operation.name", "create_memory"),
    ];
    check(memory, "", &memories);

    let (memory, request) = (&spans[2], &spans[3]);
    assert_ne!(trace(request), TRACE);
    assert!(request.parent_span_id.is_empty());
    assert_eq!(memory.parent_span_id, request.span_id);
    assert_eq!(attribute(memory, "error.type").as_deref(), Some("MEMORY_NOT_FOUND"));
    assert_eq!(memory.status.as_ref().unwrap().code(), StatusCode::Error);
    // What a client did wrong is no error of the server.
    assert_eq!(attribute(request, "http.response.status_code").as_deref(), Some("404"));
    assert_eq!(attribute(request, "error.type"), None);
    assert!(request.status.as_ref().is_none_or(|status| status.code() == StatusCode::Unset));
    assert_eq!(attribute(&spans[4], "http.route"), None);
}

#[test]
fn every_door_tells_what_is_done_to_memories() {
    let filters = json!({"user_id": "canary-user"});
    let message = json!([{"role": "user", "content": "Canary Rome is old"}]);
    let spans = spans(|served| {
        let ask = |method: &str, path: &str, body: Value| {
            let answer = served.ask(method, path, &body);
            assert!(answer.status < 300, "{path}: {}", answer.body);
            answer.json()
        };
        let two = json!({"memories": [
            {"content": "Canary tea is black", "layer": "user"},
            {"content": "Canary milk is white", "layer": "user"},
        ]});
        let made = ask("POST", "/v1/memories/bulk", two);
        let id = made["results"][0]["memory"]["id"].as_str().unwrap();
        ask("PATCH", &format!("/v1/memories/{id}"), json!({"content": "Canary tea is green"}));
        ask("POST", "/v1/search", json!({"query": "canary tea milk"}));
        ask("POST", "/v1/forget", json!({"ids": [id], "dryRun": true}));
        ask("POST", "/v1/forget", json!({"layers": ["user"]}));
        ask("GET", "/v1/memories", Value::Null);
        let entries = json!([{"entry": {"content": "Canary Oslo is north", "layer": "user"}}]);
        let batch = json!({"operation": "upsert", "entries": entries});
        ask("POST", "/openspec/v1/knowledge/batch", batch);
        ask("POST", "/openspec/v1/knowledge/query", json!({"query": "canary oslo"}));
        let add = json!({"messages": message, "user_id": "canary-user", "infer": false});
        ask("POST", "/v3/memories/add/", add);
        ask("POST", "/v3/memories/search/", json!({"query": "canary rome", "filters": filters}));
        ask("DELETE", "/v1/memories/?user_id=canary-user", Value::Null);
    });
    let told: Vec<(&str, Option<String>)> = spans
        .iter()
        .filter(|span| span.kind() == SpanKind::Internal)
        .map(|span| (span.name.as_str(), attribute(span, "gen_ai.memory.record.count")))
        .collect();
    let count = |count: usize| Some(count.to_string());
    let expected = [
        ("create_memory", count(2)),
        ("update_memory", count(1)),
        ("search_memory", count(2)),
        ("delete_memory", None),
        ("upsert_memory", count(1)),
        ("search_memory", count(1)),
        ("create_memory", count(1)),
        ("search_memory", count(2)),
        ("delete_memory", None),
    ];
    assert_eq!(told, expected);
    let requests = spans.iter().filter(|span| span.kind() == SpanKind::Server);
    assert_eq!(requests.count(), 11);
}

#[test]
fn what_models_have_done_is_told_too() {
    let caller = traceparent("01");
    let spans = spans(|served| {
        let call = |name: &str, arguments: Value| {
            served.call_tool(&[("traceparent", caller.as_str())], name, &arguments);
        };
        call("remember", json!({"content": "Canary tea is black"}));
        call("search", json!({"query": "tea"}));
        call("inspect", json!({"what": "stats"}));
        call("forget", json!({"limit": "many"}));
    });
    let mut tools: Vec<&Span> =
        spans.iter().filter(|span| span.kind() == SpanKind::Internal).collect();
    tools.sort_by_key(|span| span.start_time_unix_nano);
    let told = tools.iter().map(|span| (span.name.as_str(), attribute(span, "gen_ai.tool.name")));
    let tool = |name: &str| Some(name.to_owned());
    let expected = [
        ("create_memory", tool("remember")),
        ("search_memory", tool("search")),
        ("execute_tool inspect", tool("inspect")),
        ("execute_tool forget", tool("forget")),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(attribute(tools[3], "error.type").as_deref(), Some("INVALID_INPUT"));
    for tool in tools {
        let request = spans.iter().find(|span| span.span_id == tool.parent_span_id).unwrap();
        assert_eq!((request.name.as_str(), parent(request)), ("POST /mcp", SPAN));
        assert_eq!(trace(tool), TRACE);
    }
}

#[test]
fn a_caller_who_is_not_sampled_is_left_out() {
    let spans = spans(|served| {
        let caller = traceparent("00");
        let headers = [("traceparent", caller.as_str())];
        served.ask_with("POST", "/v1/search", &headers, &json!({"query": "tea"}));
        served.ask_with("GET", "/healthz", &[("traceparent", "canary")], &Value::Null);
    });
    assert_eq!(names(&spans), ["GET /healthz"]);
}

#[test]
fn nothing_of_what_is_asked_is_sent() {
    let mut asked = 0;
    let spans = spans(|served| asked = ask_everything(served));
    let requests = spans.iter().filter(|span| span.kind() == SpanKind::Server);
    assert_eq!(requests.count(), asked);
}

/// Checks that requests are answered and the server ends, whatever the collector does.
fn check_unmoved(endpoint: &str) {
    let fixture = Fixture::new();
    let served = served(&fixture, endpoint);
    // More than are sent at once, so that somebody has tried before the end.
    for _ in 0..300 {
        assert_eq!(served.ask("POST", "/v1/search", &json!({"query": "tea"})).status, 200);
    }
    served.end();
}

#[test]
fn a_collector_that_is_gone_refuses_or_says_nothing_changes_nothing() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    check_unmoved(&format!("http://{gone}/v1/traces"));
    let refusing = Collector::answering(500);
    check_unmoved(&refusing.endpoint);
    assert!(!refusing.bodies().is_empty());
    check_unmoved(&Collector::silent().endpoint);
}

#[test]
fn an_address_that_is_none_is_refused() {
    let refused = Telemetry::to("http://[").unwrap_err();
    assert_eq!(refused.kind(), cofio::ErrorKind::Configuration);
}
