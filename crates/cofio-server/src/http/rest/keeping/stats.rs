use axum::http::Method;
use cofio::model::Right;
use cofio::wire::StatsOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::Names;
use crate::http::visit::Visit;

pub(super) struct Stats;

/// What to count.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatsQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to count; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
}

impl Endpoint for Stats {
    type Path = Nothing;
    type Query = StatsQuery;
    type Body = Empty;
    type Answer = Found<StatsOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/stats";
    const NAME: &'static str = "getStats";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Count what is kept, by scope, layer and kind";
    const ABOUT: &'static str =
        "Without names and layers, in every scope that is open to the caller.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let StatsQuery { names, layer } = asked.query;
        let narrowed = !layer.is_empty() || names.iter().next().is_some();
        let within = narrowed.then(|| visit.scopes(&names, &layer)).transpose()?;
        let stats = visit.engine.stats(visit.caller(), within.as_deref()).await?;
        Ok(Found(StatsOutput::from(&stats)))
    }
}
