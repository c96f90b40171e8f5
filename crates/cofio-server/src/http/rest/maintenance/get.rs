use axum::http::Method;
use cofio::model::Right;
use cofio::wire::JobDetailOutput;

use super::ByRun;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Get;

impl Endpoint for Get {
    type Path = ByRun;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<JobDetailOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/maintenance/{id}";
    const NAME: &'static str = "getMaintenance";
    const GROUP: Group = Group::Maintenance;
    const SUMMARY: &'static str = "Read a job with the changes that it made";
    const ABOUT: &'static str = "Only ids and versions, of what is open to the caller.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let (job, changes) = visit.engine.job(visit.caller(), &asked.path.job()?).await?;
        Ok(Found(JobDetailOutput::new(&job, &changes)))
    }
}
