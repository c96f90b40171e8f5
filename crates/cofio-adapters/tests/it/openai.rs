//! Embeddings over HTTP, from a server that does everything a server can do wrong.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use cofio::embed::Embedder as _;
use cofio::model::CleanText;
use cofio::{Error, ErrorKind};
use cofio_adapters::openai::{Key, OpenAi, Options};
use cofio_adapters::retry::Retry;
use pollster::block_on;
use serde_json::{Value, json};

use crate::clean::clean;
use crate::server::{Request, Server, hang, head, reply};

const KEY: &str = "sk-test-0123456789";

fn texts(count: usize) -> Vec<CleanText> {
    (0..count).map(|number| clean(&format!("text number {number}"))).collect()
}

fn options(server: &Server) -> Options {
    let retry = Retry {
        first_delay: Duration::from_millis(1),
        longest_delay: Duration::from_millis(5),
        ..Retry::default()
    };
    let key = Some(Key::new(KEY).unwrap());
    Options { key, retry, ..Options::new(server.url() + "/v1", "tiny") }
}

/// Returns what was asked to be embedded.
fn input(request: &Request) -> Vec<String> {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    serde_json::from_value(body["input"].clone()).unwrap()
}

/// Answers as a server should: the vector of a text points to its last digit.
fn good(request: &Request, stream: &mut TcpStream) {
    let item = |(index, text): (usize, &String)| json!({"index": index, "embedding": vector(text)});
    let data: Vec<Value> = input(request).iter().enumerate().map(item).collect();
    reply(stream, 200, &[], json!({"object": "list", "data": data}).to_string().as_bytes());
}

fn vector(text: &str) -> Vec<f32> {
    let digit = text.chars().last().and_then(|last| last.to_digit(10)).unwrap_or(0);
    (0..10).map(|position| if position == digit { 2.0 } else { 0.0 }).collect()
}

/// Embeds two texts, and returns the error and how many requests the server saw.
fn failure(
    options: impl FnOnce(Options) -> Options,
    answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static,
) -> (Error, usize) {
    let server = Server::start(answer);
    let embedder = OpenAi::new(options(self::options(&server))).unwrap();
    let error = block_on(embedder.embed(&texts(2))).unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(KEY) && !shown.contains("text number"), "{shown}");
    (error, server.requests().len())
}

fn check(
    answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static,
    kind: ErrorKind,
    requests: usize,
    message: &str,
) {
    let (error, seen) = failure(|options| options, answer);
    let message_found = error.to_string();
    assert!(message_found.contains(message), "{message_found}");
    assert_eq!((error.kind(), seen), (kind, requests), "{message_found}");
}

#[test]
fn a_request_says_what_openai_expects() {
    let server = Server::start(good);
    let options = Options { dimensions: Some(10), ..options(&server) };
    let embedder = OpenAi::new(options).unwrap();
    let vectors = block_on(embedder.embed(&texts(2))).unwrap();
    assert_eq!(vectors.len(), 2);
    let request = &server.requests()[0];
    assert_eq!(request.path, "/v1/embeddings");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let expected = json!({
        "model": "tiny",
        "input": ["text number 0", "text number 1"],
        "encoding_format": "base64",
        "dimensions": 10,
    });
    assert_eq!(body, expected);
}

#[test]
fn without_a_key_none_is_sent_and_without_texts_nothing() {
    let server = Server::start(good);
    let embedder = OpenAi::new(Options { key: None, ..options(&server) }).unwrap();
    assert_eq!(block_on(embedder.embed(&[])).unwrap(), Vec::<Vec<f32>>::new());
    assert_eq!(server.requests().len(), 0);
    block_on(embedder.embed(&texts(1))).unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[test]
fn a_key_is_never_shown() {
    let server = Server::start(good);
    let options = options(&server);
    let embedder = OpenAi::new(options.clone()).unwrap();
    let shown = format!("{options:?} {embedder:?} {}", embedder.fingerprint());
    assert!(!shown.contains(KEY), "{shown}");
    assert!(Key::new("two\nlines").is_err() && Key::new(" ").is_err());
}

#[test]
fn many_texts_are_asked_in_batches_and_answered_in_order() {
    let server = Server::start(good);
    let embedder = OpenAi::new(Options { batch_texts: 4, ..options(&server) }).unwrap();
    let texts = texts(10);
    let vectors = block_on(embedder.embed(&texts)).unwrap();
    for (text, found) in texts.iter().zip(&vectors) {
        let expected: Vec<f32> = vector(text.as_str()).iter().map(|number| number / 2.0).collect();
        assert_eq!(found, &expected);
    }
    let sizes: Vec<usize> = server.requests().iter().map(|request| input(request).len()).collect();
    assert_eq!(sizes, [4, 4, 2]);
}

#[test]
fn long_texts_are_cut_and_empty_ones_are_shown_as_a_space() {
    let server = Server::start(good);
    let embedder =
        OpenAi::new(Options { text_bytes: 8, batch_bytes: 9, ..options(&server) }).unwrap();
    let texts = [clean("grüße aus Köln"), CleanText::default(), clean("tea")];
    assert_eq!(block_on(embedder.embed(&texts)).unwrap().len(), 3);
    let asked: Vec<_> = server.requests().iter().map(input).collect();
    assert_eq!(asked, [vec!["grüße ".to_owned(), " ".to_owned()], vec!["tea".to_owned()]]);
}

#[test]
fn a_shuffled_answer_is_put_in_order() {
    let server = Server::start(|request, stream| {
        let item =
            |(index, text): (usize, &String)| json!({"embedding": vector(text), "index": index});
        let data: Vec<Value> = input(request).iter().enumerate().map(item).rev().collect();
        reply(stream, 200, &[], json!({"data": data}).to_string().as_bytes());
    });
    let embedder = OpenAi::new(options(&server)).unwrap();
    let vectors = block_on(embedder.embed(&texts(3))).unwrap();
    let tops: Vec<_> = vectors.iter().map(|vector| vector.iter().position(|&x| x > 0.9)).collect();
    assert_eq!(tops, [Some(0), Some(1), Some(2)]);
}

#[test]
fn base64_is_read() {
    let server = Server::start(|_, stream| {
        // 3.0 and 4.0 as little-endian floats.
        let body = json!({"data": [{"index": 0, "embedding": "AABAQAAAgEA="}]});
        reply(stream, 200, &[], body.to_string().as_bytes());
    });
    let embedder = OpenAi::new(options(&server)).unwrap();
    assert_eq!(block_on(embedder.embed(&texts(1))).unwrap(), [[0.6, 0.8]]);
}

#[test]
fn what_passes_is_tried_again() {
    for status in [408, 429, 500, 503] {
        let server = Server::start(move |request, stream| match request.number {
            0 | 1 => reply(stream, status, &[], b"not now"),
            _ => good(request, stream),
        });
        let embedder = OpenAi::new(options(&server)).unwrap();
        assert_eq!(block_on(embedder.embed(&texts(2))).unwrap().len(), 2, "{status}");
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn what_does_not_pass_is_given_up_after_four_attempts() {
    let overloaded = |_: &Request, stream: &mut TcpStream| {
        reply(stream, 503, &[], br#"{"error": {"message": "overloaded"}}"#);
    };
    check(overloaded, ErrorKind::EmbeddingFailed, 4, "embeddings (503): overloaded");
    let busy = |_: &Request, stream: &mut TcpStream| reply(stream, 429, &[], b"");
    check(busy, ErrorKind::RateLimited, 4, "embeddings (429)");
    let (error, _) = failure(|options| options, busy);
    assert!(error.kind().retryable());
    assert_eq!(
        (&error.details()["attempts"], &error.details()["status"]),
        (&json!(4), &json!(429))
    );
}

#[test]
fn a_server_is_left_alone_as_long_as_it_asks() {
    let server = Server::start(|request, stream| match request.number {
        0 => reply(stream, 429, &[("Retry-After", "1")], b""),
        _ => good(request, stream),
    });
    let embedder = OpenAi::new(options(&server)).unwrap();
    let start = Instant::now();
    block_on(embedder.embed(&texts(1))).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn nobody_waits_past_the_deadline() {
    let answer = |_: &Request, stream: &mut TcpStream| {
        reply(stream, 429, &[("Retry-After", "3600")], b"");
    };
    check(answer, ErrorKind::RateLimited, 1, "(429)");
    let (error, _) = failure(|options| options, answer);
    assert_eq!(error.details()["retryAfterSeconds"], 3600);
}

#[test]
fn what_is_not_paid_for_does_not_pass() {
    let answer = |_: &Request, stream: &mut TcpStream| {
        let body = br#"{"error": {"message": "no money left", "code": "insufficient_quota"}}"#;
        reply(stream, 429, &[], body);
    };
    check(
        answer,
        ErrorKind::Configuration,
        1,
        "(429, check what the key may spend): no money left",
    );
}

#[test]
fn a_refusal_is_final_and_says_what_to_check() {
    let refuse = |status: u16| {
        move |_: &Request, stream: &mut TcpStream| {
            let body = json!({"error": {"message": format!("not with {KEY}")}});
            reply(stream, status, &[], body.to_string().as_bytes());
        }
    };
    let check = |status, message| check(refuse(status), ErrorKind::Configuration, 1, message);
    check(400, "refuses to make embeddings (400): not with ***");
    check(401, "(401, check the key): not with ***");
    check(403, "(403, check the key)");
    check(404, "(404, check the address and the name of the model)");
    check(422, "(422)");
    let (error, _) = failure(
        |options| Options { key: None, ..options },
        |_, stream| {
            reply(stream, 401, &[], b"{}");
        },
    );
    assert!(error.to_string().ends_with("(401, it needs a key)"), "{error}");
    assert!(!error.kind().retryable());
}

#[test]
fn a_refusal_does_not_repeat_the_texts() {
    let answer = |request: &Request, stream: &mut TcpStream| {
        let body = json!({"detail": format!("cannot embed {:?}", input(request))});
        reply(stream, 400, &[], body.to_string().as_bytes());
    };
    check(answer, ErrorKind::Configuration, 1, "refuses to make embeddings (400)");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(good);
    let target = elsewhere.url() + "/v1/embeddings?token=x";
    for status in [301, 302, 307, 308] {
        let target = target.clone();
        check(
            move |_, stream| reply(stream, status, &[("Location", &target)], b""),
            ErrorKind::Configuration,
            1,
            "elsewhere to 127.0.0.1, which is not followed",
        );
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[test]
fn a_server_that_hangs_is_not_waited_for() {
    let impatient = |options: Options| Options {
        timeout: Duration::from_millis(500),
        retry: Retry { retries: 1, ..options.retry },
        ..options
    };
    let (error, requests) = failure(impatient, |_, stream| hang(stream));
    assert_eq!((error.kind(), requests), (ErrorKind::EmbeddingFailed, 2));
    assert!(error.to_string().ends_with("no answer in time"), "{error}");

    let (error, requests) = failure(impatient, |_, stream| {
        // A byte now and then is no progress.
        let _ = head(stream, 200, &[("Content-Length", "100000")]);
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!((error.kind(), requests), (ErrorKind::EmbeddingFailed, 2));
    assert!(error.to_string().ends_with("no answer in time"), "{error}");
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    let server = Server::start(|request, stream| match request.number {
        0 => {}
        1 => {
            let _ = head(stream, 200, &[("Content-Length", "1000")]);
            let _ = stream.write_all(br#"{"data": ["#);
        }
        2 => {
            let _ = head(stream, 200, &[("Transfer-Encoding", "chunked")]);
            let _ = stream.write_all(b"a\r\n{\"data\": [");
        }
        _ => good(request, stream),
    });
    let embedder = OpenAi::new(options(&server)).unwrap();
    assert_eq!(block_on(embedder.embed(&texts(2))).unwrap().len(), 2);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_server_that_is_not_there_is_an_error_that_may_pass() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let retry = Retry { retries: 1, first_delay: Duration::from_millis(1), ..Retry::default() };
    let options = Options { retry, ..Options::new(format!("http://127.0.0.1:{port}/v1"), "tiny") };
    let error = block_on(OpenAi::new(options).unwrap().embed(&texts(1))).unwrap_err();
    assert_eq!(
        (error.kind(), &error.details()["attempts"]),
        (ErrorKind::EmbeddingFailed, &json!(2))
    );
}

#[test]
fn an_answer_of_no_use_is_refused_and_not_asked_for_again() {
    let body = |body: &'static str| {
        move |_: &Request, stream: &mut TcpStream| reply(stream, 200, &[], body.as_bytes())
    };
    let check = |text, message| check(body(text), ErrorKind::Configuration, 1, message);
    check(r#"{"data": [{"index": 0, "embedding": [1]}]}"#, "it has 1 vectors for 2 texts");
    check(r#"{"data": []}"#, "it has 0 vectors for 2 texts");
    let two = r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}"#;
    check(two, "it does not number its vectors from 0, each once");
    check(
        r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}"#,
        "its vectors have 1 and 2 dimensions",
    );
    check(r#"{"data": [{"embedding": [null]}, {"embedding": [1]}]}"#, "other than vectors");
    check(r#"{"data": [{"embedding": [NaN]}, {"embedding": [1]}]}"#, "it is not JSON");
    check(r#"{"data": [{"embedding": "AADAfw=="}, {"embedding": [1]}]}"#, "not finite");
    check(r#"{"data": [{"embedding": [0, 0]}, {"embedding": [1, 0]}]}"#, "no direction");
    check("<html>text number 0</html>", "it is not JSON");
    check("", "it is not JSON");
}

#[test]
fn an_answer_that_does_not_end_is_cut_off() {
    let ten = |options| Options { dimensions: Some(10), ..options };
    let endless = |_: &Request, stream: &mut TcpStream| {
        let _ = head(stream, 200, &[]);
        while stream.write_all(&[b' '; 4096]).is_ok() {}
    };
    let (error, requests) = failure(ten, endless);
    assert_eq!((error.kind(), requests), (ErrorKind::Configuration, 1));
    assert!(error.to_string().contains("it has more than 68224 bytes"), "{error}");

    let announced = |_: &Request, stream: &mut TcpStream| {
        let _ = head(stream, 200, &[("Content-Length", "99999999999")]);
        hang(stream);
    };
    let (error, requests) = failure(ten, announced);
    assert_eq!(requests, 1);
    assert!(error.to_string().contains("it has more than 68224 bytes"), "{error}");
}

#[test]
fn dimensions_that_were_not_asked_for_are_refused() {
    let (error, requests) = failure(|options| Options { dimensions: Some(256), ..options }, good);
    assert_eq!((error.kind(), requests), (ErrorKind::Configuration, 1));
    assert!(error.to_string().contains("gave 10 dimensions of tiny where 256"), "{error}");

    let server = Server::start(|request, stream| {
        let embedding = vec![1; request.number + 5];
        let body = json!({"data": [{"index": 0, "embedding": embedding}]});
        reply(stream, 200, &[], body.to_string().as_bytes());
    });
    let embedder = OpenAi::new(options(&server)).unwrap();
    assert_eq!(block_on(embedder.embed(&texts(1))).unwrap()[0].len(), 5);
    let error = block_on(embedder.embed(&texts(1))).unwrap_err();
    assert!(error.to_string().contains("gives 6 dimensions for tiny, where it gave 5"), "{error}");
}

#[test]
fn a_question_does_not_wait_behind_a_batch() {
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let server = Server::start(move |request, stream| {
        if input(request).len() > 1 {
            let _ = wait.lock().unwrap().recv();
        }
        good(request, stream);
    });
    let embedder = OpenAi::new(options(&server)).unwrap();
    thread::scope(|scope| {
        let batch = scope.spawn(|| block_on(embedder.embed(&texts(5))));
        while server.requests().is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        block_on(embedder.embed_question(&clean("a question"))).unwrap();
        assert!(!batch.is_finished());
        drop(release);
        assert_eq!(batch.join().unwrap().unwrap().len(), 5);
    });
}

#[test]
fn a_question_fails_early_where_a_batch_is_patient() {
    let server = Server::start(|_, stream| reply(stream, 503, &[], b""));
    let embedder = OpenAi::new(options(&server)).unwrap();
    let question = clean("a question");
    let attempts = |error: Error| error.details()["attempts"].clone();
    assert_eq!(attempts(block_on(embedder.embed_question(&question)).unwrap_err()), 2);
    assert_eq!(attempts(block_on(embedder.embed(&[question])).unwrap_err()), 4);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = OpenAi::new(Options::new(format!("http://127.0.0.1:{port}/v1"), "tiny")).unwrap();
    let start = Instant::now();
    block_on(nobody.embed_question(&clean("a question"))).unwrap_err();
    assert!(start.elapsed() < Duration::from_millis(900));
}

#[test]
fn what_nobody_waits_for_is_given_up() {
    let server = Server::start(|_, stream| reply(stream, 503, &[], b""));
    let retry = Retry {
        first_delay: Duration::from_secs(60),
        longest_delay: Duration::from_secs(60),
        ..Retry::default()
    };
    let embedder = OpenAi::new(Options { retry, ..options(&server) }).unwrap();
    {
        let texts = texts(3);
        let mut asking = Box::pin(embedder.embed(&texts));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(asking.as_mut().poll(&mut context).is_pending());
        while server.requests().is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    // The thread that waited for its second attempt is free for the next.
    let texts = texts(4);
    let mut asking = Box::pin(embedder.embed(&texts));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(asking.as_mut().poll(&mut context).is_pending());
    while server.requests().len() < 2 {
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(input(&server.requests()[1]).len(), 4);
}
