use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Engine, check_batch, check_open};
use crate::error::{ErrorKind, Result};
use crate::ingest;
use crate::lifecycle::consolidation::{self, Decision, Fact, Found, Owner, Telling};
use crate::lifecycle::extraction::Candidate;
use crate::lifecycle::plan::{Plan, Step};
use crate::model::{
    Caller, Criteria, Filter, Kind, Memory, MemoryId, Right, Scope, State, Timestamp, TriplePattern,
};
use crate::retrieval::{Query, Selection};
use crate::store::{Order, Page};

/// How many turns are read together.
const MOST_TURNS: usize = 30;

/// How many known facts are looked at that are about the same as one that was found.
const SAME_SUBJECT: usize = 50;

/// How many known facts are looked at that are like one that was found.
const SIMILAR: usize = 5;

impl Engine {
    /// Plans what facts found in turns of a conversation change, and changes nothing.
    ///
    /// Only turns of `scope` count as evidence, and no other scope's facts are looked at. A fact that
    /// the rules for every write refuse is left out, and so is one of which something would be taken
    /// out: what is left of a fact misleads. What is trusted less than high begins as pending, as
    /// always. Made again after its steps were committed, the plan is empty.
    pub async fn plan_facts(
        &self,
        caller: &Caller,
        scope: &Scope,
        turns: &[Memory],
        candidates: &[Candidate],
        now: Timestamp,
    ) -> Result<Plan> {
        let plan = self.planned_facts(caller, scope, turns, (candidates, &[]), now);
        plan.await.map_err(|error| error.during("consolidate"))
    }

    /// Plans the same for facts that were told, and for others that were concluded from what was.
    pub(super) async fn planned_facts(
        &self,
        caller: &Caller,
        scope: &Scope,
        turns: &[Memory],
        (told, concluded): (&[Candidate], &[Candidate]),
        now: Timestamp,
    ) -> Result<Plan> {
        caller.require(Right::Read)?;
        caller.require(Right::Write)?;
        check_open(caller, scope)?;
        check_batch(turns.len(), MOST_TURNS)?;
        let owner = Owner::new(scope, turns);
        let mut found = consolidation::found(scope, turns, told, &owner);
        let concluded = consolidation::found(scope, turns, concluded, &owner);
        found.extend(concluded.into_iter().map(Found::as_conclusion));
        let asked = found.len();
        let facts = self.admitted(caller, found, now).await?;
        let refused = (asked - facts.len()) as u64;
        let known = self.related(caller, scope, &facts, now).await?;
        let looked_at = (turns.len() + known.len()) as u64;
        let decisions = consolidation::decide(facts, &known, &owner);
        Ok(Plan { steps: steps(decisions, known, now), looked_at, refused })
    }

    /// Puts facts under the rules that every write is under, and leaves out what they refuse.
    async fn admitted(
        &self,
        caller: &Caller,
        found: Vec<Found>,
        now: Timestamp,
    ) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for Found { draft, telling } in found {
            if draft.content.contains(&self.config.secret_replacement) {
                continue;
            }
            let prepared = match self.prepare_all(caller, &[draft], now).await {
                Err(error) if is_refusal(error.kind()) => continue,
                prepared => prepared?,
            };
            let clean = prepared.into_iter().filter(|one| one.redactions.is_empty());
            facts.extend(clean.map(|one| Fact { memory: one.memory, telling: telling.clone() }));
        }
        Ok(facts)
    }

    /// Returns the facts of a scope that are about the same as others or like them.
    async fn related(
        &self,
        caller: &Caller,
        scope: &Scope,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let mut known: HashMap<MemoryId, Memory> = HashMap::new();
        let abouts: BTreeSet<(&str, &str)> =
            facts.iter().map(|fact| about(&fact.telling)).collect();
        for (subject, attribute) in abouts {
            let same = self.about(scope, subject, attribute, now).await?;
            known.extend(same.into_iter().map(|memory| (memory.id.clone(), memory)));
        }
        for fact in facts {
            let similar = self.similar(caller, scope, &fact.memory, now).await?;
            known.extend(similar.into_iter().map(|memory| (memory.id.clone(), memory)));
        }
        let mut known: Vec<Memory> = known.into_values().collect();
        known.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(known)
    }

    /// Returns the facts of a scope that state something of an attribute of a subject, whether they
    /// still hold or not.
    async fn about(
        &self,
        scope: &Scope,
        subject: &str,
        attribute: &str,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let triple = TriplePattern {
            subject: Some(subject.to_owned()),
            predicate: Some(attribute.to_owned()),
            ..TriplePattern::default()
        };
        let criteria = Criteria { triple, ..facts_in(State::ALL) };
        let filter = Filter { scopes: vec![scope.clone()], now, criteria };
        let order = Order::LatestEvent;
        let page = Page { limit: SAME_SUBJECT, order, after: None, counted: false };
        Ok(self.store.list(&filter, &page).await?.memories)
    }

    /// Returns the facts of a scope that are most like another one and were not replaced.
    async fn similar(
        &self,
        caller: &Caller,
        scope: &Scope,
        fact: &Memory,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let text = fact.content.as_str();
        if text.len() > self.config.limits.query_bytes {
            return Ok(Vec::new());
        }
        // What was replaced is as like as what replaced it, and would crowd it out.
        let in_force: Vec<State> =
            State::ALL.iter().copied().filter(|state| *state != State::Superseded).collect();
        let (identifiers, layers) = (scope.identifiers().clone(), Some(vec![scope.layer()]));
        let selection = Selection { layers, ..Selection::with(identifiers, facts_in(&in_force)) };
        let query = Query { limit: SIMILAR, ..Query::new(selection, text) };
        let answer = self.answer(caller, &query, now).await?;
        Ok(answer.hits.into_iter().map(|hit| hit.memory).collect())
    }
}

fn about(telling: &Telling) -> (&str, &str) {
    (telling.subject(), telling.attribute())
}

fn facts_in(states: &[State]) -> Criteria {
    Criteria { kinds: vec![Kind::Fact], states: states.to_vec(), ..Criteria::default() }
}

/// Returns whether an error says that one fact must not be learnt, rather than that none can be.
///
/// Evidence that is gone by now is not found.
fn is_refusal(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Refused
            | ErrorKind::ConfirmationRequired
            | ErrorKind::Invalid
            | ErrorKind::ContentTooLong
            | ErrorKind::NotFound
    )
}

/// Returns the steps that decisions ask for: what is known changes first, each memory once, so that
/// what takes its place may say the same.
fn steps(decisions: Vec<Decision>, known: Vec<Memory>, now: Timestamp) -> Vec<Step> {
    let (mut changes, mut learnt) = (BTreeMap::<MemoryId, Vec<Decision>>::new(), Vec::new());
    for decision in decisions {
        match decision {
            Decision::Support { ref known, .. } | Decision::End { ref known, .. } => {
                changes.entry(known.clone()).or_default().push(decision);
            }
            Decision::Learn { memory } => {
                let identity = ingest::identity_of(&memory);
                learnt.push(Step::create(*memory, identity, "was told in a conversation"));
            }
        }
    }
    let changed = known.into_iter().filter_map(|before| {
        let decisions = changes.get(&before.id)?;
        let after = changed(&before, decisions, now);
        let over = after.state == State::Superseded;
        let why = if over { "is over by what was told since" } else { "was told again" };
        let identity = ingest::identity_of(&after);
        Some(Step::update(before, after, identity, why))
    });
    changed.chain(learnt).collect()
}

/// Returns the next version of a memory after everything that was decided of it.
fn changed(before: &Memory, decisions: &[Decision], now: Timestamp) -> Memory {
    let (mut after, mut by) = (before.clone(), None);
    for decision in decisions {
        match decision {
            Decision::Support { evidence, said_at, .. } => {
                after = consolidation::supported(&after, evidence, *said_at);
            }
            Decision::End { by: other, at, .. } => {
                after.metadata.confidence = Some(consolidation::doubted(&after));
                after.valid_until = Some(*at);
                by = Some(other.clone());
            }
            Decision::Learn { .. } => {}
        }
    }
    match by {
        Some(by) => {
            let until = after.valid_until.unwrap_or(now);
            ingest::superseded(&after, by, until, now)
        }
        None => Memory { version: before.version + 1, updated_at: now, ..after },
    }
}
