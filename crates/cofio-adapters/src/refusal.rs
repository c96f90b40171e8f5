//! Answers that say no, told to a person and to whoever tries again.

use cofio::{Error, ErrorKind};
use ureq::http::header::LOCATION;
use ureq::http::{Response, Uri};

use crate::key::Key;
use crate::retry::{Again, Failure};
use crate::{complaint, http};

/// How much of a refusal is read.
const REFUSAL_BYTES: u64 = 64 * 1024;

/// What a server was asked.
pub struct Asked<'a> {
    pub host: &'a str,
    /// What it was to do, such as `make embeddings`.
    pub deed: &'static str,
    /// What was asked for, such as `embeddings`.
    pub noun: &'static str,
    /// What to check where nothing is found, such as `the address`.
    pub place: &'static str,
    /// What kind a refusal is that may pass.
    pub passing: ErrorKind,
    pub key: Option<&'a Key>,
    /// What it was shown, and must not be repeated.
    pub texts: &'a [&'a str],
    /// Whether its own words are part of the message; otherwise they are what caused it.
    pub quoted: bool,
}

/// Says why a server refused.
pub fn read(asked: &Asked<'_>, response: &mut Response<ureq::Body>) -> Failure {
    let Asked { host, deed, noun, place, key, .. } = asked;
    let status = response.status().as_u16();
    if (300..400).contains(&status) {
        let target = response.headers().get(LOCATION).and_then(|target| {
            let target: Uri = target.to_str().ok()?.parse().ok()?;
            Some(format!(" to {}", target.authority()?.host()))
        });
        let target = target.unwrap_or_default();
        let message = format!(
            "{host} sends requests for {noun} elsewhere{target}, which is not followed: \
             put the right address into the settings"
        );
        return Failure::lasting(Error::new(ErrorKind::Configuration, message));
    }
    let wait = http::retry_after(response.headers());
    let body = response.body_mut().with_config().limit(REFUSAL_BYTES).read_to_vec();
    let body = body.unwrap_or_default();
    let said = complaint::read(&body, *key, asked.texts);
    let (quoted, cause) = if asked.quoted { (said, None) } else { (None, said) };
    let quoted = quoted.map(|said| format!(": {said}")).unwrap_or_default();
    let is_unpaid = complaint::code(&body).is_some_and(|code| code == "insufficient_quota");
    let advice = match (status, key) {
        (401 | 403, Some(_)) => ", check the key".to_owned(),
        (401 | 403, None) => ", it needs a key".to_owned(),
        (404 | 405, _) => format!(", check {place}"),
        (429, _) if is_unpaid => ", check what the key may spend".to_owned(),
        _ => String::new(),
    };
    let kind = match status {
        429 if !is_unpaid => ErrorKind::RateLimited,
        408 | 500.. => asked.passing,
        _ => ErrorKind::Configuration,
    };
    let message = format!("{host} refuses to {deed} ({status}{advice}){quoted}");
    let mut error = Error::new(kind, message).with("status", status);
    if let Some(cause) = cause {
        error = error.caused_by(cause);
    }
    if let Some(wait) = wait {
        error = error.with("retryAfterSeconds", wait.as_secs());
    }
    let passing = http::is_passing_status(status) && !is_unpaid;
    Failure { error, again: if passing { Again::Later(wait) } else { Again::Never } }
}
