//! What is written down of requests, and what never is.

use std::io::{self, Read as _, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use cofio_server::http::{self, Log, LogForm, Logged, Service};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::served::{Served, locally};

/// What no line may contain.
const CANARY: &str = "canary7f3a";

/// A place for lines that can be read later.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns everything that is written down while `ask` asks.
fn written(logged: Logged, form: LogForm, ask: impl FnOnce(&Served)) -> String {
    let fixture = Fixture::new();
    let lines = Lines::default();
    let log = Log::new(logged, form, lines.clone());
    let served = Served::start(Service { log, ..locally(&fixture.engine, "alice") });
    ask(&served);
    served.end();
    let bytes = lines.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// Sends a request and waits until its answer begins, as some answers never end.
fn begin(served: &Served, request: &str) {
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 1, "{request}");
}

/// Asks everything that can be asked, with canaries in every place; returns how often.
pub fn ask_everything(served: &Served) -> usize {
    let headers = [
        ("user-agent", CANARY),
        ("x-anything", CANARY),
        ("idempotency-key", CANARY),
        ("if-match", CANARY),
        ("referer", CANARY),
    ];
    let body = json!({"content": CANARY, "query": CANARY, "layer": CANARY, CANARY: CANARY});
    let right = json!({"content": format!("{CANARY} drinks tea"), "layer": "user"});
    let mut asked = 0;
    let mut ask = |method: &str, path: &str, headers: &[(&str, &str)], body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        begin(served, &served.written(method, path, headers, &body));
        asked += 1;
    };
    for (path, operations) in http::document()["paths"].as_object().unwrap() {
        let mut path = path.clone();
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            path.replace_range(start..=end, CANARY);
        }
        for method in operations.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            for body in [&Value::Null, &body, &right] {
                ask(&method, &path, &headers, body);
                ask(&method, &format!("{path}?{CANARY}={CANARY}&limit={CANARY}"), &headers, body);
                ask(&method, &path, &[("authorization", "Bearer canary7f3a")], body);
            }
        }
    }
    for path in ["/canary7f3a", "/v1/canary7f3a", "/mcp?canary7f3a", "/mcp", "/openapi.json"] {
        ask("GET", path, &headers, &Value::Null);
        ask("POST", path, &headers, &body);
        ask("CANARY7F3A", path, &headers, &Value::Null);
    }
    ask("GET", "/healthz?canary7f3a", &[("host", CANARY)], &Value::Null);
    ask("GET", "/v1/memories", &[("host", CANARY)], &Value::Null);
    asked
}

#[test]
fn nothing_of_what_is_asked_is_written_down() {
    for form in [LogForm::Json, LogForm::Text] {
        let mut asked = 0;
        let log = written(Logged::Requests, form, |served| asked = ask_everything(served));
        assert!(!log.to_lowercase().contains("canary"), "{log}");
        assert_eq!(log.lines().count(), asked);
    }
}

#[test]
fn a_line_has_names_and_figures() {
    let log = written(Logged::Requests, LogForm::Json, |served| {
        let body = json!({"content": "Tea is black", "layer": "user"});
        served.ask_with("POST", "/v1/memories", &[("x-request-id", "mine-1")], &body);
        served.ask("GET", "/v1/memories/fact_nothing", &Value::Null);
        served.ask("GET", "/nowhere", &Value::Null);
    });
    let mut lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        assert!(line["time"].take().as_str().unwrap().ends_with('Z'));
        assert!(line["durationMs"].take().is_f64());
        assert!(line["bytes"].take().as_u64().unwrap() > 0);
    }
    assert_eq!(
        lines[0],
        json!({
            "time": null, "level": "info", "method": "POST", "route": "/v1/memories", "status": 201,
            "durationMs": null, "bytes": null, "requestId": "mine-1", "actor": "alice",
        })
    );
    assert_eq!(lines[1]["route"], "/v1/memories/{id}");
    assert_eq!(lines[1]["code"], "MEMORY_NOT_FOUND");
    assert_eq!((&lines[2]["route"], &lines[2]["status"]), (&json!("other"), &json!(404)));
}

#[test]
fn how_much_is_written_down_can_be_chosen() {
    let ask = |served: &Served| {
        served.ask("GET", "/healthz", &Value::Null);
        served.ask("GET", "/nowhere", &Value::Null);
        let key = [("authorization", "Bearer nobody")];
        served.ask_with("GET", "/v1/memories", &key, &Value::Null);
    };
    assert_eq!(written(Logged::Nothing, LogForm::Json, ask), "");
    assert_eq!(written(Logged::Requests, LogForm::Json, ask).lines().count(), 3);
    let errors = written(Logged::Errors, LogForm::Text, ask);
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains(" GET /v1/memories 401 ") && errors.contains(" UNAUTHORIZED "));
}
