//! What callers may do: every verb asks for its rights, and nobody is trusted further than they are.

mod trust;
mod verbs;

use cofio::model::{Caller, Draft, Kind, Layer, Right, Rights};
use cofio::store::MemoryStore;
use cofio::{Engine, Error, ErrorKind, Result};
use pollster::block_on;

use crate::fixture::{START, fact, keeper, local, scope};

/// Returns an engine on a store of its own.
fn engine() -> Engine {
    Engine::new(MemoryStore::new(), || START.parse().unwrap())
}

/// Returns the caller who keeps the store and has these rights.
fn with(rights: &[Right]) -> Caller {
    keeper().with_rights(Rights::of(rights))
}

/// Returns the right that is missing, if that is why something was refused.
fn missing<T>(result: Result<T>) -> Option<String> {
    let error = result.err().filter(|error| error.kind() == ErrorKind::Unauthorized)?;
    error.details().get("right").and_then(|right| right.as_str()).map(str::to_owned)
}

#[test]
fn every_verb_asks_for_its_rights_and_for_no_others() {
    for (name, needs, verb) in verbs::ALL {
        for &lacking in Right::ALL {
            let rest: Vec<Right> =
                Right::ALL.iter().copied().filter(|right| *right != lacking).collect();
            let world = verbs::World::new();
            let refused = missing(verb(&world, &with(&rest)));
            let expected = needs.contains(&lacking).then(|| lacking.to_string());
            assert_eq!(refused, expected, "{name} without the right to {lacking}");
        }
        let world = verbs::World::new();
        let done = verb(&world, &with(needs)).map_err(|error: Error| error.to_string());
        assert_eq!(done, Ok(()), "{name} with no more than {needs:?}");
    }
}

#[test]
fn every_verb_is_tried() {
    let mut known: Vec<&str> = verbs::ALL.iter().map(|(name, ..)| *name).collect();
    known.sort_unstable();
    assert_eq!(verbs::public(), known);
}

#[test]
fn a_refusal_says_what_is_missing() {
    let reader = with(&[Right::Read]);
    let error = block_on(engine().forget(&reader, &[])).unwrap_err();
    assert_eq!(error.to_string(), "this key may not delete");
    assert_eq!(
        (error.details()["right"].as_str(), error.operation()),
        (Some("delete"), Some("delete"))
    );
}

#[test]
fn who_may_only_write_learns_nothing_of_what_is_there() {
    let engine = engine();
    let under = |text: &str| Draft { key: Some("door".to_owned()), ..fact("alice", text) };
    let first = block_on(engine.remember(&local("alice"), under("the code is on the fridge")));
    let writer = with(&[Right::Write]);
    let again = block_on(engine.remember(&writer, under("the code is unknown"))).unwrap();
    assert_eq!((again.memory.id, again.existing), (first.unwrap().memory.id, true));
    assert_eq!(again.memory.content.as_str(), "the code is unknown");
    let set = |caller: &Caller, value: &str| {
        let source = fact("alice", "").source;
        let alice = scope(Layer::User, &[(Layer::User, "alice")]);
        block_on(engine.set_context(caller, alice, "task", value, source)).unwrap().memory
    };
    let before = set(&local("alice"), "hide the presents");
    let after = set(&writer, "wrap the presents");
    assert_eq!((after.id, after.content.as_str()), (before.id, "wrap the presents"));
    assert_eq!((after.version, before.version), (1, 1), "how often it changed is not told");
}

#[test]
fn an_audit_of_everyone_is_for_those_who_administer() {
    let engine = engine();
    block_on(engine.remember(&local("alice"), fact("alice", "Alice has a boat"))).unwrap();
    let seen = |caller: &Caller| {
        block_on(engine.audit(caller, cofio::store::Entries::After(0), 10)).unwrap().len()
    };
    assert_eq!((seen(&keeper()), seen(&with(&[Right::Read]))), (1, 0));
    assert_eq!((seen(&local("alice")), seen(&local("bob"))), (1, 0));
}

#[test]
fn what_has_ended_goes_whoever_asks() {
    let start: jiff::Timestamp = START.parse().unwrap();
    let store = std::sync::Arc::new(MemoryStore::new());
    let at = |days: i64| {
        let now = start + jiff::SignedDuration::from_hours(24 * days);
        Engine::shared(store.clone(), move || now, cofio::Config::default())
    };
    let draft = Draft { kind: Kind::Context, ..fact("alice", "a task of today") };
    block_on(at(0).remember(&local("alice"), draft)).unwrap();
    let swept = block_on(at(2).sweep_some(&with(&[]))).unwrap();
    assert_eq!(swept, cofio::engine::Swept::Removed(1));
}

#[test]
fn a_window_lets_go_of_what_is_old_whoever_talks() {
    let engine = engine();
    let talk = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let talker = with(&[Right::Read, Right::Write]);
    let mut turns = Vec::new();
    for number in 0..=engine.config().window_turns * 2 {
        let (text, source) = (format!("turn {number}"), fact("alice", "").source);
        turns = block_on(engine.push_turn(&talker, &talk, "user", &text, source)).unwrap();
    }
    assert_eq!(turns[0].content, "turn 1");
}

#[test]
fn a_secret_told_in_parts_goes_whoever_completes_it() {
    let engine = engine();
    let talk = scope(Layer::Session, &[(Layer::User, "alice"), (Layer::Session, "s1")]);
    let say = |caller: &Caller, text: &str| {
        let draft = Draft { kind: Kind::Episode, scope: talk.clone(), ..fact("alice", text) };
        block_on(engine.remember(caller, draft)).unwrap().memory
    };
    let (one, two) = "AKIAQ4WXZ7TJ3M5NPL2V".split_at(5);
    let writer = with(&[Right::Write]);
    let first = say(&writer, &format!("the key begins with {one}"));
    say(&writer, &format!("and goes on with {two}"));
    assert_eq!(
        block_on(engine.get(&keeper(), &first.id)).unwrap_err().kind(),
        ErrorKind::NotFound,
        "the turn was kept anew without its part"
    );
}
