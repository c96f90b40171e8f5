use axum::http::Method;
use cofio::model::Right;
use cofio::wire::ScopeOutput;
use cofio::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::Names;
use crate::http::visit::Visit;

pub(super) struct Permit;

/// A text that was rejected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PermitInput {
    /// What it says, however it is spelt.
    text: String,
    /// The layer on which it was rejected.
    layer: String,
    /// The names that the layer needs, as far as the key is not bound to them.
    #[serde(default)]
    identifiers: Names,
}

/// Whether a text may be learnt again now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PermitOutput {
    permitted: bool,
    scope: ScopeOutput,
}

impl Endpoint for Permit {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<PermitInput>;
    type Answer = Found<PermitOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/review/permit";
    const NAME: &'static str = "permitValue";
    const GROUP: Group = Group::Review;
    const SUMMARY: &'static str = "Let a text be learnt again that was rejected";
    const NEEDS: Right = Right::Write;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(PermitInput { text, layer, identifiers }) = asked.body;
        let scope = visit.scope(&layer, &identifiers)?;
        if !visit.engine.permit(visit.caller(), &scope, &text).await? {
            let message = format!("this was not rejected in {scope}");
            return Err(Error::new(ErrorKind::NotFound, message).during("permit").into());
        }
        Ok(Found(PermitOutput { permitted: true, scope: ScopeOutput::from(&scope) }))
    }
}
