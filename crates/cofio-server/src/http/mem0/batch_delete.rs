use axum::http::Method;
use cofio::model::Right;

use super::dialect;
use crate::dialects::mem0;
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct BatchDelete;

impl Endpoint for BatchDelete {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<mem0::BatchDelete>;
    type Answer = Found<mem0::Done>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/batch/";
    const NAME: &'static str = "mem0BatchDelete";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Forget several memories";
    const NEEDS: Right = Right::Delete;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        visit.notes().begins(Act::Delete).of(input.memories.len());
        Ok(Found(dialect(visit)?.delete_batch(input).await?))
    }
}
