//! Servers that are asked with JSON and answer with it.

use std::time::Duration;

use cofio::{Error, ErrorKind, Result};
use serde_json::Value;
use ureq::http::header::CONTENT_TYPE;
use ureq::http::{HeaderName, HeaderValue, Method, Request, Response};
use ureq::{Agent, Body};

use crate::key::Key;
use crate::{address, http, refusal};

/// The most bytes of an answer, which has many texts at a time.
const ANSWER_BYTES: u64 = 512 * 1024 * 1024;

/// Knows a server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Rest {
    agent: Agent,
    server: Server,
}

/// Which server, and how it is asked.
#[derive(Debug, Clone)]
pub struct Server {
    /// What it is called in messages.
    pub name: &'static str,
    /// Its address, without the path of anything.
    pub url: String,
    /// What an address looks like.
    pub example: &'static str,
    /// The header by which it knows who asks, with what stands before the key.
    pub header: (&'static str, &'static str),
    /// The key, if it wants one.
    pub key: Option<Key>,
    /// How long one request may take.
    pub timeout: Duration,
}

impl Rest {
    /// Checks the address.
    pub fn new(server: Server) -> Result<Self> {
        address::of(&server.url, "", server.name, server.example)?;
        let url = server.url.trim().trim_end_matches('/').to_owned();
        // A redirect could carry texts and key to somebody else.
        let config = http::config().max_redirects(0).timeout_global(Some(server.timeout));
        // Of what is deleted, these servers want to know more than an address can say.
        let agent = Agent::new_with_config(config.allow_non_standard_methods(true).build());
        Ok(Self { agent, server: Server { url, ..server } })
    }

    /// Asks, and returns the answer; `texts` must not be repeated in any error.
    pub fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        texts: &[&str],
    ) -> Result<Value> {
        let mut response = self.send(method, path, body)?;
        if !response.status().is_success() {
            return Err(self.refusal(&mut response, texts));
        }
        let limited = response.body_mut().with_config().limit(ANSWER_BYTES);
        let answer = limited.read_to_vec().map_err(|error| self.unanswered(&error))?;
        if answer.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&answer).map_err(|_| self.unreadable())
    }

    fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Response<Body>> {
        let mut request = Request::builder().method(method).uri(self.server.url.clone() + path);
        if let Some(key) = &self.server.key {
            let (name, before) = self.server.header;
            let value = HeaderValue::try_from(format!("{before}{}", key.reveal()));
            let mut value = value.expect("a key is visible ASCII");
            value.set_sensitive(true);
            request = request.header(HeaderName::from_static(name), value);
        }
        let Some(body) = body else {
            let request = request.body(()).map_err(|_| self.unreadable())?;
            return self.agent.run(request).map_err(|error| self.unanswered(&error));
        };
        let body = serde_json::to_vec(body).expect("a value has a JSON form");
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let request = request.map_err(|_| self.unreadable())?;
        self.agent.run(request).map_err(|error| self.unanswered(&error))
    }

    /// Says why the server refused; its own words are what caused the error.
    fn refusal(&self, response: &mut Response<Body>, texts: &[&str]) -> Error {
        let asked = refusal::Asked {
            host: self.server.name,
            deed: "serve this",
            noun: "contents",
            place: "its address",
            passing: ErrorKind::Provider,
            key: self.server.key.as_ref(),
            texts,
            quoted: false,
        };
        refusal::read(&asked, response).error
    }

    fn unanswered(&self, error: &ureq::Error) -> Error {
        let passing = http::is_passing(error);
        let kind = if passing { ErrorKind::Provider } else { ErrorKind::Configuration };
        let Server { name, url, .. } = &self.server;
        Error::new(kind, format!("cannot reach {name} at {url}: {}", http::why(error)))
    }

    /// Returns the error of an answer that says something else than was asked.
    pub fn unreadable(&self) -> Error {
        let Server { name, url, .. } = &self.server;
        let message = format!("cannot read the answer of {name} at {url}; check its address");
        Error::new(ErrorKind::Configuration, message)
    }
}
