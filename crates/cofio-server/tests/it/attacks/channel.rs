//! Who may reach the server, and by what name.

use super::*;

#[test]
fn a_page_of_another_server_is_refused_whatever_it_sends() {
    let town = Town::new();
    let authorization = format!("Bearer {}", town.alice);
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "file://"] {
        for path in ["/v1/memories", "/mcp", "/openspec/v1/knowledge", "/metrics"] {
            let headers = [("origin", origin), ("authorization", authorization.as_str())];
            let answer = town.served.ask_with("GET", path, &headers, &Value::Null);
            assert_eq!(answer.status, 403, "{origin} {path}");
            assert!(!answer.headers.contains_key("access-control-allow-origin"));
        }
    }
}

#[test]
fn a_browser_that_asks_first_is_told_nothing() {
    let town = Town::new();
    let headers = [
        ("origin", "http://evil.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization"),
    ];
    let answer = town.served.ask_with("OPTIONS", "/v1/memories", &headers, &Value::Null);
    assert_eq!(answer.status, 403);
    assert!(!answer.headers.keys().any(|name| name.starts_with("access-control")));
}

#[test]
fn a_name_that_was_rebound_to_this_machine_is_refused() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let port = served.address.port();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "localhost:1"] {
        let answer = served.ask_with("GET", "/v1/memories", &[("host", host)], &Value::Null);
        assert_eq!(answer.status, 403, "{host}");
    }
    let own = format!("localhost:{port}");
    let answer = served.ask_with("GET", "/v1/memories", &[("host", &own)], &Value::Null);
    assert_eq!(answer.status, 200);
}

#[test]
fn nobody_may_keep_an_answer_or_take_it_for_something_else() {
    let town = Town::new();
    let answer = town.ask(&town.alice, "GET", "/v1/memories", &Value::Null);
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}

#[test]
fn a_request_is_named_in_its_answer_and_headers_cannot_be_added() {
    let town = Town::new();
    let authorization = format!("Bearer {}", town.alice);
    let ask = |name: &str| {
        let headers = [("authorization", authorization.as_str()), ("x-request-id", name)];
        town.served.ask_with("GET", "/v1/memories/none", &headers, &Value::Null)
    };
    let named = ask("order-66");
    assert_eq!(named.headers["x-request-id"], "order-66");
    assert_eq!(named.json()["request_id"], "order-66");
    for hostile in ["a b", "<script>", "x\u{e9}", &"y".repeat(200)] {
        let answer = ask(hostile);
        assert_ne!(answer.headers["x-request-id"], hostile, "{hostile}");
    }
}
