use axum::http::Method;
use cofio::model::Right;
use cofio::wire::SessionsOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Sessions;

/// Which part of the list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SessionsQuery {
    /// How many at most: 50 if nothing is said, and at most 100.
    limit: Option<usize>,
    /// Where the page before ended, as it said.
    cursor: Option<String>,
}

impl Endpoint for Sessions {
    type Path = Nothing;
    type Query = SessionsQuery;
    type Body = Empty;
    type Answer = Found<SessionsOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/sessions";
    const NAME: &'static str = "listSessions";
    const GROUP: Group = Group::Sessions;
    const SUMMARY: &'static str = "List the conversations of which something is kept";
    const ABOUT: &'static str = "The one that something was kept of last comes first. What others write meanwhile may move one to the front.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let (limit, cursor) = (asked.query.limit.unwrap_or(50), asked.query.cursor);
        let sessions = visit.engine.sessions(visit.caller(), limit, cursor.as_deref()).await?;
        Ok(Found(SessionsOutput::from(&sessions)))
    }
}
