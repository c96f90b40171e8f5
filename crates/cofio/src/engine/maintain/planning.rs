//! What each task wants in each place.

use std::collections::HashSet;
use std::sync::Arc;

use super::advice::{Advice, Errand};
use super::{Assignment, Piece};
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::ingest::{self, Prepared};
use crate::lifecycle::consolidation::likeness;
use crate::lifecycle::extraction::{Turn, extract};
use crate::lifecycle::guard::Verdict;
use crate::lifecycle::plan::{Plan, Step};
use crate::lifecycle::spend::Cost;
use crate::lifecycle::{brief, decay, merging, promotion};
use crate::model::{
    Caller, Change, Channel, CleanText, Commit, Criteria, Draft, Filter, Identifier, Kind, Memory,
    MemoryId, PassageHash, Portion, Scope, Source, Stage, State, Task, Timestamp,
};
use crate::store::{Order, Page};

/// How many turns are read together.
const PORTION: usize = 30;

/// How many memories are read for names together.
const BATCH: usize = 200;

/// The label of a reflection on a week.
const WEEKLY: &str = "weekly";

/// A place where a task has something to do.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) scope: Scope,
    pub(super) conversation: Option<Identifier>,
}

/// A plan that nobody has looked at.
#[derive(Default)]
struct Drafted {
    plan: Plan,
    /// What will have come through a stage.
    through: Vec<(MemoryId, Stage)>,
    /// Whether there may be more to do in the same place.
    more: bool,
    /// What asking a language model would cost, where it was not asked.
    estimate: Option<Cost>,
}

impl Drafted {
    /// Makes everything that there is to do in a place.
    fn whole(plan: Plan) -> Self {
        Self { plan, ..Self::default() }
    }

    /// Says what it would cost to know what there is to do.
    fn costing(estimate: Cost) -> Self {
        Self { estimate: Some(estimate), ..Self::default() }
    }
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
            Task::Promote => self.conversations(caller, assignment, now).await?,
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
        let named = assignment.conversation.as_ref();
        let mut waiting = self.store.waiting(caller.access(), stage, now).await?;
        if assignment.only_over && stage == Stage::Consolidated {
            waiting = promotion::over(waiting, now, self.config.sessions.idle);
        }
        let meant = waiting
            .into_iter()
            .filter(|place| named.is_none_or(|named| place.conversation.as_ref() == Some(named)));
        Ok(meant
            .map(|place| Unit { scope: place.scope, conversation: place.conversation })
            .collect())
    }

    /// Returns the scopes of conversations.
    async fn conversations(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        now: Timestamp,
    ) -> Result<Vec<Unit>> {
        let named = assignment.conversation.as_ref();
        let rested = now.checked_sub(self.config.sessions.idle).unwrap_or(now);
        let summaries = self.store.scopes(caller.access(), now).await?.into_iter();
        let meant = summaries.filter(|summary| {
            let conversation = promotion::conversation_of(&summary.scope);
            conversation.is_some()
                && named.is_none_or(|named| conversation == Some(named))
                && (!assignment.only_over || summary.latest_at.is_some_and(|at| at <= rested))
        });
        Ok(meant.map(|summary| Unit { scope: summary.scope, conversation: None }).collect())
    }

    /// Returns what a task wants to do next in a place; nothing, if nothing is left.
    pub(super) async fn piece(
        &self,
        caller: &Caller,
        task: Task,
        unit: &Unit,
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Piece> {
        let Drafted { plan, through, more, estimate } = match task {
            Task::Decay => Drafted::whole(self.plan_decay(unit, now).await?),
            Task::Promote => self.plan_promotion(caller, unit, now).await?,
            Task::Reflect => self.plan_reflection(caller, unit, errand, now).await?,
            Task::Consolidate => self.plan_consolidation(caller, unit, errand, now).await?,
            Task::Merge => Drafted::whole(self.plan_merge(unit, now).await?),
            Task::Enrich => self.plan_enrichment(caller, unit, errand, now).await?,
            Task::Expire | Task::Files | Task::Undo => Drafted::default(),
        };
        let mut verdict = self.judged(caller, &unit.scope, &plan).await?;
        if task == Task::Merge && !plan.steps.is_empty() {
            // Only somebody who reads them can tell whether two memories say the same.
            verdict = Verdict::Held { taken: plan.steps.len() as u64, among: plan.looked_at };
        }
        let scope = unit.scope.clone();
        Ok(Piece { scope, plan, verdict, estimate, through, more })
    }

    /// Plans what the next turns of a conversation teach.
    async fn plan_consolidation(
        &self,
        caller: &Caller,
        unit: &Unit,
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Drafted> {
        let (scope, stage) = (&unit.scope, Stage::Consolidated);
        let (whose, conversation) = (scope.clone(), unit.conversation.clone());
        let portion = Portion { stage, scope: whose, conversation, now, limit: PORTION + 1 };
        let mut turns = self.store.first_waiting(&portion).await?;
        let more = turns.len() > PORTION;
        turns.truncate(PORTION);
        let (told, concluded) = match self.facts_told(scope, &turns, errand, now).await? {
            Advice::Given(told, concluded) => (told, concluded),
            Advice::Costs(estimate) => return Ok(Drafted::costing(estimate)),
            Advice::NobodyToAsk => {
                let heard: Vec<Turn<'_>> = turns.iter().map(heard).collect();
                (extract(&heard), Vec::new())
            }
        };
        let plan = self.planned_facts(caller, scope, &turns, (&told, &concluded), now).await?;
        let through = turns.iter().map(|turn| (turn.id.clone(), stage)).collect();
        Ok(Drafted { plan, through, more, estimate: None })
    }

    /// Plans what the next memories name.
    async fn plan_enrichment(
        &self,
        caller: &Caller,
        unit: &Unit,
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Drafted> {
        let (scope, stage) = (&unit.scope, Stage::Enriched);
        let (whose, conversation) = (scope.clone(), None);
        let portion = Portion { stage, scope: whose, conversation, now, limit: BATCH + 1 };
        let mut memories = self.store.first_waiting(&portion).await?;
        let more = memories.len() > BATCH;
        memories.truncate(BATCH);
        let recognisers = match self.names_told(scope, &memories, errand, now).await? {
            Advice::Given(told, ()) => self.recognisers.clone().and(Arc::new(told)),
            Advice::Costs(estimate) => return Ok(Drafted::costing(estimate)),
            Advice::NobodyToAsk => self.recognisers.clone(),
        };
        let plan = self.plan_names_by(&recognisers, caller, scope, &memories, now).await?;
        let through = memories.iter().map(|memory| (memory.id.clone(), stage)).collect();
        Ok(Drafted { plan, through, more, estimate: None })
    }

    /// Proposes which facts take the place of others that say the same.
    async fn plan_merge(&self, unit: &Unit, now: Timestamp) -> Result<Plan> {
        let policy = &self.config.merge;
        let kinds = vec![Kind::Fact];
        let mut facts = self.in_states(&unit.scope, kinds, vec![State::Active], now).await?;
        facts.retain(|fact| fact.key.is_none());
        self.leave_alone(&unit.scope, Stage::Merged, &mut facts).await?;
        facts.truncate(merging::MOST);
        if facts.len() < policy.facts || !policy.layers.contains(&unit.scope.layer()) {
            return Ok(Plan::default());
        }
        let vectors = self.vectors_of(&facts).await?;
        let alike = |one: usize, other: usize| match (&vectors[one], &vectors[other]) {
            (Some(one), Some(other)) => cosine(one, other),
            _ => likeness(facts[one].content.as_str(), facts[other].content.as_str()),
        };
        let replaced = |memory: &Memory, by: MemoryId, now: Timestamp| {
            // It is no less true for being said elsewhere.
            let until = memory.valid_until.unwrap_or(now);
            let after = ingest::superseded(memory, by, until, now);
            let identity = ingest::identity_of(&after);
            (after, identity)
        };
        let steps = merging::plan(&facts, policy.similarity, now, alike, replaced);
        Ok(Plan { steps, looked_at: facts.len() as u64, refused: 0 })
    }

    /// Returns what is known of the meaning of memories that are one passage each.
    async fn vectors_of(&self, memories: &[Memory]) -> Result<Vec<Option<Vec<f32>>>> {
        let Some(model) = self.store.embedding_state().await?.model else {
            return Ok(vec![None; memories.len()]);
        };
        let passages: Vec<Vec<CleanText>> = memories.iter().map(Memory::passages).collect();
        let whole = |passages: &Vec<CleanText>| match &passages[..] {
            [only] => only.passage_hash(),
            _ => PassageHash::default(),
        };
        let hashes: Vec<PassageHash> = passages.iter().map(whole).collect();
        self.store.known_vectors(&model, &hashes).await
    }

    async fn plan_decay(&self, unit: &Unit, now: Timestamp) -> Result<Plan> {
        let kinds = Kind::ALL.iter().copied().filter(|kind| kind.decays()).collect();
        let states = vec![State::Active, State::Decayed];
        let mut memories = self.in_states(&unit.scope, kinds, states, now).await?;
        self.leave_alone(&unit.scope, Stage::Faded, &mut memories).await?;
        Ok(decay::plan(memories, &self.config.decay, now, ingest::identity_of))
    }

    /// Plans what becomes of a conversation's own memories.
    async fn plan_promotion(
        &self,
        caller: &Caller,
        unit: &Unit,
        now: Timestamp,
    ) -> Result<Drafted> {
        let Some(user) = promotion::user_of(&unit.scope) else { return Ok(Drafted::default()) };
        let policy = &self.config.sessions;
        let mut memories =
            self.in_states(&unit.scope, Vec::new(), vec![State::Active], now).await?;
        let looked_at = memories.len() as u64;
        let over_at = memories.iter().map(|memory| memory.created_at).max().unwrap_or(now);
        let mut known = self.promoted_already(caller, &memories, &user).await?;
        known.extend(self.store.came_through(&unit.scope, Stage::Promoted).await?);
        let mut steps = Vec::new();
        for draft in promotion::promoted(&memories, &user, policy) {
            if !draft.derived_from.iter().any(|id| known.contains(id)) {
                let prepared = self.prepare_own(caller, draft, now).await?;
                steps.extend(prepared.map(|one| step(one, "it matters beyond its conversation")));
            }
        }
        let mut steps = self.without_known(caller, steps, now).await?;
        let through = concluded_from(&steps, Stage::Promoted);
        self.leave_alone(&unit.scope, Stage::Retired, &mut memories).await?;
        steps.extend(promotion::retired(&memories, over_at, policy, now, ingest::identity_of));
        let plan = Plan { steps, looked_at, refused: 0 };
        Ok(Drafted { plan, through, ..Drafted::default() })
    }

    /// Leaves out the memories of a scope that have come through a stage already.
    async fn leave_alone(
        &self,
        scope: &Scope,
        stage: Stage,
        memories: &mut Vec<Memory>,
    ) -> Result<()> {
        if !memories.is_empty() {
            let through: HashSet<MemoryId> =
                self.store.came_through(scope, stage).await?.into_iter().collect();
            memories.retain(|memory| !through.contains(&memory.id));
        }
        Ok(())
    }

    /// Returns which of some memories a user has already.
    async fn promoted_already(
        &self,
        caller: &Caller,
        memories: &[Memory],
        user: &Scope,
    ) -> Result<Vec<MemoryId>> {
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
        let concluded = self.store.derived(caller.access(), &ids).await?.into_iter();
        let own: Vec<MemoryId> =
            concluded.filter(|(_, scope)| scope == user).map(|(id, _)| id).collect();
        let own = self.store.get(caller.access(), &own).await?;
        Ok(own.into_iter().flat_map(|memory| memory.provenance.derived_from).collect())
    }

    /// Plans a reflection on the last week, if one is due and there is something to look back on.
    async fn plan_reflection(
        &self,
        caller: &Caller,
        unit: &Unit,
        errand: Errand<'_>,
        now: Timestamp,
    ) -> Result<Drafted> {
        let last = self.last_reflection(&unit.scope, now).await?;
        let Some(since) = brief::due_since(last, now) else { return Ok(Drafted::default()) };
        let scopes = std::slice::from_ref(&unit.scope);
        let mut week = self.look_back(caller, scopes, since).await?;
        let looked_at = (week.learnt.len() + week.changed.len()) as u64;
        week.leave_out(&self.store.came_through(&unit.scope, Stage::Reflected).await?);
        let zone = &self.config.expiry.time_zone;
        let text = match self.reflection_told(&unit.scope, &week, errand, now).await? {
            Advice::Given(text, ()) => text,
            Advice::Costs(estimate) => return Ok(Drafted::costing(estimate)),
            Advice::NobodyToAsk => brief::digest(&week, since, now, zone),
        };
        let Some((text, sources)) = text else {
            return Ok(Drafted::whole(Plan { looked_at, ..Plan::default() }));
        };
        let source = Source::through(Channel::Inference);
        let mut draft = Draft::new(unit.scope.clone(), Kind::Reflection, text, source);
        draft.derived_from = sources;
        draft.metadata.tags = vec![WEEKLY.to_owned()];
        let prepared = self.prepare_own(caller, draft, now).await?;
        let steps = prepared.map(|one| step(one, "it looks back on a week"));
        let steps = self.without_known(caller, steps.into_iter().collect(), now).await?;
        let seen = if steps.is_empty() { Vec::new() } else { week.news() };
        let through = seen.into_iter().map(|id| (id, Stage::Reflected)).collect();
        let plan = Plan { steps, looked_at, refused: 0 };
        Ok(Drafted { plan, through, ..Drafted::default() })
    }

    /// Returns when a scope was last reflected on.
    async fn last_reflection(&self, scope: &Scope, now: Timestamp) -> Result<Option<Timestamp>> {
        let criteria = Criteria {
            kinds: vec![Kind::Reflection],
            states: State::ALL.to_vec(),
            tags: vec![WEEKLY.to_owned()],
            ..Criteria::default()
        };
        let filter = Filter { scopes: vec![scope.clone()], now, criteria };
        let page = Page { limit: 1, order: Order::Newest, after: None, counted: false };
        let latest = self.store.list(&filter, &page).await?.memories;
        Ok(latest.first().map(|memory| memory.created_at))
    }

    /// Puts what the engine concludes under the rules that every write is under; what they refuse is
    /// left out, and so is that of which something would be taken out.
    async fn prepare_own(
        &self,
        caller: &Caller,
        draft: Draft,
        now: Timestamp,
    ) -> Result<Option<Prepared>> {
        match self.prepare_all(caller, &[draft], now).await {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Refused | ErrorKind::ConfirmationRequired | ErrorKind::Invalid
                ) =>
            {
                Ok(None)
            }
            prepared => {
                let mut prepared = prepared?.into_iter();
                Ok(prepared.next().filter(|one| one.redactions.is_empty()))
            }
        }
    }

    /// Leaves out what is there already, or must not come back.
    async fn without_known(
        &self,
        caller: &Caller,
        steps: Vec<Step>,
        now: Timestamp,
    ) -> Result<Vec<Step>> {
        if steps.is_empty() {
            return Ok(steps);
        }
        let changes: Vec<Change> = steps.iter().map(|step| step.change.clone()).collect();
        let actor = caller.actor().clone();
        let (audit, idempotency, work) = (Vec::new(), None, None);
        let commit = Commit { actor, at: now, changes, audit, idempotency, work };
        let outcomes = self.store.rehearse(commit).await?;
        let new = steps.into_iter().zip(outcomes).filter(|(_, outcome)| outcome.changed());
        Ok(new.map(|(step, _)| step).collect())
    }

    /// Returns the memories of a scope in some states, of some kinds or of all.
    async fn in_states(
        &self,
        scope: &Scope,
        kinds: Vec<Kind>,
        states: Vec<State>,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let criteria = Criteria { kinds, states, ..Criteria::default() };
        self.all(&Filter { scopes: vec![scope.clone()], now, criteria }).await
    }
}

/// Returns a turn of a conversation as it is read for facts: only people tell any.
fn heard(turn: &Memory) -> Turn<'_> {
    let role = turn.source.role.as_deref().unwrap_or_default();
    let machine = ["tool", "system", "function"].iter().any(|name| role.eq_ignore_ascii_case(name));
    Turn {
        id: &turn.id,
        assistant: machine || turn.said_by_assistant(),
        speaker: turn.author(),
        said_at: turn.event_at,
        text: turn.content.as_str(),
    }
}

/// Returns the memories that steps conclude something from, as having come through a stage.
fn concluded_from(steps: &[Step], stage: Stage) -> Vec<(MemoryId, Stage)> {
    let sources =
        steps.iter().filter_map(Step::after).flat_map(|after| &after.provenance.derived_from);
    sources.map(|id| (id.clone(), stage)).collect()
}

/// Returns the cosine of two vectors of length one.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum()
}

fn step(prepared: Prepared, why: &'static str) -> Step {
    Step::create(prepared.memory, prepared.identity, why)
}
