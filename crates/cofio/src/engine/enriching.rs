use std::collections::HashSet;

use super::{Engine, check_open};
use crate::error::{Error, Result};
use crate::ingest;
use crate::lifecycle::enrichment::{self, Findings, Policy};
use crate::lifecycle::plan::Plan;
use crate::model::{
    Caller, Criteria, Filter, Memory, MemoryId, Mention, Right, Scope, State, Timestamp, Trust,
};
use crate::recognise::Pipeline;

/// How many names of a scope are known when memories are read again: those that most memories have.
const MOST_KNOWN: usize = 10_000;

/// How many memories with a name that is outdated get another one together.
const MOST_RENAMED: usize = 1_000;

/// How many memories are looked at to see how far a name is to be trusted: some may have another
/// of the same name.
const ENOUGH_NAMING: usize = 20;

impl Engine {
    /// Plans what memories of a scope name, as the engine's recognisers find it, and changes nothing.
    ///
    /// Facts and episodes in use that name few entities are read again; what they turn out to name
    /// may be what others of the scope mean by another spelling, and then those are part of the plan
    /// too, unless they are trusted more. Memories of other scopes are left alone. Fails if a recogniser cannot be made ready.
    pub async fn plan_names(
        &self,
        caller: &Caller,
        scope: &Scope,
        memories: &[Memory],
        now: Timestamp,
    ) -> Result<Plan> {
        let plan = self.plan_names_by(&self.recognisers, caller, scope, memories, now).await;
        plan.map_err(|error: Error| error.during("enrich"))
    }

    /// Plans the same by other recognisers.
    pub(super) async fn plan_names_by(
        &self,
        recognisers: &Pipeline,
        caller: &Caller,
        scope: &Scope,
        memories: &[Memory],
        now: Timestamp,
    ) -> Result<Plan> {
        caller.require(Right::Read)?;
        check_open(caller, scope)?;
        let mut own = memories.to_vec();
        own.retain(|memory| memory.scope == *scope && memory.state != State::Pending);
        if own.is_empty() {
            return Ok(Plan::default());
        }
        recognisers.prepare()?;
        let known = self.known_names(scope, now).await?;
        let policy = Policy::new(&self.config.secret_replacement);
        let mut findings = enrichment::read(&own, recognisers, known, &policy);
        for name in findings.candidates() {
            let trust = self.trust_in_name(scope, &name, now).await?;
            findings.trust(&name, trust);
        }
        let others = self.having_outdated_names(scope, &own, &findings, now).await?;
        Ok(findings.plan(&own, &others, ingest::identity_of, now))
    }

    /// Returns every way in which something is written that memories of a scope name.
    async fn known_names(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Mention>> {
        let scopes = std::slice::from_ref(scope);
        let entities = self.store.entities(scopes, now, None, MOST_KNOWN).await?;
        let mentions = entities.iter().flat_map(|entity| {
            entity.aliases.iter().map(|alias| Mention {
                name: entity.name.clone(),
                entity_type: entity.entity_type,
                alias: alias.clone(),
            })
        });
        Ok(mentions.collect())
    }

    /// Returns how far the most trusted memory of a scope is to be trusted that has a name.
    async fn trust_in_name(&self, scope: &Scope, name: &Mention, now: Timestamp) -> Result<Trust> {
        for minimum_trust in [Trust::High, Trust::Medium] {
            let criteria = Criteria { minimum_trust, ..Criteria::default() };
            let filter = Filter { scopes: vec![scope.clone()], now, criteria };
            let named = (name.name.as_str(), name.entity_type);
            if !self.naming(&filter, named, ENOUGH_NAMING).await?.is_empty() {
                return Ok(minimum_trust);
            }
        }
        Ok(Trust::Low)
    }

    /// Returns the memories beside those that were read which call something by an outdated name.
    async fn having_outdated_names(
        &self,
        scope: &Scope,
        read: &[Memory],
        findings: &Findings,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let mut seen: HashSet<MemoryId> = read.iter().map(|memory| memory.id.clone()).collect();
        let mut others = Vec::new();
        for name in findings.outdated() {
            let states = vec![State::Active, State::Decayed, State::Archived, State::Superseded];
            let criteria = Criteria { states, ..Criteria::default() };
            let filter = Filter { scopes: vec![scope.clone()], now, criteria };
            let left = MOST_RENAMED.saturating_sub(others.len());
            let having = self.naming(&filter, (&name.name, name.entity_type), left).await?;
            others.extend(having.into_iter().filter(|memory| seen.insert(memory.id.clone())));
        }
        Ok(others)
    }
}
