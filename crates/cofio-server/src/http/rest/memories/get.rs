use axum::http::Method;
use cofio::model::Right;

use super::OneMemory;
use crate::http::answer::Versioned;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Header, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Get;

impl Endpoint for Get {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Versioned<OneMemory>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/memories/{id}";
    const NAME: &'static str = "getMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Read one memory";
    const NEEDS: Right = Right::Read;
    const HEADERS: &'static [Header] = &[Header::IfNoneMatch];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        Ok(visit.engine.get(visit.caller(), &asked.path.memory()?).await?.into())
    }
}
