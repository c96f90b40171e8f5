use axum::http::Method;
use cofio::ErrorKind;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Verify;

/// Whether the record is whole.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VerifyOutput {
    valid: bool,
    /// How many entries there are, if it is.
    entries: Option<u64>,
    /// What does not fit, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Endpoint for Verify {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<VerifyOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/audit/verify";
    const NAME: &'static str = "verifyAudit";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Check that no entry was changed, moved or left out";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        match visit.engine.verify_audit(visit.caller()).await {
            Ok(entries) => {
                Ok(Found(VerifyOutput { valid: true, entries: Some(entries), problem: None }))
            }
            Err(error) if error.kind() == ErrorKind::Damaged => {
                let problem = Some(error.to_string());
                Ok(Found(VerifyOutput { valid: false, entries: None, problem }))
            }
            Err(error) => Err(error.into()),
        }
    }
}
