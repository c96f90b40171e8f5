//! A collector, as much of one as spans need.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// A collector on loopback that takes what it is sent.
pub struct Collector {
    pub endpoint: String,
    bodies: Receiver<Vec<u8>>,
}

impl Collector {
    /// Starts one that answers with a status.
    pub fn answering(status: u16) -> Self {
        let (tell, bodies) = mpsc::channel();
        Self::start(bodies, move |stream| answer(&stream, status, &tell))
    }

    /// Starts one that takes connections and answers nothing.
    pub fn silent() -> Self {
        let mut open = Vec::new();
        Self::start(mpsc::channel().1, move |stream| {
            open.push(stream);
            Ok(())
        })
    }

    fn start(
        bodies: Receiver<Vec<u8>>,
        mut take: impl FnMut(TcpStream) -> io::Result<()> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away is one that gave up.
                let _ = take(stream);
            }
        });
        Self { endpoint, bodies }
    }

    /// Returns everything that was sent so far, as it was sent.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.try_iter().collect()
    }
}

/// Returns the spans of what was sent.
pub fn spans(bodies: &[Vec<u8>]) -> Vec<Span> {
    let requests = bodies.iter().map(|body| ExportTraceServiceRequest::decode(&body[..]));
    let resources = requests.flat_map(|request| request.unwrap().resource_spans);
    let scopes = resources.flat_map(|resource| resource.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

/// Reads one request, and tells its body before it is answered.
fn answer(mut stream: &TcpStream, status: u16, tell: &Sender<Vec<u8>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    reader.read_line(&mut line)?;
    assert_eq!(line, "POST /v1/traces HTTP/1.1\r\n");
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let _ = tell.send(body);
    write!(stream, "HTTP/1.1 {status} Answer\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

/// Returns an attribute of a span as text.
pub fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == name);
    found.map(|KeyValue { value, .. }| shown(value.as_ref().unwrap().value.as_ref().unwrap()))
}

fn shown(value: &Value) -> String {
    match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        Value::ArrayValue(array) => {
            let values = array.values.iter().filter_map(|value| value.value.as_ref());
            values.map(shown).collect::<Vec<_>>().join(",")
        }
        other => panic!("{other:?} is of no type that spans have"),
    }
}
