use axum::http::Method;
use cofio::model::Right;
use cofio::wire::HistoryOutput;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct History;

impl Endpoint for History {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<HistoryOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/memories/{id}/history";
    const NAME: &'static str = "getMemoryHistory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Read everything that a memory was before";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let history = visit.engine.history(visit.caller(), &asked.path.memory()?).await?;
        Ok(Found(HistoryOutput::from(&history)))
    }
}
