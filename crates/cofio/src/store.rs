//! Where memories are kept: the contract, what every store shares, and two stores.
//!
//! A store knows the model and nothing of ranking, policy or time.

mod chain;
#[cfg(feature = "conformance")]
pub mod conformance;
mod document;
mod inquiries;
mod job_document;
pub mod kit;
mod memory_store;
mod moving;
mod sqlite;
mod surrounding;
mod vectors;

use async_trait::async_trait;
use jiff::SignedDuration;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Access, Amount, AuditEntry, ChangeRecord, Commit, Cues, Entity, Evidence, Filter, Fingerprint,
    Identifier, Job, JobId, Key, KeyCommit, KeyHash, KeyId, Kind, Layer, Memory, MemoryId, Outcome,
    PassageHash, PendingCheckup, Place, Portion, Reading, Scope, Spending, Spent, Stage, State,
    Survey, Task, Timestamp, Unshelved, ValueHash, Waiting,
};

pub use chain::{GENESIS, change_digest, link, verify};
pub use document::{decode, decode_analysed, encode};
pub(crate) use inquiries::Chosen;
pub use job_document::{decode_job, encode_job};
pub use memory_store::MemoryStore;
pub(crate) use memory_store::{Copied, Followed};
pub use moving::{
    CarriedMemory, CarriedVector, Field, Movable, Moved, MovedPart, Mover, Part, Record, RecordKey,
    Step, Stretch,
};
pub use sqlite::{
    Begin, Durability, Integrity, Purged, Restored, SqliteOptions, SqliteStore, Trace, Verdict,
    Wanted,
};
#[cfg(feature = "bench")]
pub use sqlite::{Nearest, VectorTables};
pub use surrounding::Surrounding;

/// Keeps memories.
///
/// Every method that reads names the scopes or the access it reads for, and never returns, counts
/// or changes anything outside. Every answer is one moment's view of the store.
#[async_trait]
pub trait Store: Send + Sync {
    /// Returns what this store can do by itself.
    fn capabilities(&self) -> Capabilities;

    /// Makes all changes, their audit entries and their places in the sequence of changes, or none.
    ///
    /// When it returns, all of it survives a crash. Returns one outcome per change, in order.
    /// Fails with `Conflict` when an update's memory no longer has the version before, when one that
    /// is to be forgotten no longer has the version that is named, or when
    /// an idempotency key comes back with another request; with the same request it returns the
    /// first outcomes and changes nothing. An id that was forgotten is never created again:
    /// its outcome is `Missing`, as is that of an update, a forgetting or a vector for a memory
    /// that is not there. A commit that changes nothing records nothing.
    /// One that is part of a job makes every change or, with `Conflict`, none, and keeps the job as
    /// it is afterwards even if there is nothing to change. An error says that nothing was made,
    /// unless it [is undecided](crate::Error::is_undecided).
    async fn commit(&self, commit: Commit) -> Result<Vec<Outcome>>;

    /// Makes a commit soon; does not wait, and may be lost in a crash or because of an error.
    ///
    /// What is committed later by the same store comes after it.
    fn commit_soon(&self, commit: Commit);

    /// Returns the outcomes of an earlier commit with the same idempotency key, if there was one.
    ///
    /// Waits for nobody who writes. Fails with `Conflict` as [`Store::commit`] does.
    async fn earlier(&self, commit: &Commit) -> Result<Option<Vec<Outcome>>>;

    /// Returns what a commit would return at this moment, and changes nothing.
    async fn rehearse(&self, commit: Commit) -> Result<Vec<Outcome>>;

    /// Returns the memories with these ids that `access` opens, in the order of the ids.
    ///
    /// What is not there and what is not open are both left out. Fails with `Damaged` if a shelf has
    /// lost the text of one.
    async fn get(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>>;

    /// Returns what [`Store::get`] does, perhaps without texts that stand elsewhere.
    async fn get_outlines(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.get(access, ids).await
    }

    /// Returns one page of the memories that `filter` means, and how many there are in all.
    ///
    /// As of an earlier moment, each is the version of then, and has its place by that. A page with
    /// nothing on it is the last one.
    async fn list(&self, filter: &Filter, page: &Page) -> Result<Listing>;

    /// Returns what [`Store::list`] does, perhaps without texts that stand elsewhere.
    async fn list_outlines(&self, filter: &Filter, page: &Page) -> Result<Listing> {
        self.list(filter, page).await
    }

    /// Follows an inquiry step by step, all of it at one moment, and returns what is kept at the
    /// places it chose that `filter` means, in the order of the places.
    ///
    /// Of what words, a name or the meaning of the question point to, evidence has at least the
    /// `limit` best, and of what happened at its times, at least the `limit` latest. Vectors of
    /// another model than the question's are not compared. Counts and means are of the filter's
    /// scopes and of nothing else. As of an earlier moment, what is kept at a place is the version of
    /// then; evidence speaks for it by what it says now.
    async fn find(&self, filter: &Filter, limit: usize, inquiry: Box<dyn Inquiry>)
    -> Result<Found>;

    /// Returns the earlier versions of a memory that `access` opens, the oldest first.
    ///
    /// Accesses and embeddings are not part of a version; there they are as in a new memory.
    async fn history(&self, access: &Access, id: &MemoryId) -> Result<Vec<Memory>>;

    /// Returns the entities of the scopes, those that most memories name first.
    ///
    /// With a `name`, only the entity that is called or written so, up to case and accents.
    /// An entity that is named in several of the scopes is returned once.
    /// Memories that are not active, or have ended at `now`, do not count.
    async fn entities(
        &self,
        scopes: &[Scope],
        now: Timestamp,
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entity>>;

    /// Returns the scopes that `access` opens and that hold something, with counts.
    async fn scopes(&self, access: &Access, now: Timestamp) -> Result<Vec<ScopeSummary>>;

    /// Returns changes after a place in the sequence that `access` opens, the oldest first.
    async fn changes(&self, access: &Access, after: u64, limit: usize)
    -> Result<Vec<ChangeRecord>>;

    /// Returns the last place in the sequence of changes, whosever they are; 0 before the first.
    async fn last_change(&self) -> Result<u64>;

    /// Returns what is known at once of changes after a place, whosever they are, the oldest first.
    ///
    /// It waits for no other machine, and tells what others have committed as soon as the store can
    /// know it. None means that it cannot tell, or that there are too many.
    fn news(&self, after: u64) -> Option<Vec<ChangeRecord>>;

    /// Waits until this store is told that the sequence of changes went beyond a place.
    ///
    /// It is told of what it changes itself; of what other processes change, it may be late or never.
    /// So whoever waits also looks for themselves now and then.
    async fn stirred(&self, after: u64);

    /// Returns memories that `access` opens and that have ended by themselves but are still there.
    async fn ended(
        &self,
        access: &Access,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>>;

    /// Returns the memories that `access` opens and that were concluded from one of some others.
    ///
    /// What was concluded from these in turn is left out; the others may be gone already.
    async fn derived(&self, access: &Access, from: &[MemoryId]) -> Result<Vec<(MemoryId, Scope)>>;

    /// Returns which of some values were rejected in a scope, in their order.
    async fn are_rejected(&self, scope: &Scope, values: &[ValueHash]) -> Result<Vec<bool>>;

    /// Returns everything that was rejected where `access` opens it, the latest first.
    async fn rejections(&self, access: &Access) -> Result<Vec<Rejection>>;

    /// Lets a value be learnt again, and returns whether it was rejected.
    async fn permit(&self, scope: &Scope, value: &ValueHash) -> Result<bool>;

    /// Returns the ids that `access` opens and that were forgotten, with when.
    async fn tombstones(&self, access: &Access) -> Result<Vec<Tombstone>>;

    /// Returns audit entries, the oldest first; with an `actor`, only those of that one.
    async fn audit(
        &self,
        actor: Option<&Identifier>,
        which: Entries,
        limit: usize,
    ) -> Result<Vec<AuditEntry>>;

    /// Checks that no audit entry was changed, moved or left out, and returns how many there are.
    ///
    /// Fails with `Damaged`, naming the first entry that does not fit.
    async fn verify_audit(&self) -> Result<u64>;

    /// Returns jobs, the latest first; with an `actor` or a `task`, only those of that one.
    ///
    /// A job is there from the first commit that is part of it, as the last one left it.
    async fn jobs(
        &self,
        actor: Option<&Identifier>,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>>;

    /// Returns a job, whosever it is.
    async fn job(&self, id: &JobId) -> Result<Option<Job>>;

    /// Returns the changes that were committed as part of a job where `access` opens them, the
    /// oldest first.
    async fn changes_of(&self, access: &Access, job: &JobId) -> Result<Vec<ChangeRecord>>;

    /// Returns where, of what `access` opens, memories have still to come through a stage; what was
    /// learnt last comes last.
    ///
    /// Turns of conversations are to be consolidated, and facts and turns enriched, as long as they
    /// are active and have not ended; nothing waits for another stage. A memory whose text changes
    /// begins again; one that changes otherwise, with the stages that are not of its text.
    async fn waiting(&self, access: &Access, stage: Stage, now: Timestamp) -> Result<Vec<Waiting>>;

    /// Returns some of those in one place, what happened first coming first.
    async fn first_waiting(&self, portion: &Portion) -> Result<Vec<Memory>>;

    /// Returns the memories of a scope that came through a stage, in any order.
    async fn came_through(&self, scope: &Scope, stage: Stage) -> Result<Vec<MemoryId>>;

    /// Lets a holder, until a moment, do what only one may do at a time; returns whether it may.
    ///
    /// It may not while another holder's time is not over. A time that is more than
    /// [`LONGEST_LEASE`] away was set by a clock that was wrong, and does not count.
    async fn lease(
        &self,
        name: &str,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool>;

    /// Writes down what a call of a language model may cost, if `permit` agrees in the light of what
    /// was spent so far, and returns a ticket for it.
    ///
    /// Of several who ask at once, each sees those before it. What is not settled goes on counting.
    async fn reserve(&self, spending: Spending, permit: Permit) -> Result<u64>;

    /// Puts what a call did cost in the place of what it might; without an amount it is given back.
    async fn settle_spending(&self, ticket: u64, amount: Option<Amount>) -> Result<()>;

    /// Returns what language models cost, the latest call first.
    async fn spending(&self, limit: usize) -> Result<Vec<Spending>>;

    /// Makes all changes of keys with their audit entries, or none, and returns whether anything is
    /// different afterwards; if nothing is, nothing is recorded.
    ///
    /// When it returns, all of it survives a crash. Fails with `Conflict` when a new key has the id
    /// of another, or when a key is to be replaced that was replaced before. A key is never removed,
    /// so that nothing can bring back one that was revoked.
    async fn commit_keys(&self, commit: KeyCommit) -> Result<bool>;

    /// Returns a key, with what its token is known by.
    ///
    /// It is as fast as anything the store does, and sees at once what others have changed.
    async fn key(&self, id: &KeyId) -> Result<Option<(Key, KeyHash)>>;

    /// Returns all keys, the oldest first.
    async fn keys(&self) -> Result<Vec<Key>>;

    /// Returns whether a key was ever made, whatever became of it.
    async fn has_keys(&self) -> Result<bool>;

    /// Makes a model the one that memories are embedded with from now on.
    ///
    /// If another one was it, every memory is pending again; the vectors of the other stay until
    /// they are retired. Returns whether anything changed.
    async fn adopt(&self, fingerprint: &Fingerprint) -> Result<bool>;

    /// Hands out memories that have no vector of the adopted model, to be embedded by the caller.
    ///
    /// Nobody else is handed them before `until`, by which the claim is known from then on. A memory
    /// that cannot be read is not handed out either, and counts as refused.
    async fn claim(&self, now: Timestamp, until: Timestamp, limit: usize) -> Result<Vec<Claimed>>;

    /// Makes a claim last until another moment, for those memories that nobody else has claimed
    /// meanwhile; by that moment it is known from then on.
    async fn extend(&self, ids: &[MemoryId], claim: Timestamp, until: Timestamp) -> Result<()>;

    /// Gives back memories that were handed out, except those that somebody else has claimed
    /// meanwhile.
    async fn release(&self, ids: &[MemoryId], claim: Timestamp) -> Result<()>;

    /// Puts aside a memory that was handed out and cannot be embedded, unless somebody else has
    /// claimed it meanwhile: nobody is handed it before `until`.
    ///
    /// It starts anew with another text or another model.
    async fn refuse(
        &self,
        id: &MemoryId,
        claim: Timestamp,
        until: Timestamp,
        why: &str,
    ) -> Result<()>;

    /// Returns how many dimensions the vectors have that are kept of a model, if there are any.
    async fn dimensions(&self, fingerprint: &Fingerprint) -> Result<Option<usize>>;

    /// Returns the vectors that passages with these hashes have already, in the same order.
    ///
    /// Those that stand on shelves are not known by their hashes.
    async fn known_vectors(
        &self,
        fingerprint: &Fingerprint,
        hashes: &[PassageHash],
    ) -> Result<Vec<Option<Vec<f32>>>>;

    /// Removes some vectors of models other than the adopted one, and returns how many are left.
    async fn retire(&self, limit: usize) -> Result<u64>;

    /// Returns how far the embedding of everything is.
    async fn embedding_state(&self) -> Result<EmbeddingState>;

    /// Records soon that memories were read; does not wait, and may be lost in a crash.
    fn observe(&self, reading: Reading);

    /// Waits until everything observed or to be committed soon is there, or will never be.
    async fn settle(&self) -> Result<()>;

    /// Returns some of the texts that no memory has any more and that a shelf may still have.
    async fn unshelved(&self, shelf: &Identifier, limit: usize) -> Result<Vec<Unshelved>>;

    /// Strikes off texts that are gone from their shelves.
    async fn strike_off(&self, gone: &[Unshelved]) -> Result<()>;

    /// Knows scopes from now on, even after a crash, as something is about to stand elsewhere for them.
    async fn know(&self, scopes: &[Scope]) -> Result<()>;

    /// Returns the scopes that `access` opens and that this store knows, in any order: those that
    /// ever held something, and those of which it was [told](Store::know).
    async fn known_scopes(&self, access: &Access) -> Result<Vec<Scope>>;

    /// Removes what stands elsewhere for scopes that `access` opens and is named by nothing, and
    /// returns how much that was; what may be about to be named is left.
    ///
    /// It goes on where something fails, and returns the first error in the end.
    async fn clear_away(&self, access: &Access, now: Timestamp) -> Result<usize>;

    /// Returns everything that memories are kept in, the store itself first, each to be asked how it
    /// is; the clock says how long that takes.
    ///
    /// Each is asked apart from the others, so that one that does not answer can be given up.
    fn health<'a>(&'a self, clock: &'a dyn Clock) -> Vec<PendingCheckup<'a>>;

    /// Returns how much was asked of this store, by this process, and is not begun yet.
    fn backlog(&self) -> Backlog;
}

/// What is asked of a store in one go: each step follows from what the store said to the one before.
///
/// The steps run where the store reads, so they take no time worth mentioning and wait for nothing.
pub trait Inquiry: Send {
    /// Returns the words of which it must be known how they are used, as [`crate::text::fold`] makes
    /// them, unless nothing has to be known of the scopes.
    fn words(&self) -> Option<&[String]>;

    /// Returns by what to look, in the light of what is usual in the filter's scopes.
    fn cues(&mut self, survey: &Survey) -> Cued;

    /// Picks places by all the evidence that speaks for memories.
    fn choose(&mut self, evidence: &Evidence) -> Vec<Place>;
}

/// What an inquiry led to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// What is kept at the places it chose, in their order.
    pub memories: Vec<(Place, Memory)>,
    /// The shelves that did not answer: what stands there was not compared by its meaning, or is
    /// left out.
    pub unavailable: Vec<Identifier>,
}

impl From<Vec<(Place, Memory)>> for Found {
    fn from(memories: Vec<(Place, Memory)>) -> Self {
        Self { memories, unavailable: Vec::new() }
    }
}

/// By what an inquiry looks.
#[derive(Debug, Clone, PartialEq)]
pub enum Cued {
    /// By these cues.
    By(Cues),
    /// By nothing yet: it ends here, and another one follows when more is known.
    Later(Foreseen),
}

/// What the next inquiry will look by; a store may make ready what that takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Foreseen {
    /// The words, as those of [`Cues`].
    pub words: Vec<Vec<String>>,
    /// The model whose vectors it will compare.
    pub model: Option<Fingerprint>,
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Returns this moment.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// Says whether a call may be made, by what was spent so far.
pub type Permit = Box<dyn FnOnce(&Spent) -> Result<()> + Send>;

/// The longest that somebody is let do what only one may do at a time.
pub const LONGEST_LEASE: SignedDuration = SignedDuration::from_hours(24);

/// That a value must not be learnt again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Where.
    pub scope: Scope,
    /// What all spellings of it have in common.
    pub value: ValueHash,
    /// Since when.
    pub at: Timestamp,
}

/// Which audit entries are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// Those after a place.
    After(u64),
    /// The latest.
    Latest,
}

/// What a store can do by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Finds by words; an engine refuses a store that does not.
    pub lexical: bool,
    /// Finds by entities; an engine refuses a store that does not.
    pub entities: bool,
    /// Finds by meaning; without it an engine finds by words and names, as without an embedder.
    pub vectors: bool,
    /// Gives back the vectors of a text that it has already; if not, they are made again.
    pub recall: bool,
    /// Keeps earlier versions; an engine refuses a store that does not.
    pub history: bool,
}

impl Capabilities {
    /// Fails with `Unsupported`, naming it, if something is lacking that nobody can make up for.
    pub fn require(self) -> Result<()> {
        let needed = [
            (self.lexical, "find by words"),
            (self.entities, "find by names"),
            (self.history, "keep earlier versions"),
        ];
        let lacking = needed.iter().filter(|(can, _)| !can).map(|(_, what)| *what);
        let lacking: Vec<&str> = lacking.collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let message = format!(
            "cannot use this store as a home for memories: it does not {}",
            lacking.join(", nor ")
        );
        Err(Error::new(ErrorKind::Unsupported, message))
    }
}

/// What waits in front of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// How many writes.
    pub writes: usize,
    /// How many reads.
    pub reads: usize,
}

/// A memory that was handed out to be embedded.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// The memory.
    pub memory: Memory,
    /// How often it could not be embedded.
    pub refusals: u32,
}

/// How far the embedding of everything in a store is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmbeddingState {
    /// The model that memories are embedded with.
    pub model: Option<Fingerprint>,
    /// How many memories have a vector of it.
    pub embedded: u64,
    /// How many have none yet.
    pub pending: u64,
    /// Why some of those could not be embedded so far, with how many.
    pub refused: Vec<(String, u64)>,
    /// Other models that vectors are still kept of, with how many.
    pub retiring: Vec<(Fingerprint, u64)>,
}

impl EmbeddingState {
    /// Returns how many memories wait that could be embedded, as far as is known.
    pub fn waiting(&self) -> u64 {
        self.pending.saturating_sub(self.refused.iter().map(|(_, count)| count).sum())
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// How many at most.
    pub limit: usize,
    /// In which order.
    pub order: Order,
    /// The last one already seen.
    pub after: Option<Position>,
    /// Whether to say how many there are in all, for which all of them have to be looked at.
    pub counted: bool,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Learnt last, first.
    Newest,
    /// Happened last, first.
    LatestEvent,
    /// Happened first, first.
    EarliestEvent,
    /// Most certain first.
    Confidence,
}

/// A place in a list that stays the same when others write.
///
/// The key is what the list is ordered by: microseconds since the epoch, or confidence in millionths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// What the list is ordered by.
    pub key: i64,
    /// Tells apart those with the same key; in the same direction as the key.
    pub id: MemoryId,
}

impl Order {
    /// Returns the place of a memory in a list of this order.
    pub fn position(self, memory: &Memory) -> Position {
        Position { key: self.key(memory), id: memory.id.clone() }
    }

    /// Returns what a memory is ordered by.
    fn key(self, memory: &Memory) -> i64 {
        match self {
            Self::Newest => memory.created_at.as_microsecond(),
            Self::LatestEvent | Self::EarliestEvent => memory.event_at.as_microsecond(),
            Self::Confidence => confidence_key(memory),
        }
    }

    /// Returns whether larger keys come first.
    pub fn descending(self) -> bool {
        !matches!(self, Self::EarliestEvent)
    }
}

/// Returns confidence in millionths; a memory that says nothing counts as certain.
#[expect(clippy::cast_possible_truncation, reason = "a fraction times a million fits")]
fn confidence_key(memory: &Memory) -> i64 {
    let confidence = memory.metadata.confidence.map_or(1.0, crate::model::Fraction::get);
    (confidence * 1e6).round() as i64
}

/// One page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// The memories of this page.
    pub memories: Vec<Memory>,
    /// How many the filter means in all; 0 unless the page was to be counted.
    pub total: u64,
    /// Whether there is a next page.
    pub more: bool,
    /// Those that would be among the memories if a shelf had not lost their texts.
    pub lost: Vec<MemoryId>,
}

impl Listing {
    /// Refuses a page from which something is missing.
    pub fn whole(self) -> Result<Self> {
        let Some(first) = self.lost.first() else { return Ok(self) };
        let others = match self.lost.len() - 1 {
            0 => String::new(),
            others => format!(" and of {others} more"),
        };
        let message = format!("a shelf has lost the text of {first}{others}");
        Err(Error::new(ErrorKind::Damaged, message))
    }
}

/// What a scope holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ScopeSummary {
    /// Which scope.
    pub scope: Scope,
    /// How many memories of each kind and state, without those that have expired.
    pub counts: Vec<(Kind, State, u64)>,
    /// How many have no vector yet.
    pub pending_embeddings: u64,
    /// How many bytes of text.
    pub content_bytes: u64,
    /// How many entities.
    pub entities: u64,
    /// When the last one was learnt.
    pub latest_at: Option<Timestamp>,
}

impl ScopeSummary {
    /// Returns the layer of the scope.
    pub fn layer(&self) -> Layer {
        self.scope.layer()
    }
}

/// That a memory was forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct Tombstone {
    /// Which memory.
    pub id: MemoryId,
    /// Whose it was.
    pub scope: Scope,
    /// When it was forgotten.
    pub at: Timestamp,
}
