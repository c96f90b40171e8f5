use axum::http::Method;
use cofio::model::Right;

use super::dialect;
use crate::dialects::mem0;
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing, Size};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct BatchUpdate;

impl Endpoint for BatchUpdate {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<mem0::BatchUpdate>;
    type Answer = Found<mem0::Done>;

    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/v1/batch/";
    const NAME: &'static str = "mem0BatchUpdate";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Change several memories together, or none of them";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];
    const SIZE: Size = Size::Bulk;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        visit.notes().begins(Act::Update).of(input.memories.len());
        Ok(Found(dialect(visit)?.update_all(input).await?))
    }
}
