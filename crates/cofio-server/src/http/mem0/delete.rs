use axum::http::Method;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ById, dialect};
use crate::dialects::mem0::Done;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Delete;

/// How much to forget.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeleteQuery {
    /// Whether those are forgotten too that it replaced.
    delete_linked: Option<bool>,
}

impl Endpoint for Delete {
    type Path = ById;
    type Query = DeleteQuery;
    type Body = Empty;
    type Answer = Found<Done>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/memories/{memory_id}/";
    const NAME: &'static str = "mem0Delete";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Forget a memory";
    const ABOUT: &'static str =
        "The memory, its history and whatever was concluded from it are gone.";
    const NEEDS: Right = Right::Delete;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let with_replaced = asked.query.delete_linked.unwrap_or_default();
        let id = &asked.path.memory_id;
        visit.notes().begins(Act::Delete).on(&id.parse()?);
        Ok(Found(dialect(visit)?.delete(id, with_replaced).await?))
    }
}
