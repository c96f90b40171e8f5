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
use crate::http::rest::Names;
use crate::http::visit::Visit;

pub(super) struct Entity;

/// The name of an entity in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ByName {
    /// What it is called, or any way it is written.
    name: String,
}

/// Where to look for a name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntityQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to look at; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
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
    const SUMMARY: &'static str = "Read what is known of an entity, with the memories that name it";
    const ABOUT: &'static str = "Several entities may be written the same. Of each, the latest memories are answered, at most fifty.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let scopes = visit.scopes(&asked.query.names, &asked.query.layer)?;
        let profiles = visit.engine.entity(visit.caller(), &scopes, &asked.path.name).await?;
        Ok(Found(EntitiesOutput::new(profiles.iter().map(EntityOutput::from), &scopes)))
    }
}
