use axum::http::Method;
use cofio::model::Right;

use super::dialect;
use crate::dialects::mem0::{Done, EntityName};
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct DeleteEntity;

impl Endpoint for DeleteEntity {
    type Path = EntityName;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<Done>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v2/entities/{entity_type}/{entity_id}/";
    const NAME: &'static str = "mem0DeleteEntity";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Forget everything of a user, agent, app or run";
    const NEEDS: Right = Right::Delete;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        visit.notes().begins(Act::Delete);
        Ok(Found(dialect(visit)?.delete_entity(&asked.path).await?))
    }
}
