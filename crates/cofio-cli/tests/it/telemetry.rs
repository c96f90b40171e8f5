//! What a collector of OpenTelemetry is sent by the process, as the variables say.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::mpsc;

use crate::http::{Reply, Request, serve};
use crate::machine::{Machine, complaint};

/// Returns what a collector is sent while a server with some variables answers one request.
///
/// In the variables, `PORT` is the collector's.
fn sent(variables: &[(&str, &str)]) -> Vec<Request> {
    let (tell, told) = mpsc::channel();
    let port = serve(move |request| {
        let _ = tell.send(request.clone());
        Reply { status: 200, kind: "application/x-protobuf", body: String::new() }
    });
    let machine = Machine::new();
    let mut command = machine.command();
    let port = port.to_string();
    command.envs(variables.iter().map(|(name, value)| (name, value.replace("PORT", &port))));
    command.args(["serve", "--addr", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening at http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")
        .unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    let ended = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(ended.success() && child.wait().unwrap().success());
    told.try_iter().collect()
}

/// Returns what a request says; names and values are written out in it.
fn said(request: &Request) -> String {
    String::from_utf8_lossy(&request.body).into_owned()
}

#[test]
fn spans_are_sent_before_the_process_ends_as_the_variables_say() {
    let requests = sent(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:PORT/otlp"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=lock%20smith"),
        ("OTEL_SERVICE_NAME", "memory-of-the-shop"),
        ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment.name=staging"),
    ]);
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/otlp/v1/traces"));
    assert_eq!(request.headers["content-type"], "application/x-protobuf");
    assert_eq!(request.headers["x-api-key"], "lock smith");
    let spans = said(request);
    for part in ["GET /healthz", "memory-of-the-shop", "staging", "service.version"] {
        assert!(spans.contains(part), "{part} in {spans}");
    }
    assert!(!spans.contains("other") && !spans.contains("alice"), "{spans}");

    let requests = sent(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:PORT/spans"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
    ]);
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!(request.path, "/spans");
    assert_eq!(request.headers["content-encoding"], "gzip");

    let requests = sent(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:PORT")]);
    assert!(said(&requests[0]).contains("cofio"));
}

#[test]
fn nothing_is_sent_unless_it_is_wanted() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:PORT");
    for off in [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
        ("OTEL_TRACES_SAMPLER", "always_off"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1"),
        // Without any collector, none is looked for where collectors usually are.
        ("OTEL_EXPORTER_OTLP_ENDPOINT", ""),
    ] {
        assert!(sent(&[endpoint, off]).is_empty(), "{off:?}");
    }
}

#[test]
fn what_cannot_be_done_is_said_at_the_start() {
    let machine = Machine::new();
    let refused = |variables: &[(&str, &str)]| {
        let mut command = machine.command();
        command.envs(variables.iter().copied()).args(["serve", "--addr", "127.0.0.1:0"]);
        complaint(&command.stdin(Stdio::null()).output().unwrap())
    };
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
    let (told, code) = refused(&[endpoint, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]);
    assert!(code == 1 && told.contains("http/protobuf only"), "{code} {told}");
    let (told, code) = refused(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://[")]);
    assert!(code == 1 && told.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{code} {told}");
}
