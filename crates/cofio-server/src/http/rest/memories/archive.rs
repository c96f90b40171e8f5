use axum::http::Method;
use cofio::model::Right;

use super::OneMemory;
use crate::http::answer::Changed;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Archive;

impl Endpoint for Archive {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Changed<OneMemory>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories/{id}/archive";
    const NAME: &'static str = "archiveMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Put a memory away";
    const ABOUT: &'static str =
        "It is found on request only, and its history stays. To be rid of it for good, delete it.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Update).on(&id);
        Ok(visit.engine.archive(visit.caller(), &id).await?.into())
    }
}
