//! A server that makes vectors, as much of one as the command needs.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

/// Starts a server that lives as long as the test, and returns the variables that choose it.
///
/// It refuses texts with the word `unspeakable`.
pub fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            thread::spawn(move || answer(&connection));
        }
    });
    format!("COFIO_EMBEDDER=openai COFIO_OPENAI_URL=http://127.0.0.1:{port}/v1")
}

fn answer(mut connection: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(connection);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok()?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let request: Value = serde_json::from_slice(&body).ok()?;
        let texts = request["input"].as_array()?;
        if texts.iter().any(|text| text.as_str().is_some_and(|text| text.contains("unspeakable"))) {
            write!(connection, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").ok()?;
            continue;
        }
        let vectors = texts.iter().enumerate().map(|(index, text)| {
            let mut vector = [1.0; 64];
            vector[0] = text.as_str().unwrap_or_default().len() as f64;
            json!({"index": index, "embedding": vector.as_slice()})
        });
        let answer = json!({"data": vectors.collect::<Vec<_>>()}).to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
        write!(connection, "{head} {}\r\n\r\n{answer}", answer.len()).ok()?;
    }
}
