use axum::http::Method;
use cofio::engine::Undoing;
use cofio::model::Right;
use cofio::wire::UndoOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ByRun;
use crate::http::answer::Found;
use crate::http::body::Perhaps;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Undo;

/// How a job is taken back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct UndoInput {
    /// Whether to say only what would change.
    dry_run: bool,
    /// Whether what somebody changed since is left as it is, in place of refusing everything.
    skip_changed: bool,
    /// Whether the next job looks again at what this one looked at.
    again: bool,
}

impl Endpoint for Undo {
    type Path = ByRun;
    type Query = Nothing;
    type Body = Perhaps<UndoInput>;
    type Answer = Found<UndoOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/maintenance/{id}/undo";
    const NAME: &'static str = "undoMaintenance";
    const GROUP: Group = Group::Maintenance;
    const SUMMARY: &'static str = "Take back everything that a job changed";
    const ABOUT: &'static str = "All of it or nothing: what the job added is forgotten, and what it changed is as before, under a new version. If somebody changed any of it since, nothing is taken back (409), unless skipChanged leaves that as it is. What expire removed is gone.";
    const NEEDS: Right = Right::Delete;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read, Right::Write];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Perhaps(input) = asked.body;
        let UndoInput { dry_run, skip_changed, again } = input.unwrap_or_default();
        let (id, undoing) = (asked.path.job()?, Undoing { skip_changed, again });
        if dry_run {
            let (plan, skipped) = visit.engine.would_undo(visit.caller(), &id, undoing).await?;
            return Ok(Found(UndoOutput::planned(&plan, &skipped)));
        }
        visit.notes().begins(Act::Update);
        let undone = visit.engine.undo(visit.caller(), &id, undoing).await?;
        Ok(Found(UndoOutput::done(&undone)))
    }
}
