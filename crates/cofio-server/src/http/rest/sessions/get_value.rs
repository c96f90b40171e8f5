use axum::http::Method;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ByKey;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::rest::{Filter, Names, OneMemory};
use crate::http::visit::Visit;

pub(super) struct GetValue;

/// Whose value it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GetValueQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to look at; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
}

impl Endpoint for GetValue {
    type Path = ByKey;
    type Query = GetValueQuery;
    type Body = Empty;
    type Answer = Found<OneMemory>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/values/{key}";
    const NAME: &'static str = "getValue";
    const GROUP: Group = Group::Sessions;
    const SUMMARY: &'static str = "Read the value under a key";
    const ABOUT: &'static str = "The most specific layer that has one answers.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let GetValueQuery { names, layer } = asked.query;
        let layers = (!layer.is_empty()).then_some(&layer[..]);
        let selection = visit.selection(&names, layers, Filter::default())?;
        let key = &asked.path.key;
        let memory = visit.engine.get_context(visit.caller(), selection, key).await?;
        // It has no tag: tomorrow another memory has this key, and the same version.
        Ok(Found(OneMemory::from(&memory)))
    }
}
