//! The one place where logic meets the store: a verb per file.

mod archive;
mod beginning;
mod brief;
mod census;
mod confirm;
mod consolidated;
mod consolidating;
mod context;
mod correct;
mod due;
mod embed;
mod enriching;
mod exporting;
mod files;
mod follow;
mod forget;
mod forgetting;
mod health;
mod inspect;
mod jobs;
mod keys;
mod list;
mod maintain;
mod naming;
mod policy;
mod profile;
mod receipt;
mod remember;
mod remember_each;
mod review;
mod search;
mod sessions;
mod spending;
mod split;
mod sweep;
mod transfer;
mod undo;
mod update;
mod why_not;
mod window;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use async_channel::{Receiver, Sender};
use serde_json::{Map, Value};
use uuid::ContextV7;

use crate::config::Config;
use crate::embed::Embedder;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::Redaction;
use crate::llm::Counsel;
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Commit, Criteria, Filter, IdempotencyKey, Kind, Layer,
    Memory, MemoryId, Outcome, Reading, Right, Scope, Timestamp, microseconds,
};
use crate::recognise::Pipeline;
use crate::retrieval::{self, Selection};
use crate::store::{Backlog, Store};

pub use crate::store::Clock;
pub use census::{Census, TaskCensus};
pub use context::ContextRequest;
pub use correct::Corrected;
pub use embed::Embedded;
pub use exporting::Exporting;
pub use files::{Problem, SyncCounts, Synced, Syncing};
pub use follow::Changed;
pub use forget::Forgotten;
pub use forgetting::Forgetting;
pub use inspect::{Stats, VersionedHistory};
pub use keys::Admitted;
pub use list::{ListRequest, Listed};
pub use maintain::{Assignment, Piece, Watch};
pub use profile::EntityProfile;
pub use receipt::{AuditPlace, ForgetReason, Receipt};
pub use remember::Remembered;
pub use remember_each::Each;
pub use sessions::{Session, Sessions};
pub use spending::StoreLedger;
pub use sweep::{Sweep, Swept};
pub use transfer::{ConflictMode, Imported, Importing};
pub use undo::{Undoing, Undone};
pub use update::Updated;
pub use why_not::{Absence, WhyNot};
pub use window::Turn;

use embed::Questions;

/// How many custom fields a filter may name.
const MOST_CUSTOM: usize = 64;

/// How many tags a filter may name.
const MOST_TAGS: usize = 1_000;

/// Remembers, finds, changes and forgets, for callers and within their scopes.
#[derive(Clone)]
pub struct Engine {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Arc<Config>,
    ids: Arc<Mutex<ContextV7>>,
    embedder: Option<Arc<dyn Embedder>>,
    counsel: Option<Counsel>,
    questions: Arc<Mutex<Questions>>,
    recognisers: Pipeline,
    news: (Sender<()>, Receiver<()>),
}

impl Engine {
    /// Makes an engine with default settings on a store of its own.
    pub fn new(store: impl Store + 'static, clock: impl Clock + 'static) -> Self {
        Self::shared(Arc::new(store), clock, Config::default())
    }

    /// Makes an engine on a store that others may use too, unless it lacks something that memories
    /// need: fails with `Unsupported` then, and says what it is.
    pub fn open(
        store: Arc<dyn Store>,
        clock: impl Clock + 'static,
        config: Config,
    ) -> Result<Self> {
        store.capabilities().require()?;
        Ok(Self::shared(store, clock, config))
    }

    /// Makes an engine on a store that others may use too, and that is known to lack nothing.
    pub fn shared(store: Arc<dyn Store>, clock: impl Clock + 'static, config: Config) -> Self {
        Self {
            store,
            clock: Arc::new(clock),
            config: Arc::new(config),
            ids: Arc::new(Mutex::new(ContextV7::new())),
            embedder: None,
            counsel: None,
            questions: Arc::default(),
            recognisers: Pipeline::accurate([]),
            news: async_channel::bounded(1),
        }
    }

    /// Returns the same engine, finding by meaning too, if the store has room for vectors.
    #[must_use]
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>) -> Self {
        let embedder = Some(embedder).filter(|_| self.store.capabilities().vectors);
        Self { embedder, questions: Arc::default(), ..self }
    }

    /// Returns the same engine, asking these afterwards what memories name.
    ///
    /// Without it, what was not found by its form is guessed by capitals.
    #[must_use]
    pub fn with_recognisers(self, recognisers: Pipeline) -> Self {
        Self { recognisers, ..self }
    }

    /// Returns who is asked afterwards what memories name.
    pub fn recognisers(&self) -> &Pipeline {
        &self.recognisers
    }

    /// Returns the same engine, whose jobs ask a language model.
    #[must_use]
    pub fn with_counsel(self, counsel: Counsel) -> Self {
        Self { counsel: Some(counsel), ..self }
    }

    /// Returns the settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Waits until everything that was read is on record.
    pub async fn settle(&self) -> Result<()> {
        self.store.settle().await
    }

    /// Returns how much this process asked of the store that is not begun yet.
    pub fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    /// Returns this moment, by the engine's clock.
    pub fn now(&self) -> Timestamp {
        microseconds(self.clock.now())
    }

    fn new_id(&self, kind: Kind, now: Timestamp) -> MemoryId {
        let context = self.ids.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        MemoryId::generate(kind, now, &context)
    }

    /// Loads one memory that the caller may open and read, and that has not ended.
    async fn load(&self, caller: &Caller, id: &MemoryId, now: Timestamp) -> Result<Memory> {
        caller.require(Right::Read)?;
        let found = self.store.get(caller.access(), std::slice::from_ref(id)).await?;
        let alive = found.into_iter().find(|memory| !memory.expired(now));
        alive.ok_or_else(|| MemoryId::not_found(id.as_str()))
    }

    /// Commits what the caller has the right to do.
    async fn commit(
        &self,
        caller: &Caller,
        at: Timestamp,
        changes: Vec<Change>,
        audit: Vec<AuditEvent>,
        idempotency: Option<(IdempotencyKey, [u8; 32])>,
    ) -> Result<Vec<Outcome>> {
        check_changes(caller, &changes)?;
        let actor = caller.actor().clone();
        self.store.commit(Commit { actor, at, changes, audit, idempotency, work: None }).await
    }

    /// Records that memories were shown to somebody.
    fn observe<'a>(
        &self,
        caller: &Caller,
        at: Timestamp,
        query: &str,
        shown: impl IntoIterator<Item = &'a Memory>,
    ) {
        let ids: Vec<MemoryId> = shown.into_iter().map(|memory| memory.id.clone()).collect();
        self.record_reading(caller, at, query, ids.len() as u64, ids);
    }

    /// Records that memories were gone through, which is no use of any one of them.
    fn observe_passing(&self, caller: &Caller, at: Timestamp, query: &str, count: u64) {
        self.record_reading(caller, at, query, count, Vec::new());
    }

    fn record_reading(
        &self,
        caller: &Caller,
        at: Timestamp,
        query: &str,
        count: u64,
        ids: Vec<MemoryId>,
    ) {
        let audit = AuditEvent::new(AuditAction::Read).with("query", query).with("count", count);
        self.store.observe(Reading { actor: caller.actor().clone(), at, ids, audit });
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Returns the filter for what a caller means and may read.
fn filter(caller: &Caller, selection: &Selection, now: Timestamp) -> Result<Filter> {
    caller.require(Right::Read)?;
    check_criteria(&selection.criteria)?;
    let layers = selection.layers.as_deref();
    let mut scopes = retrieval::reach(caller, &selection.identifiers, layers)?;
    if scopes.is_empty() {
        let message = "no layer is open: give at least one identifier, such as a user";
        return Err(Error::new(ErrorKind::MissingIdentifier, message));
    }
    // What belongs to a session also comes from it.
    if let Some(excluded) = &selection.criteria.excluded_session {
        scopes.retain(|scope| scope.identifiers().get(Layer::Session) != Some(excluded));
    }
    let mut criteria = selection.criteria.clone();
    // Memories know no shorter time.
    criteria.as_of = criteria.as_of.map(microseconds);
    criteria.valid_at = criteria.valid_at.map(microseconds);
    Ok(Filter { scopes, now, criteria })
}

/// Refuses more conditions than a store can be asked for at once.
fn check_criteria(criteria: &Criteria) -> Result<()> {
    for (what, count, most) in [
        ("custom fields", criteria.custom.len(), MOST_CUSTOM),
        ("tags", criteria.tags.len(), MOST_TAGS),
    ] {
        if count > most {
            let message = format!("a filter has at most {most} {what}, not {count}");
            return Err(Error::invalid(message).with("limit", most));
        }
    }
    Ok(())
}

/// Refuses a scope that the caller may not open.
fn check_open(caller: &Caller, scope: &Scope) -> Result<()> {
    if caller.access().opens(scope) { Ok(()) } else { Err(retrieval::not_open(scope)) }
}

/// Refuses changes that the caller has no right to make.
fn check_changes(caller: &Caller, changes: &[Change]) -> Result<()> {
    changes.iter().try_for_each(|change| match change {
        Change::Create { .. } | Change::Update { .. } => caller.require(Right::Write),
        Change::Forget { .. } | Change::Reject { .. } => caller.require(Right::Delete),
        // What a memory means follows from what it says, whoever finds it out.
        Change::Embed { .. } => Ok(()),
    })
}

/// Refuses more than may be asked for at once.
fn check_batch(count: usize, limit: usize) -> Result<()> {
    if count <= limit {
        return Ok(());
    }
    let message = format!("{count} memories in one request; at most {limit} are taken");
    Err(Error::invalid(message).with("limit", limit))
}

/// Returns what is recorded of memories that were written: kinds and sources, never content.
fn described<'a>(memories: impl Iterator<Item = &'a Memory>) -> Map<String, Value> {
    let (mut kinds, mut sources) = (BTreeSet::new(), BTreeSet::new());
    for memory in memories {
        kinds.insert(memory.kind.as_str());
        sources.insert(memory.source.source_type.as_str());
    }
    // One is written as itself, so that most entries read simply.
    let listed = |names: BTreeSet<&'static str>| match names.len() {
        1 => names.into_iter().collect::<String>().into(),
        _ => Value::from_iter(names),
    };
    [("kind".to_owned(), listed(kinds)), ("source".to_owned(), listed(sources))]
        .into_iter()
        .collect()
}

/// Returns what is recorded of secrets that were taken out: by which rules, never their values.
fn redaction_event<'a>(redactions: impl Iterator<Item = &'a Redaction>) -> Option<AuditEvent> {
    let all: Vec<&Redaction> = redactions.collect();
    if all.is_empty() {
        return None;
    }
    let distinct = |names: &mut dyn Iterator<Item = &'static str>| -> Vec<&'static str> {
        names.collect::<BTreeSet<_>>().into_iter().collect()
    };
    let rules = distinct(&mut all.iter().map(|redaction| redaction.class));
    let levels = distinct(&mut all.iter().map(|redaction| redaction.level.as_str()));
    let fields = distinct(&mut all.iter().map(|redaction| redaction.field));
    let event = AuditEvent::new(AuditAction::SecretRedacted).with("rules", rules);
    Some(event.with("levels", levels).with("fields", fields).with("count", all.len()))
}
