use axum::http::Method;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::jobs::JobOutput;
use crate::http::visit::Visit;

pub(super) struct List;

/// The caller's jobs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JobsOutput {
    /// The latest first, without what came of them.
    jobs: Vec<JobOutput>,
}

impl Endpoint for List {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<JobsOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/jobs";
    const NAME: &'static str = "listJobs";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "List the caller's jobs";
    const ABOUT: &'static str = "Those that run, and those that ended lately. This process knows them and no other does: after a restart there are none.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        visit.caller().require(Right::Read)?;
        Ok(Found(JobsOutput { jobs: visit.house.jobs().of(visit.caller().actor()) }))
    }
}
