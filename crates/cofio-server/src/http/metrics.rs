//! What Prometheus asks for.

use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use cofio::model::Right;
use cofio::{Error, ErrorKind};
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::answer::Answer;
use super::body::Empty;
use super::endpoint::{Asked, Endpoint, Group, Nothing};
use super::failure::Outcome;
use super::openapi::Entry;
use super::visit::Visit;
use crate::metrics::{MEDIA_TYPE, Present};

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
    const ABOUT: &'static str = "How often what was done, how long it took, what failed, what the store holds on each layer, how the latest maintenance went, what waits, and whether each server that memories are kept on answers. Nobody is named, and nothing is said of any memory. What the store holds is counted, and servers are asked, at most every ten seconds.";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        let (house, engine) = (&visit.house, &visit.engine);
        let present = Present {
            census: house.census(engine, visit.caller()).await?,
            checkups: house.checkups(engine).await?,
            backlog: engine.backlog(),
            jobs: house.jobs().running(),
            streams: house.streams().count(),
        };
        let unwritten = |_| Error::new(ErrorKind::Provider, "cannot write the metrics");
        Ok(Page(house.metrics().written(&present).map_err(unwritten)?))
    }
}

impl Answer for Page {
    fn respond(self, _: &Visit) -> Response {
        ([(header::CONTENT_TYPE, MEDIA_TYPE)], self.0).into_response()
    }

    fn documented(_: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let content = json!({ MEDIA_TYPE: { "schema": { "type": "string" } } });
        let about = "Metrics in the text format of OpenMetrics";
        vec![(StatusCode::OK, json!({ "description": about, "content": content }))]
    }
}
