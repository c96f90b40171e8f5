//! Asks the server: again where nothing can have been paid for, and only there.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use cofio::llm::{Charge, Failure, Prompt, Reply};
use cofio::model::CleanText;
use cofio::{Error, ErrorKind, Result};
use ureq::Agent;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Response, Uri};

use super::reading::{Ending, Reading};
use super::{Dialect, Options, chat, messages};
use crate::key::Key;
use crate::retry::{self, Again};
use crate::{address, http, refusal};

/// The most bytes of an answer: its text, escaped, and what stands around it.
const BODY_BYTES: u64 = 4 * 1024 * 1024;

/// Knows the server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    agent: Agent,
    options: Options,
    address: Uri,
    headers: HeaderMap,
}

/// An attempt that failed.
struct Attempt {
    failure: retry::Failure,
    charge: Charge,
}

impl Client {
    /// Checks the options.
    pub fn new(options: Options) -> Result<Self> {
        let path = match options.dialect {
            Dialect::OpenAi => chat::PATH,
            Dialect::Anthropic => messages::PATH,
        };
        let address = address::of(&options.url, path, "answers", address::OPENAI)?;
        if options.model.trim().is_empty() {
            return Err(Error::new(ErrorKind::Configuration, "name the language model to ask"));
        }
        let headers = headers(&options);
        // A redirect could carry memories and key to somebody else.
        let agent = Agent::new_with_config(http::config().max_redirects(0).build());
        Ok(Self(Arc::new(Inner { agent, options, address, headers })))
    }

    /// Returns what the model answers.
    pub fn reply(
        &self,
        prompt: &Prompt,
        abandoned: impl Fn() -> bool,
    ) -> std::result::Result<Reply, Failure> {
        let Options { retry, timeout, .. } = &self.0.options;
        let mut charge = Charge::Nothing;
        let attempt = |left: Duration| {
            self.attempt(prompt, left.min(*timeout)).map_err(|attempt| {
                charge = attempt.charge;
                attempt.failure
            })
        };
        let answered = retry.run(abandoned, attempt);
        let reading = answered.map_err(|error| Failure { error, charge })?;
        let Reading { ending, text, charge } = reading;
        let why = match ending {
            Ending::Whole => return Ok(Reply { text, charge }),
            Ending::CutShort => "it was cut short, as it got too long",
            Ending::Refused => "the model refuses to answer",
            Ending::Odd => "it ended in a way that was not asked for",
        };
        Err(Failure { error: self.useless(why), charge })
    }

    /// Makes one request.
    fn attempt(&self, prompt: &Prompt, timeout: Duration) -> std::result::Result<Reading, Attempt> {
        let mut response = self.send(prompt, timeout).map_err(|error| self.unanswered(&error))?;
        if response.status() != 200 {
            return Err(self.refusal(&mut response, prompt));
        }
        let body = self.body(&mut response)?;
        let read = match self.0.options.dialect {
            Dialect::OpenAi => chat::read(&body),
            Dialect::Anthropic => messages::read(&body),
        };
        read.map_err(|what| self.paid_for_nothing(&what))
    }

    fn send(
        &self,
        prompt: &Prompt,
        timeout: Duration,
    ) -> std::result::Result<Response<ureq::Body>, ureq::Error> {
        let Inner { agent, options, address, headers } = &*self.0;
        let request = match options.dialect {
            Dialect::OpenAi => chat::request(prompt, &options.model, self.host()),
            Dialect::Anthropic => messages::request(prompt, &options.model),
        };
        let mut post = agent.post(address);
        for (name, value) in headers {
            post = post.header(name, value);
        }
        let post = post.config().timeout_global(Some(timeout)).build();
        post.send(request.to_string().as_bytes())
    }

    fn body(&self, response: &mut Response<ureq::Body>) -> std::result::Result<Vec<u8>, Attempt> {
        let too_long = || self.paid_for_nothing(&format!("it has more than {BODY_BYTES} bytes"));
        if !is_json(response.headers()) {
            return Err(self.paid_for_nothing("it says that it is not JSON"));
        }
        if response.body().content_length().is_some_and(|length| length > BODY_BYTES) {
            return Err(too_long());
        }
        match response.body_mut().with_config().limit(BODY_BYTES).read_to_vec() {
            Ok(body) => Ok(body),
            Err(ureq::Error::BodyExceedsLimit(_)) => Err(too_long()),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// Says why the server refused, which costs nothing unless it was somebody before it who gave
    /// up waiting.
    fn refusal(&self, response: &mut Response<ureq::Body>, prompt: &Prompt) -> Attempt {
        let messages = prompt.messages();
        let mut texts: Vec<&str> = prompt.material.iter().map(CleanText::as_str).collect();
        texts.extend(messages.iter().map(|message| message.text.as_str()));
        let asked = refusal::Asked {
            host: self.host(),
            deed: "answer",
            noun: "answers",
            place: "the address and the name of the model",
            passing: ErrorKind::Provider,
            key: self.0.options.key.as_ref(),
            texts: &texts,
            // A job that fails says so in the ledger, where a stranger's words have no place.
            quoted: false,
        };
        let may_be_paid = matches!(response.status().as_u16(), 408 | 504);
        let failure = refusal::read(&asked, response);
        if may_be_paid {
            let failure = retry::Failure { again: Again::Never, ..failure };
            return Attempt { failure, charge: Charge::Unknown };
        }
        Attempt { failure, charge: Charge::Nothing }
    }

    /// Says why there was no answer; it may be on its way still, unless there never was a connection.
    fn unanswered(&self, error: &ureq::Error) -> Attempt {
        let is_unreached = match error {
            ureq::Error::Io(error) => error.kind() == io::ErrorKind::ConnectionRefused,
            ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::ConnectProxyFailed(_)
            | ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => true,
            error => !http::is_passing(error),
        };
        if !is_unreached {
            return self.broken(error);
        }
        let failure = if http::is_passing(error) {
            retry::Failure::passing(self.no_answer(ErrorKind::Provider, error))
        } else {
            retry::Failure::lasting(self.no_answer(ErrorKind::Configuration, error))
        };
        Attempt { failure, charge: Charge::Nothing }
    }

    /// Says why an answer did not come to its end.
    fn broken(&self, error: &ureq::Error) -> Attempt {
        let failure = retry::Failure::lasting(self.no_answer(ErrorKind::Provider, error));
        Attempt { failure, charge: Charge::Unknown }
    }

    fn no_answer(&self, kind: ErrorKind, error: &ureq::Error) -> Error {
        let message = format!("cannot get an answer from {}: {}", self.host(), http::why(error));
        Error::new(kind, message)
    }

    fn paid_for_nothing(&self, what: &str) -> Attempt {
        let failure = retry::Failure::lasting(self.useless(what));
        Attempt { failure, charge: Charge::Unknown }
    }

    fn useless(&self, what: &str) -> Error {
        let message = format!("cannot use the answer of {}: {what}", self.host());
        Error::new(ErrorKind::Provider, message)
    }

    fn host(&self) -> &str {
        self.0.address.authority().map_or("", |authority| authority.as_str())
    }
}

/// Returns the headers of every request, with the key where the dialect wants it.
fn headers(options: &Options) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let secret = |text: String| {
        let mut value = HeaderValue::try_from(text).expect("a key is visible ASCII");
        value.set_sensitive(true);
        value
    };
    let key = options.key.as_ref().map(Key::reveal);
    match options.dialect {
        Dialect::OpenAi => {
            headers.extend(key.map(|key| (AUTHORIZATION, secret(format!("Bearer {key}")))));
        }
        Dialect::Anthropic => {
            let version = HeaderName::from_static("anthropic-version");
            headers.insert(version, HeaderValue::from_static(messages::VERSION));
            let name = HeaderName::from_static("x-api-key");
            headers.extend(key.map(|key| (name, secret(key.to_owned()))));
        }
    }
    headers
}

/// Returns whether an answer is JSON, by its own word; one that says nothing may be.
fn is_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_none_or(|value| {
        let value = value.to_str().unwrap_or_default().to_ascii_lowercase();
        value.split(';').next().is_some_and(|kind| kind.trim() == "application/json")
    })
}
