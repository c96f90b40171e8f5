//! Who may ask: programs on this machine that mean this server, and whoever has a key.
//!
//! A page in a browser reaches servers on loopback, by its own address or by a name that leads
//! there, so the name that was asked for and the page that asks are both checked. A request with a
//! key may ask by any name, as behind a proxy: a page has no key to send unless somebody gave it one.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use cofio::ErrorKind;

use super::admission;
use super::failure::Failure;
use super::manner::Manner;

/// The hosts that are this server, with their port.
#[derive(Debug, Clone)]
pub(super) struct Guard(Arc<BTreeSet<String>>);

impl Guard {
    /// Takes the address that is listened at.
    pub(super) fn new(address: SocketAddr) -> Self {
        let port = address.port();
        let names = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        Self(Arc::new(names.into_iter().chain([address.to_string()]).collect()))
    }

    /// Returns why a request is refused, if it is.
    fn objection(
        &self,
        has_key: bool,
        host: Option<&str>,
        origin: Option<&str>,
    ) -> Option<&'static str> {
        if !has_key && !host.is_some_and(|host| self.is_own(host)) {
            return Some("this server is asked by another name than its own");
        }
        let own_page = |origin: &str| {
            let here = origin.strip_prefix("http://").is_some_and(|name| self.is_own(name));
            // Behind a proxy the page came from the name that is asked for.
            here || has_key && origin.split_once("://").is_some_and(|(_, name)| host == Some(name))
        };
        if origin.is_some_and(|origin| !own_page(origin)) {
            return Some("pages of other servers may not ask");
        }
        None
    }

    fn is_own(&self, host: &str) -> bool {
        self.0.contains(&host.to_ascii_lowercase())
    }
}

/// Lets a request pass, or refuses it.
pub(super) async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let (host, origin) = (only(headers, &header::HOST), only(headers, &header::ORIGIN));
    match guard.objection(admission::has_key(headers), host, origin) {
        Some(objection) => {
            let manner = request.extensions().get::<Manner>().cloned().unwrap_or_default();
            let code = ErrorKind::Unauthorized.code();
            Failure::new(StatusCode::FORBIDDEN, code, objection).answer(&manner)
        }
        None => next.run(request).await,
    }
}

/// Returns what a header says; whoever says it twice means to be read differently by two readers.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        Some("several")
    } else {
        first.to_str().ok().or(Some("unreadable"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: Option<&str>, origin: Option<&str>, passes: bool) {
        let guard = Guard::new("127.0.0.1:7717".parse().unwrap());
        let objection = guard.objection(false, host, origin);
        assert_eq!(objection.is_none(), passes, "{host:?} {origin:?}");
    }

    #[test]
    fn whoever_has_a_key_may_ask_by_any_name_but_not_from_any_page() {
        let guard = Guard::new("127.0.0.1:7717".parse().unwrap());
        let name = Some("memory.example");
        assert!(guard.objection(true, name, None).is_none());
        assert!(guard.objection(true, name, Some("https://memory.example")).is_none());
        for origin in ["http://evil.example", "https://memory.example:8443", "null", ""] {
            assert!(guard.objection(true, name, Some(origin)).is_some(), "{origin}");
        }
        assert!(guard.objection(false, name, Some("https://memory.example")).is_some());
    }

    #[test]
    fn programs_on_this_machine_pass() {
        check(Some("127.0.0.1:7717"), None, true);
        check(Some("LocalHost:7717"), None, true);
        check(Some("[::1]:7717"), None, true);
        check(Some("127.0.0.1:7717"), Some("http://127.0.0.1:7717"), true);
        check(Some("127.0.0.1:7717"), Some("http://localhost:7717"), true);
    }

    #[test]
    fn pages_of_others_do_not() {
        check(None, None, false);
        check(Some(""), None, false);
        check(Some("127.0.0.1"), None, false);
        check(Some("127.0.0.1:80"), None, false);
        check(Some("evil.example:7717"), None, false);
        check(Some("127.0.0.1.evil.example:7717"), None, false);
        check(Some("127.0.0.1:7717@evil.example"), None, false);
        check(Some("localhost.:7717"), None, false);
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://127.0.0.1:3000",
            "https://127.0.0.1:7717",
            "http://127.0.0.1:7717.evil.example",
            "file://",
        ] {
            check(Some("127.0.0.1:7717"), Some(origin), false);
        }
    }
}
