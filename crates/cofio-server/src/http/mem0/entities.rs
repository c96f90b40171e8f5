use axum::http::Method;
use cofio::model::Right;

use super::dialect;
use crate::dialects::mem0;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Entities;

impl Endpoint for Entities {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<mem0::Entities>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/entities/";
    const NAME: &'static str = "mem0Entities";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "List for whom there are memories";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        Ok(Found(dialect(visit)?.entities().await?))
    }
}
