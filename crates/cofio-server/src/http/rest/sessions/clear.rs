use axum::http::Method;
use cofio::model::Right;
use cofio::wire::ScopeOutput;
use schemars::JsonSchema;
use serde::Serialize;

use super::{BySession, OfUser};
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Clear;

/// What was in a window.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClearedOutput {
    /// How much was in it.
    cleared: usize,
    #[serde(flatten)]
    scope: ScopeOutput,
}

impl Endpoint for Clear {
    type Path = BySession;
    type Query = OfUser;
    type Body = Empty;
    type Answer = Found<ClearedOutput>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/sessions/{sessionId}/turns";
    const NAME: &'static str = "clearWindow";
    const GROUP: Group = Group::Sessions;
    const SUMMARY: &'static str = "Empty a conversation's window";
    const ABOUT: &'static str = "Other memories of the conversation stay.";
    const NEEDS: Right = Right::Delete;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let session = asked.path.scope(asked.query, visit)?;
        let cleared = visit.engine.clear_window(visit.caller(), &session).await?;
        Ok(Found(ClearedOutput { cleared, scope: ScopeOutput::from(&session) }))
    }
}
