//! Language models over HTTP, from servers that do everything a server can do wrong.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cofio::lifecycle::spend::{Budget, Cap, Caps, Cost, Entry, Money, Prices, Purpose, Usage};
use cofio::llm::{Answer, Counsel, Ledger, MemoryLedger, Prompt, Shape};
use cofio::model::{Identifier, Scope};
use cofio::{Error, ErrorKind};
use cofio_adapters::llm::{Dialect, Key, Options, Remote};
use cofio_adapters::retry::Retry;
use pollster::block_on;
use serde_json::{Value, json};

use crate::clean::clean;
use crate::script::{Line, Said, Script};
use crate::server::{Request, Server, hang, head, reply};

pub const KEY: &str = "sk-test-0123456789";
pub const DIALECTS: [Dialect; 2] = [Dialect::OpenAi, Dialect::Anthropic];
pub const JSON: (&str, &str) = ("Content-Type", "application/json");

pub fn options(url: String, dialect: Dialect) -> Options {
    let retry = Retry {
        first_delay: Duration::from_millis(1),
        longest_delay: Duration::from_millis(5),
        ..Retry::default()
    };
    let key = Some(Key::new(KEY).unwrap());
    Options { key, retry, ..Options::new(url, "tiny", dialect) }
}

fn prompt(text: &str) -> Prompt {
    let fact = Shape::Object(vec![("text", Shape::Text(100)), ("turn", Shape::Whole(1, 1))]);
    let shape = Shape::Object(vec![("facts", Shape::list(fact, 5))]);
    Prompt { most_tokens: 500, ..Prompt::new("Find facts.", vec![clean(text)], shape) }
}

pub fn purpose() -> Purpose {
    let scope = Scope::user(Identifier::new("alice").unwrap());
    Purpose { day: "2026-03-01".parse().unwrap(), job: "consolidate".to_owned(), scope }
}

/// A counsel with a ledger to look into.
pub struct Office {
    pub counsel: Counsel,
    ledger: Arc<MemoryLedger>,
}

impl Office {
    pub fn open(options: Options) -> Self {
        let ledger = Arc::new(MemoryLedger::default());
        let day = Cap { tokens: Some(10_000), money: None };
        let prices = Some(Prices { input: Money(2_000_000), output: Money(8_000_000) });
        let budget = Budget { caps: Caps { day, ..Caps::default() }, prices };
        let remote = Arc::new(Remote::new(options).unwrap());
        Self { counsel: Counsel::new(remote, ledger.clone(), budget).unwrap(), ledger }
    }

    fn ask(&self, text: &str) -> cofio::Result<Answer> {
        block_on(self.counsel.ask(&purpose(), &prompt(text)))
    }

    pub fn costs(&self) -> Vec<Cost> {
        self.ledger.entries().into_iter().map(|Entry { cost, .. }| cost).collect()
    }
}

/// What a failure cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paid {
    Nothing,
    /// What the server said.
    Counted,
    /// What was reserved.
    Reserved,
}

/// Asks a server that misbehaves, in each dialect, and looks at the failure.
fn check(
    change: impl Fn(Options) -> Options,
    answer: impl Fn(&Request, &mut TcpStream) + Clone + Send + Sync + 'static,
    (kind, requests, paid): (ErrorKind, usize, Paid),
    message: &str,
) {
    for dialect in DIALECTS {
        let server = Server::start(answer.clone());
        let office = Office::open(change(options(server.url() + "/v1", dialect)));
        let error = office.ask("Alice drinks her tea black").unwrap_err();
        check_silent(&error);
        assert!(error.to_string().contains(message), "{error}");
        assert!(!error.to_string().contains("not with"), "a server's words: {error}");
        let seen = server.requests().len();
        assert_eq!((error.kind(), seen), (kind, requests), "{dialect:?}: {error}");
        let estimate = office.counsel.estimate(&prompt("Alice drinks her tea black"));
        match (paid, office.costs().as_slice()) {
            (Paid::Nothing, []) => {}
            (Paid::Counted, [cost]) => assert_ne!(cost, &estimate),
            (Paid::Reserved, [cost]) => assert_eq!(cost, &estimate),
            (_, costs) => panic!("{costs:?}"),
        }
    }
}

fn check_silent(error: &Error) {
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(KEY) && !shown.contains("tea"), "{shown}");
}

fn as_it_is(options: Options) -> Options {
    options
}

fn fact(text: &str) -> Value {
    json!({"facts": [{"text": text, "turn": 1}]})
}

#[test]
fn a_script_is_played_in_both_dialects() {
    for dialect in DIALECTS {
        let line = Line { words: "tea", said: vec![Said::Value(fact("Alice drinks tea"))] };
        let script = Script::play(vec![line]);
        let office = Office::open(options(script.url(), dialect));
        let answer = office.ask("I drink my tea black").unwrap();
        assert_eq!(answer.value, fact("Alice drinks tea"));
        let usage = Usage { input: 50, output: 5 };
        assert_eq!(answer.usage, usage);
        // 50 tokens at 2 and 5 at 8 for a million.
        assert_eq!(office.costs(), [Cost { usage, money: Money(140) }]);
    }
}

#[test]
fn whoever_leaves_the_script_is_told_on() {
    let script = Script::play(vec![Line { words: "tea", said: vec![] }]);
    let office = Office::open(options(script.url(), Dialect::OpenAi));
    office.ask("I like coffee").unwrap_err();
    office.ask("I like tea").unwrap_err();
    let unknown = script.take_unknown();
    assert_eq!(unknown.len(), 2);
    assert!(unknown[0].ends_with("unknown material") && unknown[1].ends_with("asked too often"));
}

#[test]
fn a_request_says_what_each_dialect_expects() {
    let seen = |dialect| {
        let said = vec![Said::Value(json!({"facts": []}))];
        let script = Script::play(vec![Line { words: "tea", said }]);
        Office::open(options(script.url(), dialect)).ask("tea").unwrap();
        script.requests().remove(0)
    };
    let prompt = prompt("tea");
    let material = "<material>\n1: \"tea\"\n</material>\n";
    let user = json!({"role": "user", "content": material});

    let request = seen(Dialect::OpenAi);
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let schema = json!({"name": "answer", "strict": true, "schema": prompt.shape.json_schema()});
    let expected = json!({
        "model": "tiny",
        "messages": [{"role": "system", "content": prompt.system()}, user],
        "max_tokens": 500,
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": schema},
    });
    assert_eq!(serde_json::from_slice::<Value>(&request.body).unwrap(), expected);

    let request = seen(Dialect::Anthropic);
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(request.header("authorization"), None);
    let format = json!({"type": "json_schema", "schema": prompt.shape.json_schema()});
    let expected = json!({
        "model": "tiny",
        "max_tokens": 500,
        "system": prompt.system(),
        "messages": [user],
        "output_config": {"format": format},
    });
    assert_eq!(serde_json::from_slice::<Value>(&request.body).unwrap(), expected);
}

#[test]
fn a_key_is_never_shown() {
    let options = options("http://127.0.0.1:9/v1".to_owned(), Dialect::Anthropic);
    let shown = format!("{options:?} {:?}", Remote::new(options.clone()).unwrap());
    assert!(!shown.contains(KEY), "{shown}");
}

#[test]
fn an_answer_of_another_shape_is_repaired_once() {
    let bad = [
        Said::Text("certainly! here are the facts"),
        Said::Text(r#"{"facts": [{"text": "Alice drinks te"#),
        Said::Text(""),
        Said::Value(json!({"facts": "none"})),
        Said::Value(json!({"facts": [{"text": "tea", "turn": 9}]})),
        Said::Value(json!({"facts": [{"text": "tea", "turn": 1, "trust": "high"}]})),
        Said::Value(json!([])),
    ];
    for (first, dialect) in bad.into_iter().zip(DIALECTS.into_iter().cycle()) {
        let said = vec![first, Said::Value(fact("fine"))];
        let script = Script::play(vec![Line { words: "tea", said }]);
        let office = Office::open(options(script.url(), dialect));
        assert_eq!(office.ask("tea").unwrap().value, fact("fine"));
        assert_eq!((script.requests().len(), office.costs().len()), (2, 2));
    }
}

#[test]
fn an_answer_that_stays_wrong_is_a_failure() {
    for dialect in DIALECTS {
        let invented = || Said::Value(json!({"facts": [], "tea": "tea"}));
        let script = Script::play(vec![Line { words: "tea", said: vec![invented(), invented()] }]);
        let office = Office::open(options(script.url(), dialect));
        let error = office.ask("tea").unwrap_err();
        check_silent(&error);
        assert_eq!(error.kind(), ErrorKind::Provider);
        assert!(error.to_string().contains("a field that was not asked for"), "{error}");
        assert_eq!((script.requests().len(), office.costs().len()), (2, 2));
    }
}

#[test]
fn what_is_cut_short_or_refused_is_a_failure_that_is_paid_for() {
    let check = |said: fn() -> Said, message: &str| {
        for dialect in DIALECTS {
            let script = Script::play(vec![Line { words: "tea", said: vec![said()] }]);
            let office = Office::open(options(script.url(), dialect));
            let error = office.ask("tea").unwrap_err();
            check_silent(&error);
            assert_eq!(error.kind(), ErrorKind::Provider);
            assert!(error.to_string().ends_with(message), "{error}");
            assert_eq!(office.costs()[0].usage, Usage { input: 50, output: 5 });
            assert_eq!(script.requests().len(), 1);
        }
    };
    // Even if what there is of it would fit.
    check(|| Said::CutShort(r#"{"facts": []}"#), "cut short, as it got too long");
    check(|| Said::Refusal, "the model refuses to answer");
}

#[test]
fn what_passes_is_tried_again_and_costs_once() {
    for status in [429, 500, 503, 529] {
        let server = Server::start(move |request, stream| match request.number {
            0 | 1 => reply(stream, status, &[], b"not now"),
            _ => {
                let message = json!({"content": "{\"facts\": []}"});
                let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
                reply(stream, 200, &[JSON], body.to_string().as_bytes());
            }
        });
        let office = Office::open(options(server.url() + "/v1", Dialect::OpenAi));
        office.ask("tea").unwrap();
        assert_eq!((server.requests().len(), office.costs().len()), (3, 1), "{status}");
    }
}

#[test]
fn what_does_not_pass_is_given_up_and_costs_nothing() {
    let says = |status: u16, headers: &'static [(&'static str, &'static str)]| {
        move |_: &Request, stream: &mut TcpStream| {
            let body = json!({"error": {"message": format!("not with {KEY}")}});
            reply(stream, status, headers, body.to_string().as_bytes());
        }
    };
    let nothing = |kind, requests| (kind, requests, Paid::Nothing);
    check(as_it_is, says(500, &[]), nothing(ErrorKind::Provider, 4), "answer (500)");
    check(as_it_is, says(429, &[]), nothing(ErrorKind::RateLimited, 4), "(429)");
    let an_hour = &[("Retry-After", "3600")];
    check(as_it_is, says(429, an_hour), nothing(ErrorKind::RateLimited, 1), "(429)");
    check(as_it_is, says(401, &[]), nothing(ErrorKind::Configuration, 1), "check the key");
    check(
        as_it_is,
        says(400, &[]),
        nothing(ErrorKind::Configuration, 1),
        "refuses to answer (400)",
    );
    // A gateway that gave up waiting knows nothing of what was paid behind it.
    let paid = (ErrorKind::Provider, 1, Paid::Reserved);
    check(as_it_is, says(504, &[]), paid, "(504)");
}

#[test]
fn a_refusal_does_not_repeat_the_material() {
    let answer = |request: &Request, stream: &mut TcpStream| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let message = json!({"error": {"message": format!("cannot read {}", body["messages"])}});
        reply(stream, 400, &[], message.to_string().as_bytes());
    };
    check(as_it_is, answer, (ErrorKind::Configuration, 1, Paid::Nothing), "answer (400)");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(|_, stream| reply(stream, 200, &[JSON], b"{}"));
    for status in [301, 302, 307, 308] {
        let target = elsewhere.url() + "/v1/messages?token=x";
        let answer = move |_: &Request, stream: &mut TcpStream| {
            reply(stream, status, &[("Location", &target)], b"");
        };
        let expected = (ErrorKind::Configuration, 1, Paid::Nothing);
        check(as_it_is, answer, expected, "elsewhere to 127.0.0.1, which is not followed");
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[test]
fn a_server_that_hangs_is_not_waited_for_nor_asked_again() {
    let impatient = |options| Options { timeout: Duration::from_millis(500), ..options };
    let expected = (ErrorKind::Provider, 1, Paid::Reserved);
    check(impatient, |_, stream| hang(stream), expected, "no answer in time");
    // A byte now and then is no progress.
    let dripping = |_: &Request, stream: &mut TcpStream| {
        let _ = head(stream, 200, &[JSON, ("Content-Length", "100000")]);
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    };
    check(impatient, dripping, expected, "no answer in time");
}

#[test]
fn a_connection_that_breaks_is_not_made_again() {
    let expected = (ErrorKind::Provider, 1, Paid::Reserved);
    check(as_it_is, |_, _| {}, expected, "cannot get an answer from 127.0.0.1");
    let halfway = |_: &Request, stream: &mut TcpStream| {
        let _ = head(stream, 200, &[JSON, ("Content-Length", "1000")]);
        let _ = stream.write_all(br#"{"choices": ["#);
    };
    check(as_it_is, halfway, expected, "cannot get an answer from 127.0.0.1");
}

#[test]
fn a_server_that_is_not_there_costs_nothing_and_is_tried_again() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let office = Office::open(options(format!("http://127.0.0.1:{port}/v1"), Dialect::Anthropic));
    let error = office.ask("tea").unwrap_err();
    assert_eq!((error.kind(), &error.details()["attempts"]), (ErrorKind::Provider, &json!(4)));
    assert_eq!(office.costs(), []);
}

#[test]
fn an_answer_that_does_not_end_is_cut_off() {
    let expected = (ErrorKind::Provider, 1, Paid::Reserved);
    let endless = |_: &Request, stream: &mut TcpStream| {
        let _ = head(stream, 200, &[JSON]);
        while stream.write_all(&[b' '; 4096]).is_ok() {}
    };
    check(as_it_is, endless, expected, "it has more than 4194304 bytes");
    let announced = |_: &Request, stream: &mut TcpStream| {
        let _ = head(stream, 200, &[JSON, ("Content-Length", "99999999999")]);
        hang(stream);
    };
    check(as_it_is, announced, expected, "it has more than 4194304 bytes");
}

#[test]
fn what_is_no_answer_is_a_failure() {
    let body = |body: &'static str| {
        move |_: &Request, stream: &mut TcpStream| reply(stream, 200, &[JSON], body.as_bytes())
    };
    let expected = (ErrorKind::Provider, 1, Paid::Reserved);
    check(as_it_is, body(r#"{"tea"#), expected, "it is not JSON at line 1");
    check(as_it_is, body(""), expected, "it is not JSON at line 1");
    check(as_it_is, body(r#"{"tea": 1}"#), expected, "it is of another form than expected");
    check(as_it_is, body("[]"), expected, "it is of another form than expected");
    let page = |_: &Request, stream: &mut TcpStream| {
        let body = br#"{"choices": [{"message": {"content": "{\"facts\": []}"}}]}"#;
        reply(stream, 200, &[("Content-Type", "text/html")], body);
    };
    check(as_it_is, page, expected, "it says that it is not JSON");
    let deep: &'static str = Box::leak("[".repeat(200_000).into_boxed_str());
    check(as_it_is, body(deep), expected, "it is");
    let odd = r#"{"choices": [{"message": {}, "finish_reason": "tool_calls"}], "content": [],
        "stop_reason": "tool_use", "usage": {"prompt_tokens": 1, "completion_tokens": 1,
        "input_tokens": 1, "output_tokens": 1}}"#;
    let counted = (ErrorKind::Provider, 1, Paid::Counted);
    check(as_it_is, body(odd), counted, "ended in a way that was not asked for");
}

#[test]
fn calls_at_once_cannot_overrun_a_cap_together() {
    let said = || vec![Said::Value(json!({"facts": []}))];
    let script = Script::play(vec![Line { words: "tea", said: said() }]);
    let remote = Arc::new(Remote::new(options(script.url(), Dialect::OpenAi)).unwrap());
    let ledger: Arc<dyn Ledger> = Arc::new(MemoryLedger::default());
    let one = prompt("tea").estimate().total();
    // Room for one reservation beside what six calls have cost.
    let cap = Cap { tokens: Some(one + 6 * 55), money: None };
    let budget = Budget { caps: Caps { job: cap, day: cap, ..Caps::default() }, prices: None };
    let counsel = Counsel::new(remote, ledger, budget).unwrap();
    let answered = thread::scope(|scope| {
        let ask = || block_on(counsel.ask(&purpose(), &prompt("tea"))).is_ok();
        let asking: Vec<_> = (0..20).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).filter(|answered| *answered).count()
    });
    assert!((1..=7).contains(&answered), "{answered}");
    assert_eq!(script.requests().len(), answered);
}
