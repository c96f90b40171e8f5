use axum::http::Method;
use cofio::model::Right;

use super::DecisionOutput;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Reject;

impl Endpoint for Reject {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<DecisionOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/review/{id}/reject";
    const NAME: &'static str = "rejectMemory";
    const GROUP: Group = Group::Review;
    const SUMMARY: &'static str = "Forget a memory that waits, and never learn it again";
    const ABOUT: &'static str =
        "What it says is not learnt again in its scope, however it is spelt.";
    const NEEDS: Right = Right::Delete;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Delete).on(&id);
        visit.engine.reject(visit.caller(), &id).await?;
        Ok(Found(DecisionOutput { id: id.to_string(), decision: "rejected", memory: None }))
    }
}
