//! A real HTTP server on this machine that behaves, or misbehaves, as a test tells it.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What somebody asked.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which request it is, from 0.
    pub number: usize,
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// Listens on a port of its own until the tests end.
pub struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers every request by `answer`; the connection is closed afterwards.
    pub fn start(answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (seen, answer) = (requests.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (seen.clone(), answer.clone());
                thread::spawn(move || {
                    let mut stream = stream;
                    let Ok(mut request) = read(&stream) else { return };
                    {
                        let mut seen = seen.lock().unwrap();
                        request.number = seen.len();
                        seen.push(request.clone());
                    }
                    answer(&request, &mut stream);
                });
            }
        });
        Self { address, requests }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request { number: 0, path, headers, body: Vec::new() };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    request.body.resize(length, 0);
    reader.read_exact(&mut request.body)?;
    Ok(request)
}

/// Writes a whole answer; whoever asked may have gone.
pub fn reply(stream: &mut TcpStream, status: u16, headers: &[(&str, &str)], body: &[u8]) {
    let length = body.len().to_string();
    let all: Vec<_> =
        headers.iter().chain(&[("Content-Length", length.as_str())]).copied().collect();
    let _ = head(stream, status, &all).and_then(|()| stream.write_all(body));
}

/// Writes the start of an answer.
pub fn head(stream: &mut TcpStream, status: u16, headers: &[(&str, &str)]) -> io::Result<()> {
    let mut text = format!("HTTP/1.1 {status} Whatever\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    stream.write_all((text + "\r\n").as_bytes())
}

/// Says nothing until the other side has gone.
pub fn hang(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0]);
}
