//! What each task wants in each place.

use super::{Assignment, Piece};
use crate::engine::Engine;
use crate::error::Result;
use crate::ingest;
use crate::lifecycle::decay;
use crate::lifecycle::plan::Plan;
use crate::model::{
    Caller, Criteria, Filter, Identifier, Kind, MemoryId, Scope, Stage, State, Task, Timestamp,
};

/// A place where a task has something to do.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) scope: Scope,
    pub(super) conversation: Option<Identifier>,
}

impl Engine {
    /// Returns the places where there may be something to do.
    pub(super) async fn units(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        now: Timestamp,
    ) -> Result<Vec<Unit>> {
        let units = match assignment.task {
            Task::Consolidate => {
                self.waiting_units(caller, Stage::Consolidated, assignment, now).await?
            }
            Task::Enrich => self.waiting_units(caller, Stage::Enriched, assignment, now).await?,
            _ => {
                let scopes = self.scopes(caller).await?.into_iter();
                scopes.map(|scope| Unit { scope, conversation: None }).collect()
            }
        };
        let within = assignment.within.as_ref();
        let meant = |unit: &Unit| within.is_none_or(|scopes| scopes.contains(&unit.scope));
        Ok(units.into_iter().filter(meant).collect())
    }

    /// Returns the places where memories have still to come through a stage.
    async fn waiting_units(
        &self,
        caller: &Caller,
        stage: Stage,
        assignment: &Assignment,
        now: Timestamp,
    ) -> Result<Vec<Unit>> {
        let over = now.checked_sub(self.config.sessions.idle).unwrap_or(now);
        let named = assignment.conversation.as_ref();
        let waiting = self.store.waiting(caller.access(), stage, now).await?.into_iter();
        let meant = waiting.filter(|place| {
            named.is_none_or(|named| place.conversation.as_ref() == Some(named))
                && (!assignment.only_over || place.latest_at <= over)
        });
        Ok(meant
            .map(|place| Unit { scope: place.scope, conversation: place.conversation })
            .collect())
    }

    /// Returns what a task wants to do next in a place, if there is anything left.
    pub(super) async fn piece(
        &self,
        caller: &Caller,
        task: Task,
        unit: &Unit,
        now: Timestamp,
    ) -> Result<Option<Piece>> {
        let Drafted { plan, through, more } = match task {
            Task::Decay => Drafted::whole(self.plan_decay(unit, now).await?),
            _ => Drafted::whole(Plan::default()),
        };
        if plan.steps.is_empty() && through.is_empty() {
            return Ok(None);
        }
        let verdict = self.judged(caller, &unit.scope, &plan).await?;
        Ok(Some(Piece { scope: unit.scope.clone(), plan, verdict, through, more }))
    }

    async fn plan_decay(&self, unit: &Unit, now: Timestamp) -> Result<Plan> {
        let criteria = Criteria {
            kinds: Kind::ALL.iter().copied().filter(|kind| kind.decays()).collect(),
            states: vec![State::Active, State::Decayed],
            ..Criteria::default()
        };
        let filter = Filter { scopes: vec![unit.scope.clone()], now, criteria };
        let memories = self.all(&filter).await?;
        Ok(decay::plan(memories, &self.config.decay, now, ingest::identity_of))
    }
}

/// A plan that nobody has looked at.
struct Drafted {
    plan: Plan,
    through: Vec<(MemoryId, Stage)>,
    more: bool,
}

impl Drafted {
    /// Makes everything that there is to do in a place.
    fn whole(plan: Plan) -> Self {
        Self { plan, through: Vec::new(), more: false }
    }
}
