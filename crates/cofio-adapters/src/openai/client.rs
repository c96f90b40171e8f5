//! Asks the server: one request at a time, again where that can help.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cofio::model::{CleanText, Fingerprint};
use cofio::{Error, ErrorKind, Result};
use serde::Serialize;
use ureq::Agent;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE};
use ureq::http::{HeaderValue, Response, Uri};

use super::{Options, answer, batch};
use crate::retry::{Failure, Retry};
use crate::{address, http, refusal};

/// The most dimensions that any model is expected to have.
const MOST_DIMENSIONS: usize = 16_384;

/// The most characters that one number takes in JSON, with space around it.
const NUMBER_BYTES: usize = 32;

/// What an answer may have besides numbers.
const OTHER_BYTES: usize = 64 * 1024;

/// Knows the server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    agent: Agent,
    options: Options,
    /// Where embeddings are made.
    address: Uri,
    authorization: Option<HeaderValue>,
    /// How many dimensions vectors have, once that is known.
    dimensions: OnceLock<usize>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    /// A third of the bytes of an array; those who cannot do it answer with one.
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

impl Client {
    /// Checks the options.
    pub fn new(options: Options) -> Result<Self> {
        let address = address::of(&options.url, "embeddings", "embeddings", address::OPENAI)?;
        if options.model.trim().is_empty() {
            return Err(wrong("name the model that makes embeddings"));
        }
        let dimensions = OnceLock::new();
        if let Some(asked) = options.dimensions {
            if !(1..=MOST_DIMENSIONS).contains(&asked) {
                return Err(wrong(format!("ask for 1 to {MOST_DIMENSIONS} dimensions")));
            }
            let _ = dimensions.set(asked);
        }
        let authorization = options.key.as_ref().map(|key| {
            let bearer = format!("Bearer {}", key.reveal());
            let mut value = HeaderValue::try_from(bearer).expect("a key is visible ASCII");
            value.set_sensitive(true);
            value
        });
        // A redirect could carry texts and key to somebody else.
        let agent = Agent::new_with_config(http::config().max_redirects(0).build());
        Ok(Self(Arc::new(Inner { agent, options, address, authorization, dimensions })))
    }

    /// Names the server by its whole address, the model and the dimensions.
    ///
    /// One host may be the gateway to several servers. An address has neither user nor query, and
    /// no `#`, so nothing of the model can pass for a part of it.
    pub fn fingerprint(&self) -> Result<Fingerprint> {
        let Options { model, dimensions, .. } = &self.0.options;
        let size = dimensions.map_or_else(|| "native".to_owned(), |size| size.to_string());
        let address = self.0.address.to_string();
        let address = address.strip_suffix("/embeddings").unwrap_or(&address);
        Fingerprint::new(format!("openai:{address}#{model}/{size}")).map_err(|_| {
            wrong(format!(
                "cannot use the model {model:?}: its name and the address of the server have to be \
                 visible ASCII characters, at most 180 together"
            ))
        })
    }

    /// Returns one vector per text, in order.
    pub fn embed(
        &self,
        texts: &[CleanText],
        retry: &Retry,
        abandoned: impl Fn() -> bool,
    ) -> Result<Vec<Vec<f32>>> {
        let options = &self.0.options;
        let shown: Vec<&str> =
            texts.iter().map(|text| batch::shown(text, options.text_bytes)).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in batch::split(&shown, options.batch_texts, options.batch_bytes) {
            let ask = |left: Duration| self.ask(&batch, left.min(options.timeout));
            vectors.extend(retry.run(&abandoned, ask)?);
            if abandoned() {
                return Err(Error::new(ErrorKind::EmbeddingFailed, "nobody waits for the answer"));
            }
        }
        Ok(vectors)
    }

    /// Makes one request.
    fn ask(
        &self,
        texts: &[&str],
        timeout: Duration,
    ) -> std::result::Result<Vec<Vec<f32>>, Failure> {
        let mut response = self.send(texts, timeout)?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(self.refusal(&mut response, texts));
        }
        let limit = self.limit(texts.len());
        if response.body().content_length().is_some_and(|length| length > limit) {
            return Err(Failure::lasting(self.too_long(limit)));
        }
        let body = match response.body_mut().with_config().limit(limit).read_to_vec() {
            Ok(body) => body,
            Err(ureq::Error::BodyExceedsLimit(_)) => {
                return Err(Failure::lasting(self.too_long(limit)));
            }
            Err(error) => return Err(self.unanswered(&error)),
        };
        let vectors = answer::read(&body, texts.len())
            .map_err(|what| Failure::lasting(self.useless(&what)))?;
        self.check_dimensions(&vectors).map_err(Failure::lasting)?;
        Ok(vectors)
    }

    fn send(
        &self,
        texts: &[&str],
        timeout: Duration,
    ) -> std::result::Result<Response<ureq::Body>, Failure> {
        let Options { model, dimensions, .. } = &self.0.options;
        let request =
            Request { model, input: texts, encoding_format: "base64", dimensions: *dimensions };
        let body = serde_json::to_vec(&request).expect("a request has a JSON form");
        let mut post = self.0.agent.post(&self.0.address).header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.0.authorization {
            post = post.header(AUTHORIZATION, authorization);
        }
        let post = post.config().timeout_global(Some(timeout)).build();
        post.send(&body).map_err(|error| self.unanswered(&error))
    }

    /// Returns how many bytes an answer may have.
    fn limit(&self, texts: usize) -> u64 {
        let dimensions = self.0.dimensions.get().copied().unwrap_or(MOST_DIMENSIONS);
        (OTHER_BYTES + texts * (dimensions * NUMBER_BYTES + 1024)) as u64
    }

    /// Refuses vectors that cannot be compared with those that came before.
    fn check_dimensions(&self, vectors: &[Vec<f32>]) -> Result<()> {
        let Some(found) = vectors.first().map(Vec::len) else { return Ok(()) };
        let expected = *self.0.dimensions.get_or_init(|| found);
        if found == expected {
            return Ok(());
        }
        let (host, model) = (self.host(), &self.0.options.model);
        Err(wrong(match self.0.options.dimensions {
            Some(asked) => format!(
                "{host} gave {found} dimensions of {model} where {asked} were asked for: \
                 the model cannot be shortened to that"
            ),
            None => format!(
                "{host} gives {found} dimensions for {model}, where it gave {expected} before: \
                 it is another model"
            ),
        }))
    }

    /// Says why the server refused.
    fn refusal(&self, response: &mut Response<ureq::Body>, texts: &[&str]) -> Failure {
        let asked = refusal::Asked {
            host: self.host(),
            deed: "make embeddings",
            noun: "embeddings",
            place: "the address and the name of the model",
            passing: ErrorKind::EmbeddingFailed,
            key: self.0.options.key.as_ref(),
            texts,
            quoted: true,
        };
        refusal::read(&asked, response)
    }

    fn unanswered(&self, error: &ureq::Error) -> Failure {
        let passing = http::is_passing(error);
        let kind = if passing { ErrorKind::EmbeddingFailed } else { ErrorKind::Configuration };
        let message = format!("cannot get embeddings from {}: {}", self.host(), http::why(error));
        let error = Error::new(kind, message);
        if passing { Failure::passing(error) } else { Failure::lasting(error) }
    }

    fn too_long(&self, limit: u64) -> Error {
        self.useless(&format!("it has more than {limit} bytes"))
    }

    fn useless(&self, what: &str) -> Error {
        wrong(format!("cannot use the answer of {}: {what}", self.host()))
    }

    fn host(&self) -> &str {
        self.0.address.authority().map_or("", |authority| authority.as_str())
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_names_address_model_and_dimensions() {
        let check = |options: Options, expected: &str| {
            let fingerprint = Client::new(options).and_then(|client| client.fingerprint());
            assert_eq!(fingerprint.unwrap().as_str(), expected);
        };
        let small = Options::new("https://api.openai.com/v1", "text-embedding-3-small");
        check(small.clone(), "openai:https://api.openai.com/v1#text-embedding-3-small/native");
        check(
            Options { dimensions: Some(256), ..small },
            "openai:https://api.openai.com/v1#text-embedding-3-small/256",
        );
        let local = Options::new("http://127.0.0.1:11434/v1", "nomic-embed-text:v1.5");
        check(local, "openai:http://127.0.0.1:11434/v1#nomic-embed-text:v1.5/native");
        let gateway =
            |path: &str, model: &str| Options::new(format!("https://gw/{path}/v1"), model);
        check(gateway("a", "b/m"), "openai:https://gw/a/v1#b/m/native");
        check(gateway("b", "b/m"), "openai:https://gw/b/v1#b/m/native");
    }

    #[test]
    fn options_that_cannot_work_are_refused() {
        let check = |options: Options| {
            let refused = Client::new(options).and_then(|client| client.fingerprint());
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Configuration);
        };
        let good = || Options::new("http://host/v1", "m");
        check(Options { model: " ".to_owned(), ..good() });
        check(Options { model: "ein Modell".to_owned(), ..good() });
        check(Options { model: "m".repeat(300), ..good() });
        check(Options { dimensions: Some(0), ..good() });
        check(Options { dimensions: Some(1 << 20), ..good() });
    }
}
