//! The same server over streamable HTTP.

use std::sync::Arc;

use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::sessions::{Bounds, Sessions};
use super::{LONGEST_MESSAGE, Server};

/// Returns the service for one path; its streams end when `closing` is cancelled.
///
/// Which hosts and origins may ask is decided before, for every path; so is who asks.
pub(crate) fn service(
    server: Server,
    bounds: Bounds,
    closing: CancellationToken,
) -> StreamableHttpService<Server, Sessions> {
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(LONGEST_MESSAGE)
        .with_cancellation_token(closing);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(Sessions::new(bounds)), config)
}
