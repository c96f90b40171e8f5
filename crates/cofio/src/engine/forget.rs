use std::collections::{HashMap, HashSet};

use super::Engine;
use super::receipt::{ForgetReason, Receipt, deletion};
use crate::error::{Error, Result};
use crate::model::{
    AuditEvent, Caller, Change, Criteria, Filter, Memory, MemoryId, Outcome, Right, Scope, State,
    Timestamp,
};
use crate::retrieval::Selection;
use crate::store::kit::version_conflict;
use crate::store::{Order, Page};

/// What was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// The memories that are gone.
    pub ids: Vec<MemoryId>,
    /// Those that were asked for and are not there, or not the caller's.
    pub missing: Vec<MemoryId>,
    /// How many of those that are gone were concluded from the others.
    pub derived: usize,
    /// What shows it, if anything was forgotten and its place in the audit could be read.
    pub receipt: Option<Receipt>,
}

/// What is to be forgotten.
struct Chosen {
    memories: Vec<Memory>,
    /// Whether they must still have the versions they have here.
    exactly: bool,
    reason: ForgetReason,
}

/// Whether the texts of memories are needed: they may stand where nobody answers.
#[derive(Clone, Copy)]
enum Texts {
    /// All of them.
    Needed,
    /// Those that are not lost.
    Wanted,
    /// None.
    Spared,
}

impl Chosen {
    fn new(memories: Vec<Memory>, reason: ForgetReason) -> Self {
        Self { memories, exactly: false, reason }
    }
}

/// How many memories are collected at a time.
const PIECE: usize = 1_000;

impl Engine {
    /// Forgets memories by id, and whatever was concluded from them: rows, earlier versions, index,
    /// entities and vectors.
    ///
    /// All that are there are forgotten together; the others are reported.
    pub async fn forget(&self, caller: &Caller, ids: &[MemoryId]) -> Result<Forgotten> {
        self.forget_chosen(caller, ids, ForgetReason::Id).await
    }

    /// Forgets a memory, and whatever was concluded from it, if it still has this version.
    ///
    /// Fails with `Conflict` if somebody changed it since.
    pub async fn forget_version(
        &self,
        caller: &Caller,
        id: &MemoryId,
        version: u64,
    ) -> Result<Forgotten> {
        let forget = async {
            caller.require(Right::Delete)?;
            let memory = self.load(caller, id, self.now()).await?;
            if memory.version != version {
                return Err(version_conflict(id, version, memory.version));
            }
            let chosen = Chosen { memories: vec![memory], exactly: true, reason: ForgetReason::Id };
            self.forget_memories(caller, chosen, self.now()).await
        };
        forget.await.map_err(|error| error.during("delete"))
    }

    /// Forgets memories by id, and puts on record how they were chosen.
    pub async fn forget_chosen(
        &self,
        caller: &Caller,
        ids: &[MemoryId],
        reason: ForgetReason,
    ) -> Result<Forgotten> {
        self.forget_ids(caller, ids, reason).await.map_err(|error| error.during("delete"))
    }

    /// Forgets everything that a selection means, together.
    pub async fn forget_matching(
        &self,
        caller: &Caller,
        selection: &Selection,
    ) -> Result<Forgotten> {
        let forget = async {
            caller.require(Right::Delete)?;
            let memories = self.matching_outlines(caller, selection).await?;
            let chosen = Chosen::new(memories, ForgetReason::Filter);
            self.forget_memories(caller, chosen, self.now()).await
        };
        forget.await.map_err(|error| error.during("delete"))
    }

    /// Forgets everything that came from a page, file, call, conversation or tool, and whatever was
    /// concluded from it, in all scopes that the caller opens.
    pub async fn forget_source(&self, caller: &Caller, origin: &str) -> Result<Forgotten> {
        let forget = async {
            caller.require(Right::Delete)?;
            let memories = self.from_source(caller, origin).await?;
            let chosen = Chosen::new(memories, ForgetReason::Source);
            self.forget_memories(caller, chosen, self.now()).await
        };
        forget.await.map_err(|error| error.during("delete"))
    }

    /// Returns everything that came from a page, file, call, conversation or tool, whatever became
    /// of it, as `forget_source` would take it: without the texts that stand on shelves.
    pub async fn from_source(&self, caller: &Caller, origin: &str) -> Result<Vec<Memory>> {
        self.every_page(&self.of_source(caller, origin).await?, Texts::Spared).await
    }

    async fn of_source(&self, caller: &Caller, origin: &str) -> Result<Filter> {
        caller.require(Right::Read)?;
        let scopes = self.scopes(caller).await?;
        let origin = Some(origin.to_owned());
        let criteria = Criteria { states: State::ALL.to_vec(), origin, ..Criteria::default() };
        // What has ended by itself is still there: at the beginning of time nothing has.
        Ok(Filter { scopes, now: Timestamp::MIN, criteria })
    }

    /// Returns everything that a selection means and that is still there, ended or not, as
    /// `forget_matching` would take it.
    ///
    /// What was known earlier cannot be forgotten by itself, so nothing is meant as of a moment.
    pub async fn matching(&self, caller: &Caller, selection: &Selection) -> Result<Vec<Memory>> {
        self.whole(&meant(caller, selection)?).await
    }

    /// Returns the same without the texts that stand on shelves, so that none of them is asked.
    pub async fn matching_outlines(
        &self,
        caller: &Caller,
        selection: &Selection,
    ) -> Result<Vec<Memory>> {
        self.every_page(&meant(caller, selection)?, Texts::Spared).await
    }

    /// Returns everything that a filter means, the newest first, without what a shelf has lost.
    pub(super) async fn all(&self, filter: &Filter) -> Result<Vec<Memory>> {
        self.every_page(filter, Texts::Wanted).await
    }

    /// Returns everything that a filter means, the newest first; fails if a shelf has lost any of it.
    pub(super) async fn whole(&self, filter: &Filter) -> Result<Vec<Memory>> {
        self.every_page(filter, Texts::Needed).await
    }

    async fn every_page(&self, filter: &Filter, texts: Texts) -> Result<Vec<Memory>> {
        let mut page = Page { limit: PIECE, order: Order::Newest, after: None, counted: true };
        let mut memories = Vec::new();
        loop {
            let listing = match texts {
                Texts::Needed => self.store.list(filter, &page).await?.whole()?,
                Texts::Wanted => self.store.list(filter, &page).await?,
                Texts::Spared => self.store.list_outlines(filter, &page).await?,
            };
            page.after = listing.memories.last().map(|memory| page.order.position(memory));
            memories.extend(listing.memories);
            if !listing.more {
                return Ok(memories);
            }
        }
    }

    async fn forget_ids(
        &self,
        caller: &Caller,
        ids: &[MemoryId],
        reason: ForgetReason,
    ) -> Result<Forgotten> {
        caller.require(Right::Delete)?;
        super::check_batch(ids.len(), self.config.limits.batch)?;
        let now = self.now();
        let found = self.store.get_outlines(caller.access(), ids).await?;
        let mut forgotten = self.forget_memories(caller, Chosen::new(found, reason), now).await?;
        let gone: HashSet<&MemoryId> = forgotten.ids.iter().collect();
        let missing = ids.iter().filter(|id| !gone.contains(id)).cloned().collect();
        forgotten.missing = missing;
        Ok(forgotten)
    }

    async fn forget_memories(
        &self,
        caller: &Caller,
        chosen: Chosen,
        at: Timestamp,
    ) -> Result<Forgotten> {
        let Chosen { memories, exactly, reason } = chosen;
        if memories.is_empty() {
            return Ok(Forgotten::default());
        }
        let versions = memories.iter().filter(|_| exactly);
        let versions = versions.map(|memory| (memory.id.clone(), memory.version)).collect();
        let mut whose: Vec<(MemoryId, Scope)> =
            memories.into_iter().map(|memory| (memory.id, memory.scope)).collect();
        let concluded = self.derived(caller, &whose).await?;
        let derived = concluded.len();
        let (id, before) = (self.new_receipt(at), self.audit_end().await?);
        let mut event = deletion(&whose, reason).with("receipt", id.as_str());
        if derived > 0 {
            event = event.with("derived", derived);
        }
        whose.extend(concluded);
        let (ids, missing) =
            self.forget_versions(caller, whose.clone(), &versions, event, at).await?;
        let gone: HashSet<&MemoryId> = ids.iter().collect();
        whose.retain(|(id, _)| gone.contains(id));
        let (actor, memories) = (caller.actor().clone(), whose);
        // They are gone, whether or not it can be read at the moment where that is recorded.
        let place = self.place_of(&id, before).await.unwrap_or_default();
        let receipt =
            place.map(|audit| Receipt { id, at, actor, reason, memories, derived, audit });
        Ok(Forgotten { ids, missing, derived, receipt })
    }

    /// Returns everything that was concluded from some memories, and from that in turn.
    pub(super) async fn derived(
        &self,
        caller: &Caller,
        from: &[(MemoryId, Scope)],
    ) -> Result<Vec<(MemoryId, Scope)>> {
        let mut known: HashSet<MemoryId> = from.iter().map(|(id, _)| id.clone()).collect();
        let mut parents: Vec<MemoryId> = known.iter().cloned().collect();
        let mut all = Vec::new();
        while !parents.is_empty() {
            let mut children = self.store.derived(caller.access(), &parents).await?;
            children.retain(|(id, _)| known.insert(id.clone()));
            parents = children.iter().map(|(id, _)| id.clone()).collect();
            all.extend(children);
        }
        Ok(all)
    }

    /// Removes memories, and returns those that are gone and those that were not there.
    pub(super) async fn forget_as(
        &self,
        caller: &Caller,
        whose: Vec<(MemoryId, Scope)>,
        event: AuditEvent,
        now: Timestamp,
    ) -> Result<(Vec<MemoryId>, Vec<MemoryId>)> {
        self.forget_versions(caller, whose, &HashMap::new(), event, now).await
    }

    /// Removes memories that still have the versions that are named, or none of them.
    async fn forget_versions(
        &self,
        caller: &Caller,
        whose: Vec<(MemoryId, Scope)>,
        versions: &HashMap<MemoryId, u64>,
        event: AuditEvent,
        now: Timestamp,
    ) -> Result<(Vec<MemoryId>, Vec<MemoryId>)> {
        let forget = |(id, scope)| {
            let version = versions.get(&id).copied();
            Change::Forget { id, scope, version }
        };
        let changes = whose.into_iter().map(forget).collect();
        let (mut gone, mut missing) = (Vec::new(), Vec::new());
        for outcome in self.commit(caller, now, changes, vec![event], None).await? {
            match outcome {
                Outcome::Forgotten(id) => gone.push(id),
                other => missing.push(other.id().clone()),
            }
        }
        Ok((gone, missing))
    }
}

/// Returns what a selection means that is to be forgotten.
fn meant(caller: &Caller, selection: &Selection) -> Result<Filter> {
    if selection.criteria.as_of.is_some() {
        let message = "memories are forgotten as they are, not as they were at a moment";
        return Err(Error::invalid(message));
    }
    super::filter(caller, selection, Timestamp::MIN)
}
