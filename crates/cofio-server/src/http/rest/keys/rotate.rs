use std::time::Duration;

use axum::http::Method;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Deserialize;

use super::shapes::{ByKeyId, KeyMade, entropy};
use crate::http::answer::Created;
use crate::http::body::Perhaps;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct RotateKey;

/// How the old key ends.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct RotateInput {
    /// How many seconds the old key is still good for; none if nothing is said.
    grace_seconds: u32,
}

impl Endpoint for RotateKey {
    type Path = ByKeyId;
    type Query = Nothing;
    type Body = Perhaps<RotateInput>;
    type Answer = Created<KeyMade>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/keys/{id}/rotate";
    const NAME: &'static str = "rotateKey";
    const GROUP: Group = Group::Keys;
    const SUMMARY: &'static str = "Put a new key in the place of one";
    const ABOUT: &'static str =
        "It may do the same and opens the same. Its token is shown in this answer and never again.";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Perhaps(input) = asked.body;
        let grace = Duration::from_secs(input.unwrap_or_default().grace_seconds.into());
        let id = asked.path.key()?;
        let made = visit.engine.rotate_key(visit.caller(), &id, entropy()?, grace).await?;
        Ok(Created(KeyMade::new(&made.0, &made.1)))
    }
}
