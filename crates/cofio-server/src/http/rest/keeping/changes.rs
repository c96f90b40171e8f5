use axum::http::Method;
use cofio::model::Right;
use cofio::wire::ChangeOutput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::amount;
use crate::http::visit::Visit;

/// How many there are at most.
const MOST: usize = 1_000;

pub(super) struct Changes;

/// Which part of the sequence.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ChangesQuery {
    /// Only what changed after this place; from the beginning, if nothing is said.
    #[serde(default)]
    after: u64,
    /// How many at most: 100 if nothing is said, and at most 1,000.
    limit: Option<usize>,
}

/// Changes, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangesOutput {
    changes: Vec<ChangeOutput>,
    /// Where to go on from, now or later.
    next_after: u64,
}

impl Endpoint for Changes {
    type Path = Nothing;
    type Query = ChangesQuery;
    type Body = Empty;
    type Answer = Found<ChangesOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/changes";
    const NAME: &'static str = "listChanges";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Read what changed, in the order in which it did";
    const ABOUT: &'static str = "Only ids and versions, of what is open to the caller. The sequence is kept with the memories, so a place in it stays good after a restart.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let ChangesQuery { after, limit } = asked.query;
        let limit = amount(limit, 100, MOST)?;
        let changes = visit.engine.changes(visit.caller(), after, limit).await?;
        Ok(Found(ChangesOutput {
            next_after: changes.last().map_or(after, |change| change.sequence),
            changes: changes.iter().map(ChangeOutput::from).collect(),
        }))
    }
}
