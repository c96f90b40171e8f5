//! What every HTTP request of this crate has in common.

use std::io;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use ureq::config::ConfigBuilder;
use ureq::http::HeaderMap;
use ureq::typestate::AgentScope;
use ureq::{Agent, Error};

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Starts the settings of a client; every status is an answer, not an error.
pub fn config() -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT))
        .user_agent(concat!("cofio/", env!("CARGO_PKG_VERSION")))
}

/// Returns whether a status may be another one later.
pub fn is_passing_status(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..)
}

/// Returns whether a request that got no answer may get one later.
pub fn is_passing(error: &Error) -> bool {
    match error {
        // A certificate that is not trusted arrives as an error of reading.
        Error::Io(error) => error.kind() != io::ErrorKind::InvalidData,
        Error::Timeout(_)
        | Error::HostNotFound
        | Error::ConnectionFailed
        | Error::Protocol(_)
        | Error::ConnectProxyFailed(_)
        | Error::BodyStalled => true,
        _ => false,
    }
}

/// Says why there was no answer, in the words of a person and without any address.
pub fn why(error: &Error) -> String {
    match error {
        Error::Timeout(_) => "no answer in time".to_owned(),
        Error::HostNotFound => "there is no such host, or no network".to_owned(),
        Error::ConnectionFailed => "no connection".to_owned(),
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the connection ended early".to_owned()
        }
        Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            "nobody vouches for its certificate".to_owned()
        }
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "nothing listens there; start the server or check its address".to_owned()
        }
        Error::Io(error) => error.to_string(),
        Error::Protocol(_) => "the answer is not HTTP".to_owned(),
        Error::Rustls(error) => error.to_string(),
        other => other.to_string(),
    }
}

/// Returns how long a server asks to be left alone.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let asked = text("retry-after")?;
    if let Ok(seconds) = asked.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = DateTimeParser::new().parse_timestamp(asked).ok()?;
    Some(moment.duration_since(Timestamp::now()).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        retry_after(&headers)
    }

    #[test]
    fn a_wait_is_asked_for_in_three_ways() {
        assert_eq!(asked("retry-after", " 7 "), Some(Duration::from_secs(7)));
        assert_eq!(asked("retry-after-ms", "7"), Some(Duration::from_millis(7)));
        let soon = Timestamp::now() + jiff::SignedDuration::from_secs(90);
        let date = soon.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let wait = asked("retry-after", &date).unwrap().as_secs();
        assert!((80..=90).contains(&wait), "{date}: {wait}");
        let past = "Wed, 21 Oct 2015 07:28:00 GMT";
        assert_eq!(asked("retry-after", past), Some(Duration::ZERO));
        assert_eq!(asked("retry-after", "soon"), None);
        assert_eq!(asked("retry-after", "-1"), None);
    }

    #[test]
    fn only_some_statuses_pass() {
        for status in [408, 429, 500, 502, 503, 504] {
            assert!(is_passing_status(status), "{status}");
        }
        for status in [200, 302, 400, 401, 403, 404, 409, 422] {
            assert!(!is_passing_status(status), "{status}");
        }
    }
}
