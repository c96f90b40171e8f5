use axum::http::Method;
use cofio::model::Right;

use super::OneMemory;
use crate::http::answer::Changed;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct BringBack;

impl Endpoint for BringBack {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Changed<OneMemory>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories/{id}/bring-back";
    const NAME: &'static str = "bringBackMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Bring back a memory that was put away or has faded";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Update).on(&id);
        Ok(visit.engine.bring_back(visit.caller(), &id).await?.into())
    }
}
