use axum::http::Method;
use cofio::model::Right;

use super::{ById, dialect};
use crate::dialects::mem0;
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Update;

impl Endpoint for Update {
    type Path = ById;
    type Query = Nothing;
    type Body = Json<mem0::Update>;
    type Answer = Found<mem0::Mem0Memory>;

    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/v1/memories/{memory_id}/";
    const NAME: &'static str = "mem0Update";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Change the text or the metadata of a memory";
    const ABOUT: &'static str =
        "Metadata is merged one level deep. Earlier versions stay in the history.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let id = &asked.path.memory_id;
        visit.notes().begins(Act::Update).on(&id.parse()?);
        Ok(Found(dialect(visit)?.update(id, input).await?))
    }
}
