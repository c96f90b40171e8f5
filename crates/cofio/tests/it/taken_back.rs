//! What somebody took back is not done again, until it changes or they ask for it.

use cofio::Config;
use cofio::config::{Merge, Sessions};
use cofio::engine::Undoing;
use cofio::model::{
    Channel, Criteria, Draft, Edit, Fraction, Job, Kind, Layer, Memory, MetadataPatch, Patch,
    Scope, Source, State, Task,
};
use cofio::{Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{fact, identifiers, keeper, local, named, scope};
use crate::life::Life;

fn config() -> Config {
    let retention = Some(SignedDuration::from_hours(24 * 9));
    Config {
        sessions: Sessions { retention, ..Sessions::default() },
        merge: Merge { similarity: 0.7, ..Merge::default() },
        ..Config::default()
    }
}

fn everywhere(happen: impl Fn(&Life)) {
    Life::everywhere(&config(), happen);
}

/// Returns how many memories a job added, changed or removed.
fn changes(job: &Job) -> u64 {
    job.counts.created + job.counts.updated + job.counts.forgotten
}

fn undo(life: &Life, job: &Job, again: bool) -> Result<Job> {
    let undoing = Undoing { again, ..Undoing::default() };
    block_on(life.engine.undo(&keeper(), &job.id, undoing)).map(|undone| undone.job)
}

/// Does a task that has so much to do, takes it back, and checks that there is nothing to do then.
fn check_undone(life: &Life, task: Task, expected: u64) {
    let job = life.run(task);
    assert_eq!(changes(&job), expected, "{job:?}");
    undo(life, &job, false).unwrap();
    let next = life.run(task);
    assert_eq!(changes(&next), 0, "{task} did again what was taken back");
}

/// Does a task, takes it back to be done again, and checks that it is.
fn check_again(life: &Life, task: Task, expected: u64) {
    let job = life.run(task);
    assert_eq!(changes(&job), expected, "{job:?}");
    undo(life, &job, true).unwrap();
    assert_eq!(changes(&life.run(task)), expected, "{task} was to be done again");
}

fn own(life: &Life, kind: Kind) -> Vec<Memory> {
    let criteria = Criteria { kinds: vec![kind], ..Criteria::default() };
    let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
    block_on(life.engine.list_all(&local("alice"), &selection)).unwrap()
}

fn relabel(life: &Life, memory: &Memory) {
    let metadata =
        MetadataPatch { title: Edit::Set("seen".to_owned()), ..MetadataPatch::default() };
    let patch = Patch { metadata, ..Patch::default() };
    block_on(life.engine.update(&local("alice"), &memory.id, patch)).unwrap();
}

/// Keeps a fact of a conversation of Alice's that matters.
fn of_conversation(life: &Life, text: &str) -> Memory {
    let names = [(Layer::User, "alice"), (Layer::Session, "s1")];
    let source = Source::through(Channel::ExplicitSave);
    let mut draft = Draft::new(scope(Layer::Session, &names), Kind::Fact, text, source);
    draft.metadata.importance = Fraction::new(0.9).ok();
    life.keep(draft)
}

#[test]
fn what_was_kept_from_fading_does_not_fade_until_it_changes() {
    everywhere(|life| {
        let tea = life.keep(fact("alice", "Alice drinks tea"));
        life.wait(31);
        check_undone(life, Task::Decay, 1);
        life.wait(400);
        assert_eq!(changes(&life.run(Task::Decay)), 0, "it stays as somebody wanted it");
        relabel(life, &tea);
        check_again(life, Task::Decay, 1);
        assert_eq!(life.state(&tea.id), State::Decayed);
    });
}

#[test]
fn what_was_kept_from_being_put_away_stays_and_can_be_kept_from_fading_too() {
    everywhere(|life| {
        let tea = life.keep(fact("alice", "Alice drinks tea"));
        life.wait(31);
        let faded = life.run(Task::Decay);
        life.wait(31);
        check_undone(life, Task::Decay, 1);
        assert_eq!(life.state(&tea.id), State::Decayed);
        undo(life, &faded, false).unwrap();
        assert_eq!(changes(&life.run(Task::Decay)), 0);
        assert_eq!(life.state(&tea.id), State::Active);
    });
}

#[test]
fn what_was_kept_apart_is_not_brought_together_until_it_changes() {
    everywhere(|life| {
        for text in ["", " mostly", " mostly hot"] {
            life.keep(fact("alice", &format!("Alice drinks strong black tea{text}")));
        }
        check_undone(life, Task::Merge, 2);
        let shortest =
            own(life, Kind::Fact).into_iter().min_by_key(|fact| fact.content.as_str().len());
        relabel(life, &shortest.unwrap());
        check_again(life, Task::Merge, 1);
    });
}

#[test]
fn what_was_taken_from_a_user_is_not_brought_back_to_them() {
    everywhere(|life| {
        of_conversation(life, "Alice lives in Rome");
        life.run(Task::Promote);
        let [copy] = &own(life, Kind::Fact)[..] else { panic!("one fact is the user's") };
        block_on(life.engine.forget(&local("alice"), std::slice::from_ref(&copy.id))).unwrap();
        assert_eq!(changes(&life.run(Task::Promote)), 0);
        assert!(own(life, Kind::Fact).is_empty());
    });
}

#[test]
fn what_was_not_to_be_the_users_stays_in_its_conversation() {
    everywhere(|life| {
        let rome = of_conversation(life, "Alice lives in Rome");
        check_undone(life, Task::Promote, 2);
        assert!(own(life, Kind::Fact).is_empty());
        assert_eq!(life.look_at(&rome.id).expires_at, None);
        let (content, source) = (Some("Alice lives in Oslo".to_owned()), None);
        let patch = Patch { content, source, ..Patch::default() };
        block_on(life.engine.update(&keeper(), &rome.id, patch)).unwrap();
        check_again(life, Task::Promote, 2);
        assert_eq!(own(life, Kind::Fact)[0].content.as_str(), "Alice lives in Oslo");
    });
}

#[test]
fn a_week_is_not_looked_back_on_twice() {
    everywhere(|life| {
        for text in ["Alice drinks tea", "Alice plays the organ", "Alice reads old books"] {
            life.keep(fact("alice", text));
        }
        check_undone(life, Task::Reflect, 1);
        life.keep(fact("alice", "Alice keeps bees"));
        assert_eq!(changes(&life.run(Task::Reflect)), 0, "one fact is no week");
        for text in ["Bread is baked at night", "Ships sail on Mondays"] {
            life.keep(fact("alice", text));
        }
        check_again(life, Task::Reflect, 1);
        let reflection = own(life, Kind::Reflection).remove(0);
        assert!(!reflection.content.as_str().contains("organ"), "{reflection:?}");
    });
}

#[test]
fn what_conversations_taught_and_was_taken_back_is_not_learnt_again() {
    everywhere(|life| {
        life.say(Scope::user(named("alice")), "I live in Rome");
        check_undone(life, Task::Consolidate, 1);
        life.say(Scope::user(named("alice")), "I have two cats");
        check_again(life, Task::Consolidate, 1);
    });
}
