//! Everything that is served over HTTP: one router, one listener, one way to end.

mod guard;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio::time;
use tokio_util::sync::CancellationToken;

use crate::mcp::{self, Server};
use guard::Guard;

/// How long requests under way may take once somebody wants the process to end.
const DRAINING: Duration = Duration::from_secs(10);

/// Returns everything that is served at an address; streams end when `closing` is cancelled.
pub fn router(server: Server, address: SocketAddr, closing: CancellationToken) -> Router {
    let guard = Guard::new(address);
    Router::new()
        .route_service("/mcp", mcp::service(server, closing))
        .layer(middleware::from_fn_with_state(guard, guard::check))
}

/// Opens the door until `shutdown` is over.
pub async fn open(
    server: Server,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let closing = CancellationToken::new();
    let router = router(server, listener.local_addr()?, closing.clone());
    let shutdown = async move {
        shutdown.await;
        closing.cancel();
    };
    serve(listener, router, shutdown).await
}

/// Serves until `shutdown` is over and what was asked by then is answered, or takes too long.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let overdue = CancellationToken::new();
    let late = overdue.clone();
    let shutdown = async move {
        shutdown.await;
        tokio::spawn(async move {
            time::sleep(DRAINING).await;
            late.cancel();
        });
    };
    let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown);
    overdue.run_until_cancelled(serving.into_future()).await.unwrap_or(Ok(()))
}
