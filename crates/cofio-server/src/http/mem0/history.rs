use axum::http::Method;
use cofio::model::Right;

use super::{ById, dialect};
use crate::dialects::mem0::HistoryEntry;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct History;

impl Endpoint for History {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<Vec<HistoryEntry>>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/memories/{memory_id}/history/";
    const NAME: &'static str = "mem0History";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Read everything that a memory was before";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        Ok(Found(dialect(visit)?.history(&asked.path.memory_id).await?))
    }
}
