//! Everything that is served over HTTP: one router, one listener, one way to end.
//!
//! An endpoint is one type: how and where it is asked, what it takes and answers, what it says of
//! itself, and what it does. Routes and the `OpenAPI` document are made from the same list of them.

mod admission;
mod answer;
mod body;
mod docs;
mod endpoint;
mod eventually;
mod failure;
mod guard;
mod health;
mod house;
mod jobs;
mod limits;
mod listen;
mod log;
mod manner;
mod mem0;
mod metrics;
mod openapi;
mod openspec;
mod progress;
mod rest;
mod rounds;
mod shape;
mod stream;
mod tools;
#[cfg(feature = "otel")]
mod traced;
mod visit;
mod watch;

use std::any::Any;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router, middleware};
use cofio::ErrorKind;
use cofio::lifecycle::schedule::Timetable;
use cofio::model::{Caller, Identifiers};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::mcp::Server;
use crate::upkeep::keep_in_order;
use failure::Failure;
use guard::Guard;
use house::House;
use jobs::Jobs;
use manner::Manner;
use openapi::Entry;
use visit::Visitor;
use watch::Watch;

pub use limits::Limits;
pub use log::{Log, LogForm, Logged};

/// What is served, and to whom.
#[derive(Debug)]
pub struct Service {
    /// What answers at `/mcp`, and whose desk the others share.
    pub server: Server,
    /// Who asks without a key, as long as there are none; nobody, where others reach the address.
    pub local: Option<(Caller, Identifiers)>,
    /// How much is taken from anybody.
    pub limits: Limits,
    /// Where requests are written down.
    pub log: Log,
    /// Whether Mem0's clients are answered too.
    pub mem0: bool,
    /// When which task is done by itself.
    pub timetable: Timetable,
    /// Where spans are sent, if anywhere.
    #[cfg(feature = "otel")]
    pub telemetry: Option<crate::Telemetry>,
}

impl Service {
    /// Serves a server's desk within the usual limits; writes nothing down and does nothing by itself.
    pub fn new(server: Server, local: Option<(Caller, Identifiers)>) -> Self {
        let (limits, log) = (Limits::default(), Log::nothing());
        Self {
            server,
            local,
            limits,
            log,
            mem0: false,
            timetable: Timetable::default(),
            #[cfg(feature = "otel")]
            telemetry: None,
        }
    }
}

/// Opens the door until `shutdown` is over.
pub async fn open(
    service: Service,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let closing = CancellationToken::new();
    let limits = service.limits.clone();
    let jobs = Arc::default();
    #[cfg(feature = "otel")]
    let telemetry = service.telemetry.clone();
    let timetable = service.timetable.clone();
    let upkeep = keep_in_order(service.server.desk().clone(), timetable);
    let router = router(service, listener.local_addr()?, closing.clone(), Arc::clone(&jobs));
    tokio::spawn(closing.clone().run_until_cancelled_owned(upkeep));
    let shutdown = async move {
        shutdown.await;
        closing.cancel();
    };
    let served = listen::serve(listener, router, &limits, shutdown, jobs.ended()).await;
    #[cfg(feature = "otel")]
    if let Some(telemetry) = telemetry {
        telemetry.end().await;
    }
    served
}

/// Returns the `OpenAPI` document of everything that is served without any switch.
pub fn document() -> serde_json::Value {
    openapi::document(&endpoints(false))
}

/// Returns everything that is served at an address; streams end when `closing` is cancelled.
fn router(
    service: Service,
    address: SocketAddr,
    closing: CancellationToken,
    jobs: Arc<Jobs>,
) -> Router {
    let Service { server, local, limits, log, mem0, .. } = service;
    let local = local.map(|(caller, identifiers)| Visitor::local(caller, identifiers));
    let mcp = tools::route(server.clone(), &limits, closing.clone());
    let house = House::new(server.desk().clone(), local, limits, log, closing, jobs);
    let endpoints = endpoints(mem0);
    let document = openapi::document(&endpoints).to_string();
    let json = [("content-type", "application/json")];
    let watch = Watch::new(house.clone(), &endpoints);
    // What somebody asks passes these from the last to the first.
    let router = api(&endpoints)
        .route("/mcp", mcp)
        .layer(middleware::from_fn_with_state(house.clone(), admission::admit))
        .layer(middleware::from_fn_with_state(house.clone(), limits::keep_within))
        .fallback(nowhere)
        .layer(middleware::from_fn_with_state(Guard::new(address), guard::check))
        // What is the same for everybody may be asked for by any name, as behind a proxy.
        .route("/openapi.json", get(move || async move { (json, document) }))
        .route("/docs", docs::page())
        .route("/", docs::root())
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .method_not_allowed_fallback(otherwise)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(watch, watch::over));
    #[cfg(feature = "otel")]
    let router = traced::traced(router, service.telemetry);
    router.layer(middleware::from_fn(manner::note)).layer(CompressionLayer::new()).with_state(house)
}

/// Returns every endpoint, in the order of the documentation.
fn endpoints(mem0: bool) -> Vec<Entry> {
    let stream = vec![Entry::of::<stream::Follow>()];
    let mut endpoints =
        [rest::endpoints(), stream, metrics::ENDPOINTS.to_vec(), openspec::endpoints()].concat();
    if mem0 {
        endpoints.extend_from_slice(mem0::ENDPOINTS);
    }
    endpoints
}

fn api(entries: &[Entry]) -> Router<House> {
    let route = |router: Router<House>, entry: &Entry| router.route(&entry.path, entry.route());
    entries.iter().fold(Router::new(), route).method_not_allowed_fallback(otherwise)
}

async fn nowhere(Extension(manner): Extension<Manner>) -> Response {
    let message = "nothing is served at this path; /docs and /openapi.json say what is";
    Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", message).answer(&manner)
}

async fn otherwise(Extension(manner): Extension<Manner>) -> Response {
    let message = "this path is not asked by this method";
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message).answer(&manner)
}

/// Says that something went wrong that should never do; what it was stays here.
fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    let message = "something went wrong that should not have";
    let code = ErrorKind::Provider.code();
    Failure::new(StatusCode::INTERNAL_SERVER_ERROR, code, message).answer(&Manner::default())
}
