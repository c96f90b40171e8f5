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

pub(super) struct Add;

impl Endpoint for Add {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<mem0::Add>;
    type Answer = Found<mem0::Added>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v3/memories/add/";
    const NAME: &'static str = "mem0Add";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Keep messages";
    const ABOUT: &'static str = "Once it is answered, everything is kept. There is no language model that extracts anything: with `infer` false, what a user says is kept as facts, and otherwise messages are kept as what was said, for as long as episodes are.";
    const NEEDS: Right = Right::Write;
    const SIZE: Size = Size::Bulk;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        visit.notes().begins(Act::Create).of(input.messages.len());
        Ok(Found(dialect(visit)?.add(input).await?))
    }
}
