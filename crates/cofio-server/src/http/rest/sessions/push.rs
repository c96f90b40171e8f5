use axum::http::Method;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{BySession, OfUser, WindowOutput};
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::rest::Origin;
use crate::http::visit::Visit;

pub(super) struct Push;

/// Something that was said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PushInput {
    /// Who spoke, such as user or assistant.
    role: String,
    /// What was said.
    content: String,
    /// Where it comes from, if not from the conversation.
    source: Option<Origin>,
}

impl Endpoint for Push {
    type Path = BySession;
    type Query = OfUser;
    type Body = Json<PushInput>;
    type Answer = Found<WindowOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/sessions/{sessionId}/turns";
    const NAME: &'static str = "pushTurn";
    const GROUP: Group = Group::Sessions;
    const SUMMARY: &'static str = "Add a turn to a conversation's window";
    const ABOUT: &'static str = "What no longer fits is dropped; the window as it is then is answered. What may be a secret is taken out.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let session = asked.path.scope(asked.query, visit)?;
        let Json(PushInput { role, content, source }) = asked.body;
        let source = source.unwrap_or_else(|| said_by(&role)).source(&content)?;
        let turns =
            visit.engine.push_turn(visit.caller(), &session, &role, &content, source).await?;
        Ok(Found(WindowOutput::new(&turns, &session)))
    }
}

fn said_by(role: &str) -> Origin {
    let (kind, role) = (Some("conversation".to_owned()), Some(role.to_owned()));
    Origin { kind, role, ..Origin::default() }
}
