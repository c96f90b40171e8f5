use axum::http::Method;
use cofio::model::Right;
use cofio::wire::MemoryEntry;
use schemars::JsonSchema;
use serde::Deserialize;

use super::DecisionOutput;
use crate::http::answer::Changed;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Approve;

/// What the one who approves has read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ApproveInput {
    /// The exact text of the memory.
    text: String,
}

impl Endpoint for Approve {
    type Path = ById;
    type Query = Nothing;
    type Body = Json<ApproveInput>;
    type Answer = Changed<DecisionOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/review/{id}/approve";
    const NAME: &'static str = "approveMemory";
    const GROUP: Group = Group::Review;
    const SUMMARY: &'static str = "Confirm a memory that waits";
    const ABOUT: &'static str = "It counts as said by its owner then. If it says anything else than the text by now, nothing is confirmed.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(ApproveInput { text }) = asked.body;
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Update).on(&id);
        let approved = visit.engine.approve(visit.caller(), &id, &text).await?;
        let value = DecisionOutput {
            id: id.to_string(),
            decision: "approved",
            memory: Some(MemoryEntry::from(&approved)),
        };
        Ok(Changed { version: approved.version, value })
    }
}
