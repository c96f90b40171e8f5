//! The one place where requests are counted and written down.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use axum::body::HttpBody as _;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use cofio::ErrorKind;
use cofio::model::Identifier;
use jiff::Timestamp;

use super::house::House;
use super::log::{Level, Line};
use super::manner::Manner;
use super::openapi::Entry;
use crate::notes::Noted;

/// What stands for a path that nothing is served at, and for a method that nobody knows.
const OTHER: &str = "other";

/// The methods that are written down as they are.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Who watches, and what is done by which method at which path.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    house: House,
    names: Arc<HashMap<String, &'static str>>,
}

/// What was asked, in words of ours only.
struct Asked {
    method: &'static str,
    route: Option<MatchedPath>,
    operation: Option<&'static str>,
}

impl Watch {
    /// Watches over some endpoints.
    pub(super) fn new(house: House, entries: &[Entry]) -> Self {
        let name = |entry: &Entry| (format!("{} {}", entry.method(), entry.path), entry.name);
        Self { house, names: Arc::new(entries.iter().map(name).collect()) }
    }

    fn asked(&self, request: &Request) -> Asked {
        let method = method(request).unwrap_or(OTHER);
        let route = request.extensions().get::<MatchedPath>().cloned();
        // Whoever answers GET answers HEAD.
        let done_by = if method == "HEAD" { "GET" } else { method };
        let key = route.as_ref().map(|route| format!("{done_by} {}", route.as_str()));
        let operation = key.and_then(|key| self.names.get(&key).copied());
        Asked { method, route, operation }
    }
}

/// Lets a request pass, counts it, and writes down what became of it.
pub(super) async fn over(State(watch): State<Watch>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let metrics = watch.house.metrics();
    let _under_way = metrics.begin();
    let asked = watch.asked(&request);
    let manner = request.extensions().get::<Manner>().cloned().unwrap_or_default();
    // What a model has done is counted where it is done.
    request.extensions_mut().insert(metrics.clone());
    let response = next.run(request).await;
    let (took, noted) = (start.elapsed(), noted(&manner, &response));
    metrics.count_answer(response.status().as_u16());
    metrics.count_failure(&noted);
    if let Some(operation) = asked.operation {
        metrics.count_operation(operation, &noted, took);
    }
    watch.house.log().write(&Line {
        time: format!("{:.3}", Timestamp::now()),
        level: Level::of(response.status()),
        method: asked.method,
        route: asked.route.as_ref().map_or(OTHER, MatchedPath::as_str),
        status: response.status().as_u16(),
        duration_ms: took.as_secs_f64() * 1e3,
        bytes: response.body().size_hint().exact(),
        request_id: &manner.request_id,
        actor: noted.actor.as_ref().map(Identifier::as_str),
        code: noted.code,
    });
    response
}

/// Returns the method of a request, if it is one of those that are known.
pub(super) fn method(request: &Request) -> Option<&'static str> {
    METHODS.into_iter().find(|name| *name == request.method().as_str())
}

/// Returns what is noted of a request; of one that panicked nobody noted why.
pub(super) fn noted(manner: &Manner, response: &Response) -> Noted {
    let mut noted = manner.notes.noted();
    if response.status().is_server_error() {
        noted.code.get_or_insert(ErrorKind::Provider.code());
    }
    noted
}
