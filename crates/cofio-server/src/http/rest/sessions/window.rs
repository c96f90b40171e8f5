use axum::http::Method;
use cofio::model::Right;

use super::{BySession, OfUser, WindowOutput};
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Window;

impl Endpoint for Window {
    type Path = BySession;
    type Query = OfUser;
    type Body = Empty;
    type Answer = Found<WindowOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/sessions/{sessionId}/turns";
    const NAME: &'static str = "getWindow";
    const GROUP: Group = Group::Sessions;
    const SUMMARY: &'static str = "Read the last turns of a conversation";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let session = asked.path.scope(asked.query, visit)?;
        let turns = visit.engine.window(visit.caller(), &session).await?;
        Ok(Found(WindowOutput::new(&turns, &session)))
    }
}
