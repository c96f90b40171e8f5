//! What outsiders ask of a memory that learns: evidence and correction, each with its control.

use cofio::engine::{Assignment, ContextRequest};
use cofio::model::{
    Criteria, Draft, Fraction, Job, JobState, Kind, Layer, Memory, MemoryId, Scope, Source, State,
    Task, Timestamp,
};
use cofio::{Query, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, episode, identifiers, keeper, local, named, scope};

/// Lets Alice say something in a conversation, a minute after what was said before.
fn say(fixture: &Fixture, session: &str, text: &str) -> Memory {
    fixture.wait(SignedDuration::from_mins(1));
    let mut draft = episode("alice", text);
    draft.source = Source::through(cofio::model::Channel::OwnerMessage);
    draft.source.session = Some(named(session));
    draft.source.role = Some("user".to_owned());
    fixture.remember(draft).unwrap().memory
}

fn run(fixture: &Fixture, task: Task) -> Job {
    let assignment = Assignment::of(task);
    let job = block_on(fixture.engine.maintain(&keeper(), &assignment, &|_, _| {})).unwrap();
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    job
}

/// Says something and learns from it.
fn tell(fixture: &Fixture, text: &str) {
    say(fixture, "talk", text);
    run(fixture, Task::Consolidate);
}

fn facts(fixture: &Fixture, kinds: &[Kind], states: &[State]) -> Vec<Memory> {
    let criteria =
        Criteria { kinds: kinds.to_vec(), states: states.to_vec(), ..Criteria::default() };
    let mine = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
    block_on(fixture.engine.list_all(&local("alice"), &mine)).unwrap()
}

/// Returns the facts that answer a question, as of now or as they were at a moment.
fn recall(fixture: &Fixture, question: &str, valid_at: Option<Timestamp>) -> Vec<String> {
    let criteria = Criteria { kinds: vec![Kind::Fact], valid_at, ..Criteria::default() };
    let mine = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
    let answer = block_on(fixture.engine.search(&local("alice"), &Query::new(mine, question)));
    let hits = answer.unwrap().hits.into_iter();
    hits.map(|hit| hit.memory.content.as_str().to_owned()).collect()
}

fn exists(fixture: &Fixture, id: &MemoryId) -> bool {
    block_on(fixture.engine.get(&keeper(), id)).is_ok()
}

/// Tells enough for facts and a look back on them, and returns the turns.
fn a_week(fixture: &Fixture) -> [Memory; 3] {
    let turns = [
        say(fixture, "talk", "I live in Cardiff."),
        say(fixture, "talk", "My favourite colour is green."),
        say(fixture, "talk", "I don't eat pork."),
    ];
    assert_eq!(run(fixture, Task::Consolidate).counts.created, 3);
    assert_eq!(run(fixture, Task::Reflect).counts.created, 1);
    turns
}

#[test]
fn every_claim_in_a_prompt_resolves_to_a_source_that_is_there() {
    let fixture = Fixture::new();
    a_week(&fixture);
    let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let request = ContextRequest::new(mine, "where does she live, and what does she eat?");
    let block = block_on(fixture.engine.context(&local("alice"), &request)).unwrap();
    assert!(block.memories.len() >= 2, "{}", block.markdown());
    for id in &block.memories {
        let claim = block_on(fixture.engine.get(&keeper(), id)).unwrap();
        assert!(!claim.provenance.derived_from.is_empty(), "{claim:?}");
        for source in &claim.provenance.derived_from {
            assert!(exists(&fixture, source));
        }
    }
}

#[test]
fn with_a_source_goes_everything_that_rests_on_it_and_nothing_else() {
    let fixture = Fixture::new();
    let [home, colour, _] = a_week(&fixture);
    let of_session = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "own")]);
    let mut own = Draft { kind: Kind::Fact, ..episode("alice", "Alice is allergic to nuts") };
    own.scope = of_session;
    own.metadata.importance = Fraction::new(0.9).ok();
    let own = fixture.remember(own).unwrap().memory;
    assert_eq!(run(&fixture, Task::Promote).counts.created, 1);
    let resting = |source: &Memory, kind: Kind| -> Vec<MemoryId> {
        let all = facts(&fixture, &[kind], State::ALL).into_iter();
        let rests = all.filter(|memory| memory.provenance.derived_from.contains(&source.id));
        rests.map(|memory| memory.id).collect()
    };
    let lives = resting(&home, Kind::Fact);
    let promoted = resting(&own, Kind::Fact);
    let reflections = facts(&fixture, &[Kind::Reflection], &[State::Active]);
    assert_eq!((lives.len(), promoted.len(), reflections.len()), (1, 1, 1));
    assert!(reflections[0].provenance.derived_from.contains(&lives[0]));
    let gone = [home.id.clone(), own.id.clone()];
    block_on(fixture.engine.forget(&keeper(), &gone)).unwrap();
    for id in lives.iter().chain(&promoted).chain([&reflections[0].id]) {
        assert!(!exists(&fixture, id), "{id} rests on what is gone");
    }
    assert_eq!(resting(&colour, Kind::Fact).len(), 1, "its sibling is still there");
    assert!(
        recall(&fixture, "where does the user live?", None)
            .iter()
            .all(|text| !text.contains("Cardiff"))
    );
    for task in [Task::Enrich, Task::Consolidate, Task::Promote, Task::Reflect] {
        run(&fixture, task);
    }
    block_on(fixture.store.rebuild()).unwrap();
    assert!(!fixture.found("alice", "Cardiff nuts").iter().any(|text| text.contains("Cardiff")));
}

#[test]
fn what_is_derived_is_made_anew_with_the_same_answers() {
    let fixture = Fixture::new();
    a_week(&fixture);
    run(&fixture, Task::Enrich);
    let questions = ["where does the user live?", "favourite colour", "pork"];
    let before = questions.map(|question| recall(&fixture, question, None));
    assert!(before.iter().all(|found| !found.is_empty()));
    block_on(fixture.store.rebuild()).unwrap();
    assert_eq!(questions.map(|question| recall(&fixture, question, None)), before);
}

/// Tells one thing and then another, and checks what is recalled and what is history, also after
/// everything derived was made anew.
fn corrected(first: &str, then: &str, question: &str, now: &[&str], history: &[&str]) {
    let fixture = Fixture::new();
    tell(&fixture, "My cat is called Mimi.");
    tell(&fixture, first);
    let told = facts(&fixture, &[Kind::Fact], &[State::Active]).len();
    assert_eq!(told, 2, "{first:?} is understood");
    tell(&fixture, then);
    for _ in 0..2 {
        let active = recall(&fixture, question, None);
        let about: Vec<&str> =
            active.iter().map(String::as_str).filter(|text| !text.contains("Mimi")).collect();
        assert_eq!(about, now, "{then:?}");
        let old = facts(&fixture, &[Kind::Fact], &[State::Superseded]);
        let old: Vec<&str> = old.iter().map(|memory| memory.content.as_str()).collect();
        assert_eq!(old, history);
        let others = recall(&fixture, "what is the cat called?", None);
        assert!(others.iter().any(|text| text.contains("Mimi")), "the control: {others:?}");
        block_on(fixture.store.rebuild()).unwrap();
    }
}

#[test]
fn another_value_takes_the_place_of_the_first() {
    corrected(
        "My favourite colour is green.",
        "My favourite colour is blue.",
        "what is the favourite colour?",
        &["The user's favourite colour is blue"],
        &["The user's favourite colour is green"],
    );
}

#[test]
fn a_change_of_polarity_is_believed() {
    corrected(
        "I like coriander.",
        "I don't like coriander.",
        "coriander",
        &["The user does not like coriander"],
        &["The user likes coriander"],
    );
}

#[test]
fn what_was_true_for_a_while_is_recalled_for_that_while() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Cardiff.");
    fixture.wait(SignedDuration::from_hours(24 * 20));
    let meanwhile = fixture.engine.now();
    fixture.wait(SignedDuration::from_hours(24 * 20));
    tell(&fixture, "I live in Swansea now.");
    let lives = |at| recall(&fixture, "where does the user live?", at);
    assert_eq!(lives(None), ["The user lives in Swansea now"]);
    assert_eq!(lives(Some(meanwhile)), ["The user lives in Cardiff"]);
    let scope: Scope = Scope::user(named("alice"));
    assert!(facts(&fixture, &[Kind::Fact], State::ALL).iter().all(|fact| fact.scope == scope));
}
