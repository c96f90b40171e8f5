//! A server that makes vectors, as much of one as the command needs.

use serde_json::{Value, json};

use crate::http::{Reply, Request, serve};

/// Starts a server that lives as long as the test, and returns the variables that choose it.
///
/// It refuses texts with the word `unspeakable`.
pub fn start() -> String {
    let port = serve(answer);
    format!("COFIO_EMBEDDER=openai COFIO_OPENAI_URL=http://127.0.0.1:{port}/v1")
}

fn answer(request: &Request) -> Reply {
    let request: Value = serde_json::from_slice(&request.body).unwrap();
    let texts: Vec<&str> =
        request["input"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    if texts.iter().any(|text| text.contains("unspeakable")) {
        return Reply { status: 400, kind: "text/plain", body: String::new() };
    }
    let vectors = texts.iter().enumerate().map(|(index, text)| {
        let mut vector = [1.0; 64];
        vector[0] = text.len() as f64;
        json!({"index": index, "embedding": vector.as_slice()})
    });
    let body = json!({"data": vectors.collect::<Vec<_>>()}).to_string();
    Reply { status: 200, kind: "application/json", body }
}
