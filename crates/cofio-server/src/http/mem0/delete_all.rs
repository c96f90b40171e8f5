use axum::http::Method;
use cofio::model::Right;

use super::dialect;
use crate::dialects::mem0::{Done, Named};
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct DeleteAll;

impl Endpoint for DeleteAll {
    type Path = Nothing;
    type Query = Named;
    type Body = Empty;
    type Answer = Found<Done>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/memories/";
    const NAME: &'static str = "mem0DeleteAll";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Forget everything of somebody";
    const ABOUT: &'static str = "At least one name is needed, and all of them count. What others of Cofio's doors kept for them is gone too.";
    const NEEDS: Right = Right::Delete;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        visit.notes().begins(Act::Delete);
        Ok(Found(dialect(visit)?.delete_all(&asked.query).await?))
    }
}
