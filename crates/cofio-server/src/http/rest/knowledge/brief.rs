use axum::http::Method;
use cofio::model::Right;
use cofio::wire::{self, BriefOutput};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::Names;
use crate::http::visit::Visit;

pub(super) struct Brief;

/// Since when, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BriefQuery {
    /// The moment from which on.
    since: String,
    #[serde(flatten)]
    names: Names,
    /// The layers to look at; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
}

impl Endpoint for Brief {
    type Path = Nothing;
    type Query = BriefQuery;
    type Body = Empty;
    type Answer = Found<BriefOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/brief";
    const NAME: &'static str = "getBrief";
    const GROUP: Group = Group::Knowledge;
    const SUMMARY: &'static str = "Read what the time since a moment has brought";
    const ABOUT: &'static str = "Facts and procedures that were learnt, replaced, put away or wait for review, how much was forgotten, and the latest reflection.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let BriefQuery { since, names, layer } = asked.query;
        let (since, scopes) = (wire::moment(&since)?, visit.scopes(&names, &layer)?);
        let brief = visit.engine.brief(visit.caller(), &scopes, since).await?;
        Ok(Found(BriefOutput::new(since, &brief)))
    }
}
