//! A server of our own on loopback, as much of one as tests need.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// What somebody asked.
#[derive(Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Their names in lower case.
    #[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "only a collector is sent any"))]
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// What is answered.
pub struct Reply {
    pub status: u16,
    pub kind: &'static str,
    pub body: String,
}

/// Starts a server that lives as long as the test, and returns its port.
pub fn serve(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || converse(&connection, &*answer));
        }
    });
    port
}

/// Answers one request after the other, until the other side has enough.
fn converse(mut connection: &TcpStream, answer: &dyn Fn(&Request) -> Reply) -> Option<()> {
    let mut reader = BufReader::new(connection);
    loop {
        let Reply { status, kind, body } = answer(&read(&mut reader)?);
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status} .\r\ncontent-type: {kind}\r\ncontent-length: {length}");
        write!(connection, "{head}\r\n\r\n{body}").ok()?;
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let opening = line(reader)?;
    let mut words = opening.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    while let Some((name, value)) = line(reader)?.split_once(':') {
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body })
}

/// Returns the next line, or nothing if the other side has gone.
fn line(reader: &mut BufReader<&TcpStream>) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    Some(line.trim_end().to_owned())
}
