use axum::http::Method;
use cofio::engine::ListRequest;
use cofio::model::{Right, State};
use cofio::wire::ListOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::{Filter, Names};
use crate::http::visit::Visit;

pub(super) struct Waiting;

/// Which part of what waits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WaitingQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to list; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// How many at most: 50 if nothing is said, and at most 100.
    limit: Option<usize>,
    /// Where the page before ended, as it said.
    cursor: Option<String>,
}

impl Endpoint for Waiting {
    type Path = Nothing;
    type Query = WaitingQuery;
    type Body = Empty;
    type Answer = Found<ListOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/review";
    const NAME: &'static str = "listReview";
    const GROUP: Group = Group::Review;
    const SUMMARY: &'static str = "List what waits for a person to look at it";
    const ABOUT: &'static str = "These are facts from the web, a file, a tool or a model. They are found by no search before they are approved.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let WaitingQuery { names, layer, limit, cursor } = asked.query;
        let filter = Filter { states: vec![State::Pending.to_string()], ..Filter::default() };
        let layers = (!layer.is_empty()).then_some(&layer[..]);
        let request = ListRequest::new(visit.selection(&names, layers, filter)?);
        let limit = limit.unwrap_or(request.limit);
        let request = ListRequest { limit, cursor, ..request };
        Ok(Found(ListOutput::from(&visit.engine.list(visit.caller(), &request).await?)))
    }
}
