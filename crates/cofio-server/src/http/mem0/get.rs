use axum::http::Method;
use cofio::model::Right;

use super::{ById, dialect};
use crate::dialects::mem0::Mem0Memory;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Get;

impl Endpoint for Get {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<Mem0Memory>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/memories/{memory_id}/";
    const NAME: &'static str = "mem0Get";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Read one memory";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        Ok(Found(dialect(visit)?.get(&asked.path.memory_id).await?))
    }
}
