use axum::http::Method;
use cofio::model::Right;
use cofio::wire::EntityOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use super::EntitiesOutput;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::{Names, amount};
use crate::http::visit::Visit;

/// How many there are at most.
const MOST: usize = 1_000;

pub(super) struct Entities;

/// Where to look for names, and how many to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntitiesQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to look at; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// How many at most: 50 if nothing is said, and at most 1,000.
    limit: Option<usize>,
}

impl Endpoint for Entities {
    type Path = Nothing;
    type Query = EntitiesQuery;
    type Body = Empty;
    type Answer = Found<EntitiesOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/entities";
    const NAME: &'static str = "listEntities";
    const GROUP: Group = Group::Knowledge;
    const SUMMARY: &'static str = "List the people, topics, addresses and dates that memories name";
    const ABOUT: &'static str = "Those that most memories name come first.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let EntitiesQuery { names, layer, limit } = asked.query;
        let (scopes, limit) = (visit.scopes(&names, &layer)?, amount(limit, 50, MOST)?);
        let entities = visit.engine.entities(visit.caller(), &scopes, limit).await?;
        Ok(Found(EntitiesOutput::new(entities.iter().map(EntityOutput::from), &scopes)))
    }
}
