//! How a request wants to be answered, and the name it goes by in headers and logs.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use uuid::Uuid;

use crate::notes::Notes;

/// The header that names a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that names the version of this server.
const VERSION: HeaderName = HeaderName::from_static("x-provider-version");

/// The longest name of a request that is taken over from the client.
const LONGEST: usize = 128;

/// How one request wants to be answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manner {
    /// The client's own name for the request, or one of ours.
    pub(crate) request_id: String,
    /// Whether failures are wanted in the form of RFC 9457.
    pub(crate) problem: bool,
    /// What is written down of it.
    pub(crate) notes: Notes,
    /// Whether the message is wanted where Mem0's clients look for it.
    pub(crate) detail: bool,
}

impl Manner {
    fn of(headers: &HeaderMap, path: &str) -> Self {
        let named = headers.get(REQUEST_ID).and_then(|name| name.to_str().ok());
        let named = named.filter(|name| is_plain(name)).map(ToOwned::to_owned);
        let accepted = headers.get_all(header::ACCEPT).iter();
        let mut accepted = accepted.filter_map(|value| value.to_str().ok());
        Self {
            request_id: named.unwrap_or_else(|| Uuid::now_v7().simple().to_string()),
            problem: accepted.any(|forms| forms.contains("application/problem+json")),
            notes: Notes::default(),
            // No other path that is served ends so.
            detail: path.ends_with('/'),
        }
    }
}

/// Returns whether a name can stand in a header and in a line of a log.
fn is_plain(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Finds out how a request wants to be answered, and names it in the answer.
pub(super) async fn note(mut request: Request, next: Next) -> Response {
    let manner = Manner::of(request.headers(), request.uri().path());
    let name = HeaderValue::from_str(&manner.request_id);
    request.extensions_mut().insert(manner);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.extend(name.ok().map(|name| (REQUEST_ID, name)));
    headers.insert(VERSION, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // What somebody remembers is nobody else's to keep.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, taken: bool) {
        let value = HeaderValue::from_bytes(name.as_bytes()).unwrap();
        let headers = HeaderMap::from_iter([(REQUEST_ID, value)]);
        assert_eq!(Manner::of(&headers, "/v1").request_id == name, taken, "{name:?}");
    }

    #[test]
    fn a_name_is_taken_over_if_it_can_stand_anywhere() {
        check("req-42_a.b", true);
        check("", false);
        check("a b", false);
        check("{\"level\":\"error\"}", false);
        check(&"x".repeat(129), false);
    }
}
