//! The same server over streamable HTTP.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::{LONGEST_MESSAGE, Server};

/// How long a client of the era with sessions may be silent.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// Returns the service for one path; its streams end when `closing` is cancelled.
///
/// Which hosts and origins may ask is decided before, for every path.
pub fn service(
    server: Server,
    closing: CancellationToken,
) -> StreamableHttpService<Server, LocalSessionManager> {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(LONGEST_MESSAGE)
        .with_cancellation_token(closing);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
}
