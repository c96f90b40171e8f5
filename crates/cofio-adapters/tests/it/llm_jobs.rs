//! Jobs that ask a language model, through the whole: an engine, a store in a file, and a server.

mod hostile;
mod learning;
mod limits;
mod looking_back;
mod naming;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::{Assignment, Piece, StoreLedger};
use cofio::lifecycle::spend::{Budget, Cap, Caps, Money, Prices};
use cofio::llm::Counsel;
use cofio::model::{
    Amount, Caller, Channel, Draft, Identifier, Job, Kind, Memory, MemoryId, Scope, Source,
    Spending, Stage, State, Task, Timestamp, Trust,
};
use cofio::store::{Entries, SqliteStore, Store as _};
use cofio::{Config, Engine};
use cofio_adapters::llm::{Options, Remote};
use jiff::SignedDuration;
use pollster::block_on;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::llm::KEY;
use crate::script::{Line, Said, Script};

/// More tokens than any test takes.
const PLENTY: u64 = 1_000_000;

/// What a call of the scripted server costs: 50 tokens at 2 and 5 at 8 for a million.
const COST: Amount = Amount { input: 50, output: 5, money: 140 };

/// A store in a file that any number of engines may use, with a clock that tests move.
struct House {
    store: Arc<SqliteStore>,
    microseconds: Arc<AtomicI64>,
    folder: TempDir,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("cofio.db")).unwrap());
        let start: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        Self { store, microseconds, folder }
    }

    /// Opens the file anew, as another process does.
    fn reopened(&self) -> Arc<SqliteStore> {
        Arc::new(SqliteStore::open(&self.folder.path().join("cofio.db")).unwrap())
    }

    fn wait(&self, hours: i64) {
        let duration = SignedDuration::from_hours(hours);
        let microseconds = i64::try_from(duration.as_micros()).unwrap();
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    fn engine_on(&self, store: Arc<SqliteStore>) -> Engine {
        let microseconds = self.microseconds.clone();
        // Every look at the clock finds a later moment, as in life.
        let clock = move || {
            Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap()
        };
        Engine::shared(store, clock, Config::default())
    }

    /// Returns an engine that asks nobody.
    fn engine(&self) -> Engine {
        self.engine_on(self.store.clone())
    }

    /// Returns an engine of another process whose jobs ask a server.
    fn asking(&self, options: Options) -> Engine {
        self.asking_within(options, PLENTY)
    }

    /// Returns the same, for so many tokens in a day.
    fn asking_within(&self, options: Options, tokens: u64) -> Engine {
        let store = self.reopened();
        let remote = Arc::new(Remote::new(options).unwrap());
        let day = Cap { tokens: Some(tokens), money: None };
        let prices = Some(Prices { input: Money(2_000_000), output: Money(8_000_000) });
        let budget = Budget { caps: Caps { day, ..Caps::default() }, prices };
        let counsel = Counsel::new(remote, Arc::new(StoreLedger(store.clone())), budget).unwrap();
        self.engine_on(store).with_counsel(counsel)
    }

    fn keep(&self, draft: Draft) -> Memory {
        block_on(self.engine().remember(&keeper(), draft)).unwrap().memory
    }

    /// Keeps a fact that Alice asked to be kept.
    fn fact(&self, text: &str) -> Memory {
        let source = Source::through(Channel::ExplicitSave);
        self.keep(Draft::new(user("alice"), Kind::Fact, text, source))
    }

    /// Keeps a turn of a conversation.
    fn turn(&self, conversation: &str, source: Source, text: &str) -> Memory {
        self.wait(1);
        let mut source = source;
        source.session = Some(named(conversation));
        source.message = Some(self.engine().now().to_string());
        source.role.get_or_insert_with(|| "user".to_owned());
        self.keep(Draft::new(user("alice"), Kind::Episode, text, source))
    }

    /// Keeps what Alice says.
    fn said(&self, text: &str) -> Memory {
        self.turn("s1", Source::through(Channel::OwnerMessage), text)
    }

    /// Keeps what an assistant says to Alice, as trusted as everything that she hands in.
    fn answered(&self, text: &str) -> Memory {
        let mut source = Source::through(Channel::OwnerMessage);
        source.role = Some("assistant".to_owned());
        self.turn("s1", source, text)
    }

    /// Returns everything that is kept of everybody.
    fn everything(&self) -> Vec<Memory> {
        let caller = keeper();
        let changes = block_on(self.store.changes(caller.access(), 0, 100_000)).unwrap();
        let ids: BTreeSet<MemoryId> = changes.into_iter().map(|change| change.id).collect();
        let ids: Vec<MemoryId> = ids.into_iter().collect();
        block_on(self.store.get(caller.access(), &ids)).unwrap()
    }

    /// Returns the same, but for versions and when they were made.
    fn contents(&self) -> Vec<Memory> {
        let bare = |memory: Memory| Memory { version: 0, updated_at: memory.created_at, ..memory };
        self.everything().into_iter().map(bare).collect()
    }

    /// Returns what is kept of a kind, as it was kept.
    fn of_kind(&self, kind: Kind) -> Vec<Memory> {
        let mut memories = self.everything();
        memories.retain(|memory| memory.kind == kind);
        memories.sort_by(|one, other| one.id.cmp(&other.id));
        memories
    }

    /// Returns what is known, in which state, and how far it is trusted.
    fn known(&self) -> Vec<(String, State, Trust)> {
        let known =
            |fact: Memory| (fact.content.as_str().to_owned(), fact.state, fact.source.trust());
        self.of_kind(Kind::Fact).into_iter().map(known).collect()
    }

    /// Returns how many memories have still to come through a stage.
    fn waiting(&self, stage: Stage) -> u64 {
        let now = self.engine().now();
        let waiting = block_on(self.store.waiting(keeper().access(), stage, now)).unwrap();
        waiting.iter().map(|place| place.count).sum()
    }

    /// Returns the account, the first call first.
    fn spending(&self) -> Vec<Spending> {
        let mut spending = block_on(self.engine().spending(&keeper(), 100)).unwrap();
        spending.reverse();
        spending
    }

    /// Checks that a job is on record as it says, that the record is whole, and that neither holds
    /// the key or anything that was said.
    #[track_caller]
    fn check_on_record(&self, job: &Job) {
        let engine = self.engine();
        assert_eq!(&block_on(engine.job(&keeper(), &job.id)).unwrap().0, job);
        block_on(engine.verify_audit(&keeper())).unwrap();
        let entries = block_on(engine.audit(&keeper(), Entries::After(0), 10_000)).unwrap();
        let shown = format!("{job:?} {entries:?} {:?}", self.spending());
        for secret in [KEY, "tea", "Lisbon", "Porto", "nurse", "Acme", "AKIA"] {
            assert!(!shown.contains(secret), "{secret} in {job:?}");
        }
    }
}

fn named(name: &str) -> Identifier {
    Identifier::new(name).unwrap()
}

fn user(name: &str) -> Scope {
    Scope::user(named(name))
}

fn keeper() -> Caller {
    Caller::keeper(named("keeper"))
}

fn run(engine: &Engine, task: Task) -> Job {
    block_on(engine.maintain(&keeper(), &Assignment::of(task), &|_, _| {})).unwrap()
}

fn rehearse(engine: &Engine, task: Task) -> Vec<Piece> {
    block_on(engine.would_maintain(&keeper(), &Assignment::of(task), &|_, _| {})).unwrap()
}

fn amounts(spending: &[Spending]) -> Vec<Amount> {
    spending.iter().map(|spending| spending.amount).collect()
}

fn play(words: &'static str, said: Vec<Said>) -> Script {
    Script::play(vec![Line { words, said }])
}

fn facts(facts: &[Value]) -> Said {
    Said::Value(json!({"facts": facts}))
}

/// Makes a fact as a model gives it.
fn claim(content: &str, evidence: &[u64], quote: &str) -> Value {
    json!({
        "content": content,
        "subject": "user",
        "attribute": "home",
        "value": null,
        "single": true,
        "type": "identity",
        "standing": "holds",
        "corrects": false,
        "evidence": evidence,
        "quote": quote,
    })
}

fn with(mut claim: Value, fields: &[(&str, Value)]) -> Value {
    for (name, value) in fields {
        claim[*name] = value.clone();
    }
    claim
}

fn lisbon() -> Value {
    with(claim("The user lives in Lisbon", &[1], "I live in Lisbon"), &[("value", json!("Lisbon"))])
}

/// What is known of somebody who lives in Lisbon and said so.
fn lives_in_lisbon() -> (String, State, Trust) {
    ("The user lives in Lisbon".to_owned(), State::Active, Trust::High)
}

/// What waits for somebody's word, as no more than a model's.
fn waits(content: &str) -> (String, State, Trust) {
    (content.to_owned(), State::Pending, Trust::Low)
}
