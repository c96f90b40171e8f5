//! The documentation for people: one page that needs nothing from elsewhere.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{MethodRouter, get};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::house::House;

/// The page; it reads `openapi.json` beside it and writes it out.
const PAGE: &str = include_str!("docs/page.html");

/// Whether other pages are told where somebody comes from.
const REFERRER_POLICY: HeaderName = HeaderName::from_static("referrer-policy");

/// Returns what answers where the page is.
pub(super) fn page() -> MethodRouter<House> {
    let policy = HeaderValue::from_str(&policy()).expect("hashes and words of ours are ASCII");
    get(move || async move { answer(policy) })
}

/// Returns what answers at the root: the way to the page.
pub(super) fn root() -> MethodRouter<House> {
    get(async || Redirect::to("docs"))
}

fn answer(policy: HeaderValue) -> Response {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, Html(PAGE)).into_response()
}

/// Returns what a browser lets the page do: run its own script, and ask this server.
fn policy() -> String {
    let (script, style) =
        (hash(between("<script>", "</script>")), hash(between("<style>", "</style>")));
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Returns the text of the page between two tags that it has once.
fn between(open: &str, close: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(open).unwrap_or_default();
    rest.split_once(close).unwrap_or_default().0
}
