use axum::http::Method;
use cofio::model::Right;
use cofio::wire::EntityOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use super::EntitiesOutput;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::rest::{Names, amount};
use crate::http::visit::Visit;

/// How many memories there are at most.
const MOST: usize = 1_000;

pub(super) struct Entity;

/// The name of an entity in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ByName {
    /// What it is called, or any way it is written.
    name: String,
}

/// Where to look for a name, and how much to tell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntityQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to look at; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// How many memories of each sort at most: 50 if nothing is said, and at most 1,000.
    limit: Option<usize>,
}

impl Endpoint for Entity {
    type Path = ByName;
    type Query = EntityQuery;
    type Body = Empty;
    type Answer = Found<EntitiesOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/entities/{name}";
    const NAME: &'static str = "getEntity";
    const GROUP: Group = Group::Knowledge;
    const SUMMARY: &'static str =
        "Read what is known of an entity, with the memories that name it and a timeline";
    const ABOUT: &'static str = "Several entities may be written the same. Of each, the latest memories that name it are answered, statements whose subject it is, what is named together with it, and a timeline by days, or by months over a long time, in which what was replaced says until when it held.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let EntityQuery { names, layer, limit } = asked.query;
        let (scopes, limit) = (visit.scopes(&names, &layer)?, amount(limit, 50, MOST)?);
        let name = &asked.path.name;
        let profiles = visit.engine.entity(visit.caller(), &scopes, name, limit).await?;
        Ok(Found(EntitiesOutput::new(profiles.iter().map(EntityOutput::from), &scopes)))
    }
}
