use axum::http::Method;
use cofio::model::Right;
use cofio::wire::RejectionOutput;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Rejected;

/// What is not learnt again.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RejectedOutput {
    rejections: Vec<RejectionOutput>,
}

impl Endpoint for Rejected {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<RejectedOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/review/rejected";
    const NAME: &'static str = "listRejected";
    const GROUP: Group = Group::Review;
    const SUMMARY: &'static str = "List what was rejected";
    const ABOUT: &'static str = "The latest comes first; of the texts only hashes are known.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        let rejections = visit.engine.rejections(visit.caller()).await?;
        let rejections = rejections.iter().map(RejectionOutput::from).collect();
        Ok(Found(RejectedOutput { rejections }))
    }
}
