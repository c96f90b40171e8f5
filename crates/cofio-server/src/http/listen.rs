//! Connections: how many there are, how slowly they may ask and read, and how they end.

mod impatient;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time;

use super::limits::Limits;
use impatient::Impatient;

/// How long requests under way may take once somebody wants the process to end.
const DRAINING: Duration = Duration::from_secs(10);

/// How long the head of a request may take, and how long a connection may be silent.
const HEAD: Duration = Duration::from_secs(20);

/// How many bytes the head of a request may have.
const HEAD_BYTES: usize = 64 * 1024;

/// How many headers a request may have.
const HEADERS: usize = 100;

/// How long to wait when no connection can be taken, as when files have run out.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown` is over and what was asked by then is answered and `work` is done, or
/// they take too long.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    shutdown: impl Future<Output = ()> + Send + 'static,
    work: impl Future<Output = ()>,
) -> io::Result<()> {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(limits.connections));
    let service = TowerToHyperService::new(router);
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        // Whoever comes when there is no room waits in the queue of the listener.
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        let Ok((stream, _)) = accepted else {
            time::sleep(PAUSE).await;
            continue;
        };
        let connection = graceful.watch(connection(stream, limits.stall, service.clone()));
        tokio::spawn(async move {
            // A connection that breaks is the client's to mend.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let under_way = async {
        graceful.shutdown().await;
        work.await;
    };
    let _ = time::timeout(DRAINING, under_way).await;
    Ok(())
}

fn connection(
    stream: TcpStream,
    stall: Duration,
    service: TowerToHyperService<Router>,
) -> http1::Connection<Impatient, TowerToHyperService<Router>> {
    // Answers are written at once; waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_headers(HEADERS)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(Impatient::new(stream, stall), service)
}
