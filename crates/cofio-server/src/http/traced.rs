//! Spans of requests, made of what is noted of them.

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;

use super::house::House;
use super::manner::Manner;
use super::watch;
use crate::Telemetry;

/// Has spans made of all requests, if there is somebody to send them to.
pub(super) fn traced(router: Router<House>, telemetry: Option<Telemetry>) -> Router<House> {
    match telemetry {
        Some(telemetry) => router.layer(middleware::from_fn_with_state(telemetry, over)),
        None => router,
    }
}

/// Lets a request pass, and tells what became of it.
async fn over(State(telemetry): State<Telemetry>, mut request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let trace = telemetry.begin(watch::method(&request), route, request.headers());
    let manner = request.extensions().get::<Manner>().cloned().unwrap_or_default();
    // What a model has done is told where it is done.
    request.extensions_mut().insert(trace.clone());
    let response = next.run(request).await;
    trace.end(response.status(), &manner.request_id, &watch::noted(&manner, &response));
    response
}
