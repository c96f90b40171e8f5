use axum::http::Method;
use cofio::engine::Assignment;
use cofio::model::{Identifier, Right, Scope, Task};
use cofio::wire::MaintainOutput;
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing};
use crate::http::eventually::Eventually;
use crate::http::failure::Outcome;
use crate::http::rest::Names;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Run;

/// What to do, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RunInput {
    /// What to do: enrich (find more names), consolidate (learn facts from conversations), promote
    /// (take what matters of conversations to their user), merge (bring together what says the
    /// same), decay (put away what nobody uses), reflect (look back on the week) or expire (remove
    /// what has ended).
    task: String,
    /// Whether to say only what would change.
    #[serde(default)]
    dry_run: bool,
    /// Whether somebody agreed to whatever it takes away; without it, a part that takes away much
    /// is held.
    #[serde(default)]
    agreed: bool,
    /// Only on this layer.
    layer: Option<String>,
    /// Only what these names open, as far as the key is not bound to them; without a layer and
    /// names, everywhere that the key opens.
    #[serde(default)]
    identifiers: Names,
    /// Only this conversation, which makes a difference to consolidate and promote alone.
    conversation: Option<String>,
}

impl Endpoint for Run {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<RunInput>;
    type Answer = Eventually<MaintainOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/maintenance";
    const NAME: &'static str = "runMaintenance";
    const GROUP: Group = Group::Maintenance;
    const SUMMARY: &'static str = "Do one task now, or say what it would change";
    const ABOUT: &'static str = "Every part is planned, looked at and done by itself, and the answer is the job, which can be taken back. A part that takes away much is held, and the state of the job says so, until somebody asks for it with agreed. One job runs at a time in a store: while another one does, this is answered 409. Once begun it goes on, even if nobody waits for the answer. To expire what has ended, the key needs the right to delete as well.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];
    const HEADERS: &'static [Header] = &[Header::Prefer];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let dry_run = input.dry_run;
        let assignment = input.read(visit)?;
        if !dry_run {
            visit.notes().begins(Act::Update);
        }
        let (engine, caller) = (visit.engine.clone(), visit.caller().clone());
        let work = async move {
            Ok(if dry_run {
                let pieces = engine.would_maintain(&caller, &assignment, &|_, _| {}).await?;
                MaintainOutput::planned(&pieces)
            } else {
                MaintainOutput::done(&engine.maintain(&caller, &assignment, &|_, _| {}).await?)
            })
        };
        let jobs = visit.house.jobs().clone();
        // Nobody else may work while a job is called running, so it has to come to its end.
        let work = async move { jobs.finish(work).await };
        Box::pin(Eventually::of(visit, Self::NAME, work)).await
    }
}

impl RunInput {
    /// Reads it in the words of the engine.
    fn read(self, visit: &Visit) -> Result<Assignment> {
        let task = self.task.parse()?;
        if task == Task::Undo {
            let message = "a job is taken back by its id, at /v1/maintenance/{id}/undo";
            return Err(Error::invalid(message));
        }
        if self.dry_run && self.agreed {
            return Err(Error::invalid("with dryRun nothing is done, so nobody has to agree"));
        }
        Ok(Assignment {
            within: self.within(visit)?,
            conversation: self.conversation.as_deref().map(Identifier::new).transpose()?,
            agreed: self.agreed,
            ..Assignment::of(task)
        })
    }

    /// Returns the scopes that it is narrowed down to, if it is.
    fn within(&self, visit: &Visit) -> Result<Option<Vec<Scope>>> {
        match &self.layer {
            Some(layer) => Ok(Some(vec![visit.scope(layer, &self.identifiers)?])),
            None if self.identifiers.iter().next().is_none() => Ok(None),
            None => visit.scopes(&self.identifiers, &[]).map(Some),
        }
    }
}
