//! Whatever is sent is answered in order, and nothing of it is allocated or done before it is checked.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::num::NonZeroU32;
use std::time::Duration;

use cofio_server::http::{Limits, Service};

use super::*;

/// A server with small limits, for whoever is at this machine.
fn narrow(limits: Limits) -> (Fixture, Served) {
    let fixture = Fixture::new();
    let service = Service { limits, ..locally(&fixture.engine, "alice") };
    (fixture, Served::start(service))
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let (_fixture, served) = narrow(Limits { body_bytes: 10_000, ..Limits::default() });
    let large = json!({ "layer": "user", "content": "x".repeat(20_000) });
    let answer = served.ask("POST", "/v1/memories", &large);
    assert_eq!((answer.status, answer.code().as_str()), (413, "CONTENT_TOO_LONG"));
    // The length is enough to refuse it: nothing more is ever sent.
    let head = served.written("POST", "/v1/memories", &[("content-length", "1000000000000")], "");
    assert_eq!(served.send(&head).status, 413);
    let chunked = served
        .written("POST", "/v1/memories", &[("transfer-encoding", "chunked")], "")
        .replace("content-length: 0\r\n", "");
    let pieces: String =
        std::iter::repeat_n("400\r\n".to_owned() + &"x".repeat(1024) + "\r\n", 20).collect();
    assert_eq!(served.send(&(chunked + &pieces + "0\r\n\r\n")).status, 413);
}

#[test]
fn whoever_still_sends_is_told_why_it_is_refused() {
    let (_fixture, served) = narrow(Limits::default());
    let large = json!({ "layer": "user", "content": "fern ".repeat(1_000_000) });
    let request = served.written("POST", "/v1/memories", &[], &large.to_string());
    let mut stream = TcpStream::connect(served.address).unwrap();
    // Many clients look at no answer before they have sent everything.
    stream.write_all(request.as_bytes()).expect("everything is taken");
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).unwrap();
    assert_eq!(&begin, b"HTTP/1.1 413");
}

#[test]
fn only_what_brings_many_things_may_be_large() {
    let (_fixture, served) = narrow(Limits { document_bytes: 10_000, ..Limits::default() });
    let memory = json!({ "layer": "user", "content": "fern ".repeat(4_000) });
    let answer = served.ask("POST", "/v1/memories", &memory);
    assert_eq!((answer.status, answer.code().as_str()), (413, "CONTENT_TOO_LONG"));
    let head = served.written("POST", "/v1/search", &[("content-length", "20000")], "");
    assert_eq!(served.send(&head).status, 413);
    let answer = served.ask("POST", "/v1/memories/bulk", &json!({ "memories": [memory] }));
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn bodies_take_no_more_room_together_than_there_is() {
    let (body_bytes, bodies_bytes) = (100_000, 100_000);
    let patience = Duration::from_secs(600);
    let limits = Limits { body_bytes, bodies_bytes, patience, ..Limits::default() };
    let (_fixture, served) = narrow(limits);
    let bulk = |bytes: usize| {
        let memory = json!({ "layer": "user", "content": "fern ".repeat(bytes / 5) });
        json!({ "memories": [memory] }).to_string()
    };
    let path = "/v1/memories/bulk";
    // Most of a body arrives, and the rest never does.
    let whole = served.written("POST", path, &[], &bulk(90_000));
    let wait = || {
        let mut waiting = TcpStream::connect(served.address).unwrap();
        waiting.write_all(&whole.as_bytes()[..80_000]).unwrap();
        waiting
    };
    // Whichever of two comes later is refused, so that the first may need several attempts.
    let (waiting, refused) = (0..100)
        .find_map(|attempt| {
            let waiting = wait();
            std::thread::sleep(Duration::from_millis(10) * attempt);
            let answer = served.request("POST", path, &[], &bulk(50_000));
            (answer.status == 503).then_some((waiting, answer))
        })
        .expect("there is no room for another large one");
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "fern ".repeat(10_000) });
    for refused in [refused, served.ask("POST", "/mcp", &message)] {
        assert_eq!(refused.status, 503);
        assert!(refused.headers.contains_key("retry-after"));
        assert_eq!(refused.json()["error"]["retryable"], true);
    }
    let small = json!({ "layer": "user", "content": "The fern is thirsty" });
    assert_eq!(served.ask("POST", "/v1/memories", &small).status, 201);
    drop(waiting);
    let taken = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        served.request("POST", path, &[], &bulk(50_000)).status == 200
    });
    assert!(taken, "there is room again");
}

#[test]
fn json_that_is_deep_broken_or_of_the_wrong_kind_is_refused() {
    let (_fixture, served) = narrow(Limits::default());
    let deep = format!(
        r#"{{"layer":"user","content":"x","metadata":{}1{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for body in [
        deep.as_str(),
        "{",
        "",
        "null",
        "[]",
        "\"text\"",
        "{\"layer\":\"user\",\"content\":\"\\ud800\"}",
        "{\"layer\":\"user\",\"layer\":\"user\",\"content\":\"x\"}",
        "{\"layer\":\"user\",\"content\":1}",
        "{\"layer\":\"user\",\"content\":\"x\",\"importance\":1}",
        "{\"layer\":\"user\",\"content\":\"x\",\"metadata\":{\"importance\":NaN}}",
    ] {
        let answer = served.request("POST", "/v1/memories", &[], body);
        let shown: String = body.chars().take(60).collect();
        assert_eq!(answer.status, 400, "{shown} {}", answer.body);
    }
    let text = served.request("POST", "/v1/memories", &[("content-type", "text/plain")], "{}");
    assert_eq!(text.status, 415);
    let packed = served.request("POST", "/v1/memories", &[("content-encoding", "gzip")], "{}");
    assert_eq!(packed.status, 415);
}

#[test]
fn a_list_is_not_taken_for_what_has_names() {
    let (_fixture, served) = narrow(Limits::default());
    let statement = json!(["preference", "Alice", "likes", "ferns"]);
    let named = json!({ "factType": "preference", "subject": "Alice", "predicate": "likes", "object": "ferns" });
    let check = |path: &str, body: Value, status: u16| {
        let answer = served.ask("POST", path, &body);
        assert_eq!(answer.status, status, "{path} {body} {}", answer.body);
    };
    check("/v1/memories", json!({ "layer": "user", "fact": statement }), 400);
    check("/v1/memories", json!({ "layer": "user", "fact": named }), 201);
    let memories = json!([{ "layer": "user", "fact": statement }]);
    check("/v1/memories/bulk", json!({ "memories": memories }), 400);
    let entry = json!({ "content": "The fern is thirsty", "metadata": { "tags": ["fern"] } });
    let batch = |item: Value| json!({ "operation": "create", "entries": [item] });
    check("/openspec/v1/knowledge/batch", batch(json!({ "entry": entry })), 200);
    let listed = json!({ "entry": entry, "governance": [false, false, null] });
    check("/openspec/v1/knowledge/batch", batch(listed), 400);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let (_fixture, served) = narrow(Limits::default());
    for limit in ["0", "-1", "101", "9223372036854775808", "1e3", "NaN"] {
        let answer = served.ask("GET", &format!("/v1/memories?limit={limit}"), &Value::Null);
        assert_eq!(answer.status, 400, "{limit} {}", answer.body);
    }
    for limit in [json!(-1), json!(1e300), json!(1.5), json!("10")] {
        let search = json!({ "query": "fern", "limit": limit });
        assert_eq!(served.ask("POST", "/v1/search", &search).status, 400, "{limit}");
    }
}

#[test]
fn a_text_is_not_repeated_in_what_is_said_of_it() {
    let (_fixture, served) = narrow(Limits::default());
    let secret = "hunter2-of-the-canary";
    let body = json!({ "layer": secret, "content": "x" });
    let answer = served.ask("POST", "/v1/memories", &body);
    assert_eq!((answer.status, answer.code().as_str()), (422, "INVALID_LAYER"));
    for body in [
        format!(r#"{{"layer":"user","content":{{"{secret}":1}}}}"#),
        format!(r#"{{"layer":"user","content":"x","derivedFrom":"{secret}"}}"#),
        format!(r#"{{"layer":"user","content":"{secret}"#),
    ] {
        let answer = served.request("POST", "/v1/memories", &[], &body);
        assert!(answer.status == 400 && !answer.body.contains(secret), "{}", answer.body);
    }
}

#[test]
fn a_key_that_asks_too_often_has_to_wait() {
    let fixture = Fixture::new();
    let bound = Bound::default().with(Layer::User, named("alice"));
    let alice = key(&fixture.engine, KeyDraft::new("alice", bound));
    let bound = Bound::default().with(Layer::User, named("bob"));
    let bob = key(&fixture.engine, KeyDraft::new("bob", bound));
    let limits = Limits { rate: NonZeroU32::new(2), ..Limits::default() };
    let served = Served::start(Service { limits, ..locally(&fixture.engine, "keeper") });
    let ask = |key: &str| {
        let authorization = format!("Bearer {key}");
        served.ask_with("GET", "/v1/stats", &[("authorization", &authorization)], &Value::Null)
    };
    let answers: Vec<Answer> = (0..50).map(|_| ask(&alice)).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("50 are too many");
    assert_eq!(refused.code(), "RATE_LIMITED");
    assert!(refused.headers["retry-after"].parse::<u64>().unwrap() >= 1);
    assert!(answers[0].headers.contains_key("x-rate-limit-remaining"));
    assert_eq!(refused.headers["x-rate-limit-remaining"], "0");
    assert!(refused.headers["x-rate-limit-reset"].parse::<u64>().unwrap() >= 1);
    assert_eq!(ask(&bob).status, 200, "others are not made to wait");
}

#[test]
fn a_head_that_never_ends_is_cut_off() {
    let (_fixture, served) = narrow(Limits::default());
    let headers: Vec<String> = (0..500).map(|number| format!("x-header-{number}: y")).collect();
    let many = format!("GET /v1/stats HTTP/1.1\r\nhost: x\r\n{}\r\n", headers.join("\r\n"));
    assert_eq!(served.send(&(many + "\r\n")).status, 431);
    let long =
        format!("GET /v1/stats HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "y".repeat(200_000));
    assert_eq!(served.send(&long).status, 431);
}

#[test]
fn a_client_that_is_slow_does_not_keep_others_waiting() {
    let limits = Limits { at_once: 4, patience: Duration::from_secs(2), ..Limits::default() };
    let (_fixture, served) = narrow(limits);
    let slow: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(served.address).unwrap();
            stream.write_all(b"POST /v1/memories HTTP/1.1\r\nhost: x\r\ncontent-le").unwrap();
            stream
        })
        .collect();
    assert_eq!(served.ask("GET", "/v1/stats", &Value::Null).status, 200);
    drop(slow);
    // A body that stops coming is given up on.
    let head = served.written("POST", "/v1/memories", &[("content-length", "100")], "{");
    let answer = served.send(&head);
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(answer.json()["error"]["retryable"], true, "nothing was done");
}

#[test]
fn what_took_too_long_and_may_have_been_done_is_not_called_safe_to_repeat() {
    let limits = Limits { patience: Duration::from_secs(2), ..Limits::default() };
    let (fixture, served) = narrow(limits);
    assert_eq!(served.ask("GET", "/v1/stats", &Value::Null).status, 200);
    let memory = |content: &str| json!({ "layer": "user", "content": content });
    let other = rusqlite::Connection::open(fixture.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let late = served.ask("POST", "/v1/memories", &memory("The fern is thirsty"));
    assert_eq!(late.status, 504, "{}", late.body);
    assert_eq!(late.json()["error"]["retryable"], false);
    let named = [("idempotency-key", "once")];
    let repeat = || served.ask_with("POST", "/v1/memories", &named, &memory("The moss is thirsty"));
    let late = repeat();
    assert_eq!(late.status, 503, "{}", late.body);
    assert_eq!(late.json()["error"]["retryable"], true);
    other.execute_batch("ROLLBACK").unwrap();
    assert!([200, 201].contains(&repeat().status));
    let done = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let found = served.ask("POST", "/v1/search", &json!({ "query": "thirsty" })).json();
        found["results"].as_array().unwrap().len() == 2
    });
    assert!(done, "both were done, and the second one once");
}

#[test]
fn whoever_does_not_read_an_answer_loses_the_connection() {
    let limits = Limits { connections: 1, stall: Duration::from_secs(1), ..Limits::default() };
    let (_fixture, served) = narrow(limits);
    let large = json!({ "layer": "user", "content": "fern ".repeat(20_000) });
    let large = served.ask("POST", "/v1/memories", &large);
    let path = &large.headers["location"];
    let one = served.written("GET", path, &[("connection", "keep-alive")], "");
    // Some 20 MB are asked for, and none of it is ever read.
    let mut deaf = TcpStream::connect(served.address).unwrap();
    deaf.write_all(one.repeat(200).as_bytes()).unwrap();
    let mut next = TcpStream::connect(served.address).unwrap();
    next.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    next.write_all(served.written("GET", "/v1/stats", &[], "").as_bytes()).unwrap();
    let mut begin = [0; 12];
    next.read_exact(&mut begin).expect("the only place is free again");
    assert_eq!(&begin, b"HTTP/1.1 200");
}

#[test]
fn more_requests_than_there_is_room_for_are_turned_away() {
    let limits = Limits { at_once: 1, patience: Duration::from_secs(5), ..Limits::default() };
    let (_fixture, served) = narrow(limits);
    let head = served.written("POST", "/v1/memories", &[("content-length", "100")], "{");
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let turned_away = (0..200).any(|_| {
        let answer = served.ask("GET", "/v1/stats", &Value::Null);
        std::thread::sleep(Duration::from_millis(10));
        answer.status == 503 && answer.headers.contains_key("retry-after")
    });
    assert!(turned_away);
    drop(stream.shutdown(std::net::Shutdown::Both));
    let _ = stream.read(&mut [0; 1]);
    let back = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        served.ask("GET", "/v1/stats", &Value::Null).status == 200
    });
    assert!(back, "the place is free again");
}

#[test]
fn a_filter_with_more_conditions_than_a_store_takes_is_refused() {
    let (_fixture, served) = narrow(Limits::default());
    let custom = |count: usize| {
        let fields = (0..count).map(|number| (format!("field-{number}"), json!(number)));
        json!({ "query": "fern", "filter": { "custom": Value::Object(fields.collect()) } })
    };
    assert_eq!(served.ask("POST", "/v1/search", &custom(64)).status, 200);
    let answer = served.ask("POST", "/v1/search", &custom(2_000));
    assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_INPUT"));
}

#[test]
fn a_change_is_answered_as_one_whatever_the_caller_says_to_have() {
    let (_fixture, served) = narrow(Limits::default());
    let entry = |content: &str| json!({ "entry": { "content": content } });
    let made = served.ask("POST", "/openspec/v1/knowledge/create", &entry("The fern is thirsty"));
    assert_eq!(made.status, 201, "{}", made.body);
    let path = format!("/openspec/v1/knowledge/{}", made.json()["entry"]["id"].as_str().unwrap());
    let headers = [("if-none-match", "*")];
    let changed = served.ask_with("PUT", &path, &headers, &entry("The fern is not thirsty"));
    assert_eq!(changed.status, 200, "{}", changed.body);
}

#[test]
fn a_batch_may_be_answered_later() {
    let (_fixture, served) = narrow(Limits::default());
    let batch = json!({
        "operation": "create",
        "entries": [{ "entry": { "content": "The fern is thirsty" } }],
    });
    let headers = [("prefer", "respond-async")];
    let path = "/openspec/v1/knowledge/batch";
    let accepted = served.ask_with("POST", path, &headers, &batch);
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    let done = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        served.ask("GET", &accepted.headers["location"], &Value::Null).json()["state"] == "done"
    });
    assert!(done, "the job ends");
    let found = served.ask("POST", "/v1/search", &json!({ "query": "fern" })).json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
}
