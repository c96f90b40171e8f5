use axum::http::Method;
use cofio::model::{Right, Task};
use cofio::wire::JobRunsOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::amount;
use crate::http::visit::Visit;

/// How many there are at most.
const MOST: usize = 100;

pub(super) struct List;

/// Which jobs.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListQuery {
    /// Only those of this task: enrich, consolidate, promote, merge, decay, reflect, expire or undo.
    task: Option<String>,
    /// How many at most: 20 if nothing is said, and at most 100.
    limit: Option<usize>,
}

impl Endpoint for List {
    type Path = Nothing;
    type Query = ListQuery;
    type Body = Empty;
    type Answer = Found<JobRunsOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/maintenance";
    const NAME: &'static str = "listMaintenance";
    const GROUP: Group = Group::Maintenance;
    const SUMMARY: &'static str = "List what the engine did of itself";
    const ABOUT: &'static str = "The latest job comes first. Callers see what was done in their own name, and whoever administers the store sees everything. The jobs are kept with the memories and outlive the process.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let ListQuery { task, limit } = asked.query;
        let task = task.map(|name| name.parse::<Task>()).transpose()?;
        let jobs = visit.engine.jobs(visit.caller(), task, amount(limit, 20, MOST)?).await?;
        Ok(Found(JobRunsOutput::from(&jobs[..])))
    }
}
