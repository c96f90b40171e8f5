//! Where MCP is carried: every request is its caller's, and opens no session of anybody else.

use std::time::Duration;

use axum::Extension;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, any_service};
use tokio_util::sync::CancellationToken;

use super::failure::Failure;
use super::house::House;
use super::limits::Limits;
use super::manner::Manner;
use crate::Place;
use crate::mcp::{self, Bounds, Server};

/// When to try again if too many sessions are open.
const PAUSE: Duration = Duration::from_secs(60);

/// Returns what answers there; its streams end when `closing` is cancelled.
pub(super) fn route(
    server: Server,
    limits: &Limits,
    closing: CancellationToken,
) -> MethodRouter<House> {
    let bounds = Bounds {
        in_all: limits.sessions,
        per_caller: limits.sessions_per_caller,
        silence: limits.session_silence,
    };
    any_service(mcp::service(server, bounds, closing)).layer(middleware::from_fn(as_caller))
}

/// Lets a request pass as its caller's.
async fn as_caller(
    Extension(place): Extension<Place>,
    Extension(manner): Extension<Manner>,
    request: Request,
    next: Next,
) -> Response {
    let caller = place.caller().actor().clone();
    mcp::asked_by(caller, next.run(request)).await.unwrap_or_else(|mcp::Full| {
        let message = "too many sessions are open; try again later";
        Failure::busy(StatusCode::SERVICE_UNAVAILABLE, message, PAUSE).answer(&manner)
    })
}
