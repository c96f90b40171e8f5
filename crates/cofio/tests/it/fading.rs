//! What nobody uses fades by what it states, and what is put before somebody counts as used.

use cofio::engine::ContextRequest;
use cofio::model::{
    Channel, Correction, Criteria, Kind, Layer, MemoryId, Scope, Source, State, Task,
};
use cofio::{Config, Selection};
use pollster::block_on;

use crate::fixture::{fact, identifiers, local, named};
use crate::life::Life;

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

/// Lets Alice tell everything, and learns it.
fn learn(life: &Life) {
    for (text, _) in SAID {
        life.say(Scope::user(named("alice")), text);
    }
    life.run(Task::Consolidate);
}

/// Returns the types of what the facts in some state say, each once.
fn types(life: &Life, state: State) -> Vec<String> {
    let (kinds, states) = (vec![Kind::Fact], vec![state]);
    let criteria = Criteria { kinds, states, ..Criteria::default() };
    let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
    let facts = block_on(life.engine.list_all(&local("alice"), &selection)).unwrap();
    let mut types: Vec<String> =
        facts.into_iter().map(|fact| fact.triple.unwrap().fact_type).collect();
    types.sort();
    types
}

/// Returns the memories in a block for a prompt of Alice's.
fn context(life: &Life, prompt: &str) -> Vec<MemoryId> {
    let selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let request = ContextRequest::new(selection, prompt);
    block_on(life.engine.context(&local("alice"), &request)).unwrap().memories
}

/// Checks the fate of everything that Alice said, by its type, if nobody reads it.
fn check_fate(life: &Life) {
    learn(life);
    let mut all = SAID.map(|(_, fact_type)| fact_type);
    all.sort_unstable();
    assert_eq!(types(life, State::Active), all);
    let check = |days: i64, active: &[&str], decayed: &[&str], archived: &[&str]| {
        life.wait(days);
        life.run(Task::Decay);
        assert_eq!(types(life, State::Active), active);
        assert_eq!(types(life, State::Decayed), decayed);
        assert_eq!(types(life, State::Archived), archived);
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
    Life::everywhere(&Config::default(), check_fate);
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
    let block = context(&life, "who plays the organ?");
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
    learn(&life);
    let selection = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let all = block_on(life.engine.list_all(&local("alice"), &selection)).unwrap();
    let home = all.iter().find(|memory| memory.content.as_str().contains("lives in")).unwrap();
    let source = Source::through(Channel::ExplicitSave);
    let correction = Correction::new("The user lives in Swansea", source);
    let corrected =
        block_on(life.engine.correct(&local("alice"), &home.id, correction)).unwrap().memory;
    life.wait(365);
    life.run(Task::Decay);
    assert_eq!(life.state(&corrected.id), State::Active);
}
