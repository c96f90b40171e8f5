use axum::http::Method;
use cofio::model::Right;
use cofio::wire::KeyOutput;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct ListKeys;

/// All keys, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct KeysOutput {
    keys: Vec<KeyOutput>,
}

impl Endpoint for ListKeys {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<KeysOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/keys";
    const NAME: &'static str = "listKeys";
    const GROUP: Group = Group::Keys;
    const SUMMARY: &'static str = "List all keys, those that have ended included";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        let keys = visit.engine.keys(visit.caller()).await?;
        Ok(Found(KeysOutput { keys: keys.iter().map(KeyOutput::from).collect() }))
    }
}
