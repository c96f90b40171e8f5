use axum::http::Method;
use cofio::model::Right;
use cofio::wire::AddOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ByKey;
use crate::http::answer::Made;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::rest::{Names, Origin};
use crate::http::visit::Visit;

pub(super) struct SetValue;

/// Whose value it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetValueQuery {
    #[serde(flatten)]
    names: Names,
    /// The layer to keep it on: agent, user, session, project, team, org or company.
    layer: String,
}

/// A value to keep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetValueInput {
    /// The value.
    value: String,
    /// Where it comes from.
    #[serde(default)]
    source: Origin,
}

impl Endpoint for SetValue {
    type Path = ByKey;
    type Query = SetValueQuery;
    type Body = Json<SetValueInput>;
    type Answer = Made<AddOutput>;

    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/v1/values/{key}";
    const NAME: &'static str = "setValue";
    const GROUP: Group = Group::Sessions;
    const SUMMARY: &'static str = "Keep a value under a key until the end of the day";
    const ABOUT: &'static str = "It takes the place of what was there; what that was stays in the history. What may be a secret is taken out.";
    const NEEDS: Right = Right::Write;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(SetValueInput { value, source }) = asked.body;
        let scope = visit.scope(&asked.query.layer, &asked.query.names)?;
        let (key, source) = (asked.path.key, source.source(&value)?);
        let kept = visit.engine.set_context(visit.caller(), scope, &key, &value, source).await?;
        Ok(Made {
            new: !kept.existing,
            version: kept.memory.version,
            place: format!("/v1/memories/{}", kept.memory.id),
            value: AddOutput::from(&kept),
        })
    }
}
