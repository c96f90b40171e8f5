//! What nobody uses fades by what it states, and what is put before somebody counts as used.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cofio::engine::{Assignment, ContextRequest};
use cofio::model::{
    Correction, Criteria, Draft, Job, Kind, Layer, Memory, MemoryId, Source, State, Task, Timestamp,
};
use cofio::store::{MemoryStore, SqliteStore, Store};
use cofio::{Config, Engine, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{START, episode, fact, identifiers, keeper, local, named};

/// What Alice says, with the type of what it states.
const SAID: [(&str, &str); 8] = [
    ("I live in Cardiff", "identity"),
    ("My sister is called Ana", "relation"),
    ("I love opera", "preference"),
    ("I have two cats", "possession"),
    ("I run every morning", "habit"),
    ("We decided to use Postgres", "decision"),
    ("I am going to learn Welsh", "plan"),
    ("I broke my arm yesterday", "event"),
];

/// An engine on some store, with a clock that tests move.
struct Life {
    engine: Engine,
    microseconds: Arc<AtomicI64>,
}

impl Life {
    fn on(store: Arc<dyn Store>) -> Self {
        let start: Timestamp = START.parse().unwrap();
        let microseconds = Arc::new(AtomicI64::new(start.as_microsecond()));
        let clock = {
            let microseconds = microseconds.clone();
            move || {
                Timestamp::from_microsecond(microseconds.fetch_add(1, Ordering::Relaxed)).unwrap()
            }
        };
        Self { engine: Engine::shared(store, clock, Config::default()), microseconds }
    }

    fn new() -> Self {
        Self::on(Arc::new(MemoryStore::new()))
    }

    fn wait(&self, days: i64) {
        let microseconds = SignedDuration::from_hours(24 * days).as_micros();
        self.microseconds.fetch_add(i64::try_from(microseconds).unwrap(), Ordering::Relaxed);
    }

    fn keep(&self, draft: Draft) -> Memory {
        block_on(self.engine.remember(&keeper(), draft)).unwrap().memory
    }

    fn run(&self, task: Task) -> Job {
        let assignment = Assignment { agreed: true, ..Assignment::of(task) };
        block_on(self.engine.settle()).unwrap();
        block_on(self.engine.maintain(&keeper(), &assignment, &|_, _| {})).unwrap()
    }

    /// Lets Alice tell everything, and learns it.
    fn learn(&self) {
        for (text, _) in SAID {
            let mut said = episode("alice", text);
            said.source.session = Some(named("s1"));
            self.keep(said);
        }
        self.run(Task::Consolidate);
    }

    /// Returns the types of what the facts in some state say, each once.
    fn types(&self, state: State) -> Vec<String> {
        let (kinds, states) = (vec![Kind::Fact], vec![state]);
        let criteria = Criteria { kinds, states, ..Criteria::default() };
        let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
        let facts = block_on(self.engine.list_all(&local("alice"), &selection)).unwrap();
        let mut types: Vec<String> =
            facts.into_iter().map(|fact| fact.triple.unwrap().fact_type).collect();
        types.sort();
        types
    }

    fn state(&self, id: &MemoryId) -> State {
        // Nobody reads it by that.
        let found = block_on(self.engine.history(&local("alice"), id)).unwrap();
        found.current.state
    }

    /// Returns the memories in a block for a prompt of Alice's.
    fn context(&self, prompt: &str) -> Vec<MemoryId> {
        let selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
        let request = ContextRequest::new(selection, prompt);
        block_on(self.engine.context(&local("alice"), &request)).unwrap().memories
    }
}

/// Checks the fate of everything that Alice said, by its type, if nobody reads it.
fn check_fate(store: Arc<dyn Store>) {
    let life = Life::on(store);
    life.learn();
    let mut all = SAID.map(|(_, fact_type)| fact_type);
    all.sort_unstable();
    assert_eq!(life.types(State::Active), all);
    let check = |days: i64, active: &[&str], decayed: &[&str], archived: &[&str]| {
        life.wait(days);
        life.run(Task::Decay);
        assert_eq!(life.types(State::Active), active);
        assert_eq!(life.types(State::Decayed), decayed);
        assert_eq!(life.types(State::Archived), archived);
    };
    let lasting = ["decision", "habit", "identity", "possession", "preference", "relation"];
    check(20, &all, &[], &[]);
    check(10, &lasting, &["event", "plan"], &[]);
    check(60, &lasting, &[], &["event", "plan"]);
    let settled = ["decision", "habit", "possession", "preference"];
    check(365 - 90, &["identity", "relation"], &settled, &["event", "plan"]);
}

#[test]
fn after_a_month_a_season_and_a_year_what_lasts_is_still_known() {
    check_fate(Arc::new(MemoryStore::new()));
    let folder = tempfile::tempdir().unwrap();
    check_fate(Arc::new(SqliteStore::open(&folder.path().join("cofio.db")).unwrap()));
}

#[test]
fn what_is_put_before_a_prompt_counts_as_read_and_nothing_else_does() {
    let life = Life::new();
    let shown = life.keep(fact("alice", "Alice plays the organ"));
    let other = life.keep(fact("alice", "Bread is baked at night"));
    let mut profile = fact("alice", "Alice was born in Wales");
    profile.metadata.custom.insert("category".to_owned(), "user_profile".into());
    let profile = life.keep(profile);
    life.wait(20);
    let block = life.context("who plays the organ?");
    assert!(block.contains(&shown.id) && block.contains(&profile.id), "{block:?}");
    assert!(!block.contains(&other.id), "{block:?}");
    life.wait(20);
    life.run(Task::Decay);
    assert_eq!(life.state(&shown.id), State::Active);
    assert_eq!(life.state(&profile.id), State::Active);
    assert_eq!(life.state(&other.id), State::Decayed);
}

#[test]
fn what_somebody_brought_back_does_not_fade_the_next_night() {
    let life = Life::new();
    let tea = life.keep(fact("alice", "Alice drinks tea"));
    life.wait(31);
    life.run(Task::Decay);
    assert_eq!(life.state(&tea.id), State::Decayed);
    block_on(life.engine.bring_back(&local("alice"), &tea.id)).unwrap();
    life.run(Task::Decay);
    assert_eq!(life.state(&tea.id), State::Active);
    life.wait(31);
    life.run(Task::Decay);
    assert_eq!(life.state(&tea.id), State::Decayed, "it fades as anything does");
}

#[test]
fn what_takes_the_place_of_a_fact_lasts_as_long() {
    let life = Life::new();
    life.learn();
    let selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let all = block_on(life.engine.list_all(&local("alice"), &selection)).unwrap();
    let home = all.iter().find(|memory| memory.content.as_str().contains("lives in")).unwrap();
    let source = Source::through(cofio::model::Channel::ExplicitSave);
    let correction = Correction::new("The user lives in Swansea", source);
    let corrected =
        block_on(life.engine.correct(&local("alice"), &home.id, correction)).unwrap().memory;
    life.wait(365);
    life.run(Task::Decay);
    assert_eq!(life.state(&corrected.id), State::Active);
}
