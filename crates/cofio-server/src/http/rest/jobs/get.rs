use axum::http::{Method, StatusCode};
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::{Failure, Outcome};
use crate::http::jobs::JobOutput;
use crate::http::visit::Visit;

pub(super) struct Get;

/// The id of a job in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ByJob {
    /// The job.
    id: String,
}

impl Endpoint for Get {
    type Path = ByJob;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<JobOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/jobs/{id}";
    const NAME: &'static str = "getJob";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Ask after a job";
    const ABOUT: &'static str = "One that is done has the result that would have been answered, and one that failed the error. Older jobs are forgotten when there are many.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        visit.caller().require(Right::Read)?;
        let job = visit.house.jobs().get(visit.caller().actor(), &asked.path.id);
        let missing = || Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such job");
        job.map(Found).ok_or_else(missing)
    }
}
