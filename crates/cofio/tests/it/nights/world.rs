//! Two users, their conversations, and an engine that works of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::config::{Merge, Sessions};
use cofio::engine::{Assignment, Undoing};
use cofio::model::{
    Accesses, Caller, Confirmation, Correction, Draft, Embedding, Fraction, Job, Kind, Layer,
    Memory, MemoryId, Patch, Scope, Source, Task, Timestamp,
};
use cofio::store::Store;
use cofio::{Config, Engine, ErrorKind, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use tempfile::TempDir;

use super::checks;
use super::deeds::{After, Alteration, Deed, REVERSIBLE, Said, Work};
use crate::fixture::{START, fact, identifiers, keeper, local, named, scope};

/// Everything that is kept, whosever it is.
pub type Snapshot = BTreeMap<MemoryId, Memory>;

const SESSIONS: [&str; 2] = ["s1", "s2"];

/// What is known in the beginning, so that every task has something to do.
const KNOWN: [&str; 4] = [
    "The user plays the organ",
    "The user is left-handed",
    "The user drinks black tea",
    "The user drinks black tea mostly",
];

const QUESTIONS: [&str; 3] = ["where do I live", "opera and cats", "my sister and my job"];

/// A store, and an engine whose clock moves with what happens.
pub struct World {
    engine: Engine,
    store: Arc<dyn Store>,
    microseconds: Arc<AtomicI64>,
    _folder: Option<TempDir>,
}

/// A job, with what was there and what was found before it.
struct Done {
    job: Job,
    before: Snapshot,
    answers: Vec<MemoryId>,
}

impl World {
    pub fn new(store: Arc<dyn Store>, folder: Option<TempDir>) -> Self {
        let start: Timestamp = START.parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        let clock = {
            let microseconds = microseconds.clone();
            move || {
                Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap()
            }
        };
        let retention = Some(SignedDuration::from_hours(24 * 20));
        let config = Config {
            sessions: Sessions { retention, ..Sessions::default() },
            merge: Merge { similarity: 0.7, ..Merge::default() },
            ..Config::default()
        };
        let engine = Engine::shared(store.clone(), clock, config);
        let known = KNOWN.map(|text| fact("alice", text)).to_vec();
        block_on(engine.remember_all(&keeper(), known)).unwrap();
        Self { engine, store, microseconds, _folder: folder }
    }

    /// Lets something happen, and returns the tasks that changed anything and were taken back.
    pub fn perform(&self, deed: &Deed) -> Vec<Task> {
        match deed {
            Deed::Tell { place, session, said } => self.tell(*place, *session, said),
            Deed::Write { place, said, importance } => {
                let mut draft = draft(&self.engine, *place, Kind::Fact, said);
                let importance = importance.map(|tenths| f64::from(tenths) / 10.0);
                draft.metadata.importance = importance.and_then(|value| Fraction::new(value).ok());
                tolerate(block_on(self.engine.remember(&keeper(), draft)));
            }
            Deed::Alter { which, how } => self.alter(*which, how),
            Deed::Wait { hours } => self.wait(SignedDuration::from_hours(*hours)),
            Deed::Work(work) => return self.work(work),
        }
        Vec::new()
    }

    /// Does everything once and takes it back, and checks what must hold in the end.
    pub fn finish(&self) -> Vec<Task> {
        let tasks = REVERSIBLE.map(|task| (task, 0)).to_vec();
        let night = Work { tasks, place: None, agreed: true, after: After::TakenBack };
        let changed = self.work(&night);
        block_on(self.engine.verify_audit(&keeper())).unwrap();
        changed
    }

    fn wait(&self, duration: SignedDuration) {
        let microseconds = i64::try_from(duration.as_micros()).unwrap();
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    fn tell(&self, place: usize, session: usize, said: &Said) {
        let mut draft = draft(&self.engine, place, Kind::Episode, said);
        if draft.scope.layer() == Layer::User {
            draft.source.session = Some(named(SESSIONS[session % SESSIONS.len()]));
        }
        tolerate(block_on(self.engine.remember(&keeper(), draft)));
    }

    fn alter(&self, which: usize, how: &Alteration) {
        let everything = self.everything();
        if everything.is_empty() {
            return;
        }
        let memory = everything.values().nth(which % everything.len()).unwrap();
        let (engine, caller, id) = (&self.engine, &keeper(), &memory.id);
        let source = || Source::through(cofio::model::Channel::ExplicitSave);
        match how {
            Alteration::Edit(text) => {
                let content = Some((*text).to_owned());
                let patch = Patch { content, source: Some(source()), ..Patch::default() };
                tolerate(block_on(engine.update(caller, id, patch)));
            }
            Alteration::Correct(text) => {
                tolerate(block_on(engine.correct(caller, id, Correction::new(*text, source()))));
            }
            Alteration::Confirm => {
                tolerate(block_on(engine.confirm(caller, id, &Confirmation::new(source()))));
            }
            Alteration::Approve => {
                tolerate(block_on(engine.approve(caller, id, memory.content.as_str())));
            }
            Alteration::Reject => tolerate(block_on(engine.reject(caller, id))),
            Alteration::Archive => tolerate(block_on(engine.archive(caller, id))),
            Alteration::BringBack => tolerate(block_on(engine.bring_back(caller, id))),
            Alteration::Forget => {
                tolerate(block_on(engine.forget(caller, std::slice::from_ref(id))));
            }
        }
    }

    /// Does one task after the other, and takes all of it back if that is wanted.
    fn work(&self, work: &Work) -> Vec<Task> {
        let mut done = Vec::new();
        for (task, days) in &work.tasks {
            self.wait(SignedDuration::from_hours(24 * days));
            let (before, answers) = (self.everything(), self.answers());
            let job = self.job(*task, work);
            let after = self.everything();
            let within = work.place.map(place);
            checks::job(*task, within.as_ref(), &before, &after, self.engine.now());
            checks::edges(&after, &self.gone());
            done.push(Done { job, before, answers });
        }
        match work.after {
            After::Kept => {
                let last = work.tasks.last().unwrap().0;
                let before = self.everything();
                self.job(last, work);
                assert_eq!(self.everything(), before, "{last} again");
                Vec::new()
            }
            After::TakenBack => {
                let changed = self.take_back(done, false);
                if let [(task, _)] = work.tasks[..] {
                    let before = self.everything();
                    self.job(task, work);
                    assert_eq!(self.everything(), before, "{task} did again what was taken back");
                }
                changed
            }
            After::TakenBackToBeDoneAgain => self.take_back(done, true),
        }
    }

    fn job(&self, task: Task, work: &Work) -> Job {
        let within = work.place.map(|index| vec![place(index)]);
        let assignment = Assignment { within, agreed: work.agreed, ..Assignment::of(task) };
        let job = block_on(self.engine.maintain(&keeper(), &assignment, &|_, _| {})).unwrap();
        assert_eq!(job.counts.failed, 0, "{job:?}");
        job
    }

    fn take_back(&self, done: Vec<Done>, again: bool) -> Vec<Task> {
        let changed = done.iter().filter(|one| one.job.counts.created + one.job.counts.updated > 0);
        let changed = changed.map(|one| one.job.task).collect();
        for Done { job, mut before, answers } in done.into_iter().rev() {
            let undoing = Undoing { again, ..Undoing::default() };
            let undone = block_on(self.engine.undo(&keeper(), &job.id, undoing));
            match undone {
                // Of runs in a row that did nothing the last is kept.
                Err(error) if error.kind() == ErrorKind::NotFound && job.did_nothing() => continue,
                undone => drop(undone.unwrap_or_else(|error| panic!("{error}: {job:?}"))),
            }
            let (after, now) = (self.everything(), self.engine.now());
            before.retain(|id, memory| after.contains_key(id) || !memory.expired(now));
            assert_eq!(bare(after), bare(before), "{} taken back", job.task);
            checks::edges(&self.everything(), &self.gone());
            // Later, some of it may have ended by itself.
            if self.engine.now() - SignedDuration::from_hours(1) < job.started_at {
                assert_eq!(self.answers(), answers, "answers after {} was taken back", job.task);
            }
        }
        changed
    }

    /// Returns what people find, in order.
    fn answers(&self) -> Vec<MemoryId> {
        let mut found = Vec::new();
        for user in ["alice", "bob"] {
            let names = identifiers(&[(Layer::User, user), (Layer::Session, SESSIONS[0])]);
            for question in QUESTIONS {
                let query = Query::new(Selection::new(names.clone()), question);
                let answer = block_on(self.engine.search(&local(user), &query)).unwrap();
                found.extend(answer.hits.into_iter().map(|hit| hit.memory.id));
            }
        }
        block_on(self.engine.settle()).unwrap();
        found
    }

    fn everything(&self) -> Snapshot {
        block_on(self.engine.settle()).unwrap();
        let caller: Caller = keeper();
        let changes = block_on(self.store.changes(caller.access(), 0, 1_000_000)).unwrap();
        let ids: BTreeSet<MemoryId> = changes.into_iter().map(|change| change.id).collect();
        let ids: Vec<MemoryId> = ids.into_iter().collect();
        let memories = block_on(self.store.get(caller.access(), &ids)).unwrap();
        let unread = |memory: Memory| Memory {
            accesses: Accesses::default(),
            embedding: Embedding::default(),
            ..memory
        };
        memories.into_iter().map(|memory| (memory.id.clone(), unread(memory))).collect()
    }

    fn gone(&self) -> BTreeSet<MemoryId> {
        let tombstones = block_on(self.store.tombstones(keeper().access())).unwrap();
        tombstones.into_iter().map(|one| one.id).collect()
    }
}

/// Returns a place where something may be known.
fn place(index: usize) -> Scope {
    let of = |user: &str, session: &str| {
        scope(Layer::Session, &[(Layer::User, user), (Layer::Session, session)])
    };
    match index % 8 {
        0..4 => Scope::user(named("alice")),
        4 => of("alice", SESSIONS[0]),
        5 => of("alice", SESSIONS[1]),
        6 => Scope::user(named("bob")),
        _ => of("bob", SESSIONS[0]),
    }
}

fn draft(engine: &Engine, index: usize, kind: Kind, said: &Said) -> Draft {
    let event_at = engine.now() - SignedDuration::from_hours(said.hours_ago);
    let draft = Draft::new(place(index), kind, said.text, Source::through(said.channel));
    Draft { event_at: Some(event_at), ..draft }
}

/// Leaves out versions and when they were made.
fn bare(snapshot: Snapshot) -> Vec<Memory> {
    let bare = |memory: Memory| Memory { version: 0, updated_at: memory.created_at, ..memory };
    snapshot.into_values().map(bare).collect()
}

/// Lets somebody be refused what the rules do not allow.
#[track_caller]
fn tolerate<T>(result: Result<T>) {
    let Err(error) = result else { return };
    let refused = [
        ErrorKind::Conflict,
        ErrorKind::Refused,
        ErrorKind::Invalid,
        ErrorKind::NotFound,
        ErrorKind::ConfirmationRequired,
    ];
    assert!(refused.contains(&error.kind()), "{error}");
}
