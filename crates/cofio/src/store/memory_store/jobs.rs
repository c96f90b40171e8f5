//! The ledger of jobs, what they have come to, and who may run them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::contents::Contents;
use super::kept::Kept;
use crate::error::Result;
use crate::model::{
    Access, Amount, Identifier, Job, JobId, Kind, Memory, MemoryId, Portion, Scope, Spending,
    Spent, Stage, State, Task, Timestamp, Waiting, Work,
};
use crate::store::{LONGEST_LEASE, Permit};

/// Everything about jobs.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) jobs: BTreeMap<JobId, Job>,
    /// Who may do what only one may do at a time, and until when.
    leases: BTreeMap<String, (String, Timestamp)>,
    /// What language models cost, by ticket.
    pub(super) spending: BTreeMap<u64, Spending>,
    pub(super) last_ticket: u64,
}

impl Ledger {
    /// Returns jobs, the latest first.
    pub fn list(&self, actor: Option<&Identifier>, task: Option<Task>, limit: usize) -> Vec<Job> {
        let meant = |job: &&Job| {
            actor.is_none_or(|actor| job.actor == *actor)
                && task.is_none_or(|task| job.task == task)
        };
        let mut jobs: Vec<Job> = self.jobs.values().filter(meant).cloned().collect();
        jobs.sort_by_key(|job| Reverse((job.started_at, job.id.clone())));
        jobs.truncate(limit);
        jobs
    }

    /// Returns one job.
    pub fn find(&self, id: &JobId) -> Option<Job> {
        self.jobs.get(id).cloned()
    }

    /// Writes down what a call may cost if it is permitted, and returns its ticket.
    pub fn reserve(&mut self, spending: Spending, permit: Permit) -> Result<u64> {
        let sum = |meant: &dyn Fn(&Spending) -> bool| {
            let amounts = self.spending.values().filter(|one| meant(one)).map(|one| one.amount);
            amounts.fold(Amount::default(), Amount::plus)
        };
        let today = |one: &Spending| one.day == spending.day;
        permit(&Spent {
            day: sum(&today),
            job: sum(&|one| one.job == spending.job),
            scope: sum(&|one| today(one) && one.scope == spending.scope),
        })?;
        self.last_ticket += 1;
        self.spending.insert(self.last_ticket, spending);
        Ok(self.last_ticket)
    }

    /// Puts what a call did cost in the place of what it might; nothing gives it back.
    pub fn settle(&mut self, ticket: u64, amount: Option<Amount>) {
        match (amount, self.spending.get_mut(&ticket)) {
            (Some(amount), Some(spending)) => {
                spending.amount = amount;
                spending.settled = true;
            }
            _ => drop(self.spending.remove(&ticket)),
        }
    }

    /// Returns what was spent, the latest first.
    pub fn spending(&self, limit: usize) -> Vec<Spending> {
        self.spending.values().rev().take(limit).cloned().collect()
    }

    /// Lets a holder do what only one may do at a time, unless somebody else does.
    pub fn lease(&mut self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> bool {
        // One that ends later than any can was taken by a clock that was wrong.
        let latest = now.checked_add(LONGEST_LEASE).unwrap_or(Timestamp::MAX);
        let free = self
            .leases
            .get(name)
            .is_none_or(|(other, end)| other == holder || *end <= now || *end > latest);
        if free {
            self.leases.insert(name.to_owned(), (holder.to_owned(), until));
        }
        free
    }
}

impl Contents {
    /// Keeps the jobs of a commit as they are afterwards, and what came through which stage.
    pub fn keep_work(&mut self, work: Work) {
        let Work { job, other, through, again, dismissed } = work;
        if let Some(again) = again {
            self.change_all(|kept| kept.stages.retain(|_, job| *job != again));
        }
        for (id, stage) in through {
            self.change(&id, |kept| {
                kept.stages.entry(stage).or_insert_with(|| job.id.clone());
            });
        }
        for job in other.into_iter().chain([job]) {
            self.ledger.jobs.insert(job.id.clone(), job);
        }
        if let Some(dismissed) = dismissed.filter(|job| !self.is_referred_to(job)) {
            self.ledger.jobs.remove(&dismissed);
        }
    }

    /// Returns whether anything was done or spent in a job.
    fn is_referred_to(&self, job: &JobId) -> bool {
        let mut kept = self.all();
        self.journal.changes_of(job).next().is_some()
            || kept.any(|kept| kept.stages.values().any(|through| through == job))
            || self.ledger.spending.values().any(|spending| spending.job == job.as_str())
    }

    /// Returns where memories have still to come through a stage.
    pub fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Vec<Waiting> {
        let mut all: Vec<Waiting> = Vec::new();
        for inside in self.scopes(access) {
            let mut places: BTreeMap<Option<Identifier>, Waiting> = BTreeMap::new();
            for kept in inside.into_iter().filter(|kept| waits(kept, stage, now)) {
                let memory = &kept.memory;
                let conversation = place(memory, stage);
                let waiting = places.entry(conversation.clone()).or_insert_with(|| Waiting {
                    scope: memory.scope.clone(),
                    conversation,
                    count: 0,
                    latest_at: memory.created_at,
                });
                waiting.count += 1;
                waiting.latest_at = waiting.latest_at.max(memory.created_at);
            }
            all.extend(places.into_values());
        }
        all.sort_by_key(|waiting| waiting.latest_at);
        all
    }

    /// Returns the first memories in one place that have still to come through a stage.
    pub fn first_waiting(&self, portion: &Portion) -> Vec<Memory> {
        let Portion { stage, scope, conversation, now, limit } = portion;
        let meant = |kept: &&Kept| {
            waits(kept, *stage, *now)
                && conversation
                    .as_ref()
                    .is_none_or(|name| kept.memory.conversation() == Some(name.as_str()))
        };
        let inside = self.inside(std::slice::from_ref(scope));
        let mut memories: Vec<Memory> =
            inside.into_iter().filter(meant).map(Kept::to_memory).collect();
        memories.sort_by_key(|memory| (memory.event_at, memory.id.clone()));
        memories.truncate(*limit);
        memories
    }

    /// Returns the memories of a scope that came through a stage.
    pub fn came_through(&self, scope: &Scope, stage: Stage) -> Vec<MemoryId> {
        let inside = self.inside(std::slice::from_ref(scope)).into_iter();
        let through = inside.filter(|kept| kept.stages.contains_key(&stage));
        through.map(|kept| kept.memory.id.clone()).collect()
    }
}

/// Returns whether a memory has still to come through a stage.
fn waits(kept: &Kept, stage: Stage, now: Timestamp) -> bool {
    let memory = &kept.memory;
    let meant = match stage {
        Stage::Consolidated => memory.kind == Kind::Episode && memory.conversation().is_some(),
        Stage::Enriched => matches!(memory.kind, Kind::Episode | Kind::Fact),
        _ => false,
    };
    let alive = memory.state == State::Active && !memory.expired(now);
    meant && alive && !kept.stages.contains_key(&stage)
}

/// Returns the conversation that a memory comes through a stage with.
fn place(memory: &Memory, stage: Stage) -> Option<Identifier> {
    match stage {
        Stage::Consolidated => memory.conversation().and_then(|name| Identifier::new(name).ok()),
        _ => None,
    }
}
