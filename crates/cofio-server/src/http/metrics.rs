//! What Prometheus asks for.

use std::fmt;
use std::time::Duration;

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use cofio::model::{Checkup, Right};
use cofio::{Error, ErrorKind};
use schemars::SchemaGenerator;
use serde_json::{Value, json};
use tokio::time;

use super::answer::Answer;
use super::body::Empty;
use super::endpoint::{Asked, Endpoint, Group, Nothing};
use super::failure::{Failure, Outcome};
use super::house::House;
use super::manner::Manner;
use super::openapi::Entry;
use super::visit::Visit;
use crate::metrics::{self, MEDIA_TYPE, Present};

/// How long the home may take to say who asks, and to be opened.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Every endpoint.
pub(super) const ENDPOINTS: &[Entry] = &[Entry::of::<GetMetrics>()];

struct GetMetrics;

/// Counts and times, as Prometheus reads them.
struct Page(String);

impl Endpoint for GetMetrics {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Page;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metrics";
    const NAME: &'static str = "getMetrics";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Read counts and times, as Prometheus does";
    const ABOUT: &'static str = "How often what was done, how long it took, what failed, what the store holds on each layer, how the latest maintenance went, what waits, whether each server that memories are kept on and each of its parts is well, and what came of asking them. Nobody is named, and nothing is said of any memory. What the store holds is counted, and servers are asked, at most every ten seconds. A store that does not say what it holds is left out of the counts; one that does not even say who asks leaves only how each server is, which nobody needs a key for.";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        let (house, engine) = (&visit.house, &visit.engine);
        let census = house.census(engine, visit.caller());
        let (census, checkups) = tokio::join!(census, house.checkups(engine));
        let tallies = house.opened().await?.tallies.read();
        let present = Present {
            census: census?,
            checkups,
            tallies,
            backlog: engine.backlog(),
            jobs: house.jobs().running(),
            streams: house.streams().count(),
        };
        Ok(Page(house.metrics().written(&present).map_err(unwritten)?))
    }
}

/// Returns whether a request is for the metrics.
pub(super) fn are_asked(request: &Request) -> bool {
    request.uri().path() == GetMetrics::PATH && request.method().is_safe()
}

/// Says how the stores are where the home does not say who asks: what a stranger may know, as they
/// are told as much of their readiness.
pub(super) async fn of_stores(house: &House, manner: &Manner) -> Response {
    let checkups = match time::timeout(PATIENCE, house.opened()).await {
        Ok(Ok(opened)) => house.checkups(&opened.engine).await,
        failed => [unopened(failed.ok().and_then(Result::err))].into(),
    };
    match metrics::written(&checkups) {
        Ok(page) => Page(page).into_response(),
        Err(error) => Failure::from(unwritten(error)).answer(manner),
    }
}

fn unopened(error: Option<Error>) -> Checkup {
    let slow = || Error::new(ErrorKind::Provider, "the store was not opened in time");
    Checkup { name: "store".to_owned(), health: Err(error.unwrap_or_else(slow)) }
}

fn unwritten(_: fmt::Error) -> Error {
    Error::new(ErrorKind::Provider, "cannot write the metrics")
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, MEDIA_TYPE)], self.0).into_response()
    }
}

impl Answer for Page {
    fn respond(self, _: &Visit) -> Response {
        self.into_response()
    }

    fn documented(_: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let content = json!({ MEDIA_TYPE: { "schema": { "type": "string" } } });
        let about = "Metrics in the text format of OpenMetrics";
        vec![(StatusCode::OK, json!({ "description": about, "content": content }))]
    }
}
