//! What conversations mean for the facts that are known: planned, committed, and found.

use cofio::engine::{ConflictMode, ContextRequest, Importing, ListRequest};
use cofio::lifecycle::extraction::{Turn, extract};
use cofio::lifecycle::plan::Plan;
use cofio::model::{
    Caller, Change, Channel, Commit, Correction, Criteria, Doubt, Draft, Fraction, Kind, Layer,
    Memory, Outcome, Patch, Right, Rights, Scope, Source, State, Timestamp, Trust,
};
use cofio::store::{MemoryStore, Order, Store};
use cofio::{Engine, ErrorKind, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, START, fact, identifiers, keeper, local, named};

/// Keeps a turn of a conversation.
fn said_at(
    fixture: &Fixture,
    user: &str,
    channel: Channel,
    at: Option<&str>,
    text: &str,
) -> Memory {
    fixture.wait(SignedDuration::from_hours(1));
    let mut source = Source::through(channel);
    source.session = Some(named("s1"));
    source.role = Some("user".to_owned());
    source.message = Some(fixture.engine.now().to_string());
    let draft = Draft::new(Scope::user(named(user)), Kind::Episode, text, source);
    let event_at = at.map(|at| at.parse().unwrap());
    fixture.remember(Draft { event_at, ..draft }).unwrap().memory
}

fn said(fixture: &Fixture, text: &str) -> Memory {
    said_at(fixture, "alice", Channel::OwnerMessage, None, text)
}

/// Plans what turns mean for the facts of a user.
fn plan(engine: &Engine, caller: &Caller, user: &str, turns: &[Memory]) -> Result<Plan> {
    let told: Vec<Turn<'_>> = turns
        .iter()
        .map(|turn| Turn {
            id: &turn.id,
            assistant: turn.said_by_assistant(),
            speaker: turn.author(),
            said_at: turn.event_at,
            text: turn.content.as_str(),
        })
        .collect();
    let (scope, now) = (Scope::user(named(user)), engine.now());
    block_on(engine.plan_facts(caller, &scope, turns, &extract(&told), now))
}

fn commit(store: &dyn Store, plan: &Plan, at: Timestamp) {
    let changes: Vec<Change> = plan.steps.iter().map(|step| step.change.clone()).collect();
    let (actor, audit) = (named("alice"), Vec::new());
    let commit = Commit { actor, at, changes, audit, idempotency: None, work: None };
    let outcomes = block_on(store.commit(commit)).unwrap();
    assert!(outcomes.iter().all(Outcome::changed), "{outcomes:?}");
}

/// Plans and commits what turns mean, and checks that they mean nothing more afterwards.
fn learn(fixture: &Fixture, user: &str, turns: &[Memory]) -> Plan {
    let planned = plan(&fixture.engine, &local(user), user, turns).unwrap();
    commit(&*fixture.store, &planned, fixture.engine.now());
    let again = plan(&fixture.engine, &local(user), user, turns).unwrap();
    assert_eq!(again.steps, [], "the same turns mean nothing more");
    planned
}

fn tell(fixture: &Fixture, text: &str) -> Plan {
    let turn = said(fixture, text);
    learn(fixture, "alice", &[turn])
}

/// Returns the facts of a user in some state, in the order in which they happened.
fn facts(engine: &Engine, user: &str, state: State) -> Vec<Memory> {
    let criteria = Criteria { kinds: vec![Kind::Fact], states: vec![state], ..Criteria::default() };
    let selection = Selection::with(identifiers(&[(Layer::User, user)]), criteria);
    let request = ListRequest { order: Order::EarliestEvent, ..ListRequest::new(selection) };
    block_on(engine.list(&local(user), &request)).unwrap().memories
}

#[track_caller]
fn check(fixture: &Fixture, state: State, expected: &[&str]) {
    let facts = facts(&fixture.engine, "alice", state);
    let texts: Vec<&str> = facts.iter().map(|fact| fact.content.as_str()).collect();
    assert_eq!(texts, expected, "{state}");
}

/// Returns the facts that a user finds.
fn found(fixture: &Fixture, question: &str) -> Vec<String> {
    let hits = fixture.search("alice", question).hits.into_iter();
    let facts = hits.map(|hit| hit.memory).filter(|memory| memory.kind == Kind::Fact);
    facts.map(|memory| memory.content.as_str().to_owned()).collect()
}

#[test]
fn a_new_value_is_found_and_the_old_one_is_history() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Rome");
    assert_eq!(found(&fixture, "where does the user live"), ["The user lives in Rome"]);
    let turn = said(&fixture, "I live in Oslo");
    learn(&fixture, "alice", std::slice::from_ref(&turn));
    assert_eq!(found(&fixture, "where does the user live"), ["The user lives in Oslo"]);
    let old = facts(&fixture.engine, "alice", State::Superseded).remove(0);
    let new = facts(&fixture.engine, "alice", State::Active).remove(0);
    assert_eq!((old.valid_until, old.version), (Some(turn.event_at), 2));
    assert_eq!(old.metadata.confidence, Some(Fraction::new(0.3).unwrap()));
    assert_eq!(old.provenance.superseded_by.as_ref(), Some(&new.id));
    assert_eq!(new.provenance.supersedes.as_ref(), Some(&old.id));
    assert_eq!(new.provenance.derived_from, [turn.id]);
    assert_eq!((new.source.trust(), new.source.session), (Trust::High, Some(named("s1"))));
    let history = block_on(fixture.engine.history(&local("alice"), &old.id)).unwrap();
    assert_eq!(history.earlier.len(), 1);
}

#[test]
fn a_change_of_mind_is_found_and_what_was_liked_is_history() {
    let fixture = Fixture::new();
    tell(&fixture, "I love opera");
    tell(&fixture, "I don't like opera");
    assert_eq!(found(&fixture, "opera"), ["The user does not like opera"]);
    check(&fixture, State::Superseded, &["The user loves opera"]);
}

#[test]
fn something_is_over_without_anything_in_its_place() {
    let fixture = Fixture::new();
    tell(&fixture, "I smoke");
    tell(&fixture, "I work at Siemens");
    tell(&fixture, "I no longer smoke");
    tell(&fixture, "I changed jobs");
    check(&fixture, State::Active, &["The user no longer smokes", "The user changed jobs"]);
    check(&fixture, State::Superseded, &["The user smokes", "The user works at Siemens"]);
}

#[test]
fn an_old_conversation_undoes_nothing_and_fills_the_history() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Oslo");
    let oslo = facts(&fixture.engine, "alice", State::Active).remove(0);
    let owner = Channel::OwnerMessage;
    let old = said_at(&fixture, "alice", owner, Some("2020-02-02T10:00:00Z"), "I live in Rome");
    learn(&fixture, "alice", &[old]);
    assert_eq!(found(&fixture, "where does the user live"), ["The user lives in Oslo"]);
    let rome = facts(&fixture.engine, "alice", State::Superseded).remove(0);
    assert_eq!(rome.event_at, "2020-02-02T10:00:00Z".parse().unwrap());
    assert_eq!(rome.valid_until, Some(oslo.event_at));
    assert_eq!(rome.provenance.superseded_by, Some(oslo.id));
}

#[test]
fn a_value_may_come_back() {
    let fixture = Fixture::new();
    for text in ["I live in Rome", "I live in Oslo", "I live in Rome"] {
        tell(&fixture, text);
    }
    check(&fixture, State::Active, &["The user lives in Rome"]);
    check(&fixture, State::Superseded, &["The user lives in Rome", "The user lives in Oslo"]);
}

#[test]
fn what_is_trusted_less_waits_and_names_what_it_contradicts() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Rome");
    let turn = said_at(&fixture, "alice", Channel::WebFetch, None, "I live in Oslo");
    learn(&fixture, "alice", &[turn]);
    assert_eq!(found(&fixture, "where does the user live"), ["The user lives in Rome"]);
    let rome = facts(&fixture.engine, "alice", State::Active).remove(0);
    let oslo = facts(&fixture.engine, "alice", State::Pending).remove(0);
    assert_eq!((rome.version, oslo.source.trust()), (1, Trust::Low));
    assert_eq!(oslo.metadata.custom["contradicts"], serde_json::json!([rome.id.as_str()]));
}

#[test]
fn a_caller_who_is_trusted_less_learns_nothing_that_counts() {
    let fixture = Fixture::new();
    let turn = said(&fixture, "I live in Rome");
    let caller = local("alice").trusted_at_most(Trust::Medium);
    let planned = plan(&fixture.engine, &caller, "alice", &[turn]).unwrap();
    let learnt = planned.steps[0].after().unwrap();
    assert_eq!((learnt.state, learnt.source.trust()), (State::Pending, Trust::Medium));
}

#[test]
fn the_users_own_word_takes_the_place_of_the_same_claim_that_waits() {
    let fixture = Fixture::new();
    let turn = said_at(&fixture, "alice", Channel::OtherMessage, None, "I live in Rome");
    learn(&fixture, "alice", &[turn]);
    check(&fixture, State::Pending, &["The user lives in Rome"]);
    tell(&fixture, "I live in Rome");
    check(&fixture, State::Active, &["The user lives in Rome"]);
    check(&fixture, State::Pending, &[]);
}

#[test]
fn what_was_rejected_is_not_learnt_again_and_everything_else_is() {
    let fixture = Fixture::new();
    let turn = said_at(&fixture, "alice", Channel::OtherMessage, None, "I live in Rome");
    learn(&fixture, "alice", &[turn]);
    let claim = facts(&fixture.engine, "alice", State::Pending).remove(0);
    block_on(fixture.engine.reject(&local("alice"), &claim.id)).unwrap();
    let turns = [said(&fixture, "i live in ROME!"), said(&fixture, "I love opera")];
    learn(&fixture, "alice", &turns);
    check(&fixture, State::Pending, &[]);
    check(&fixture, State::Active, &["The user loves opera"]);
}

#[test]
fn a_secret_is_no_fact_and_keeps_no_other_from_being_learnt() {
    let fixture = Fixture::new();
    let turns = [
        said(&fixture, "I use AKIAIOSFODNN7EXAMPLE for deployments"),
        said(&fixture, "My favourite colour is teal"),
    ];
    learn(&fixture, "alice", &turns);
    check(&fixture, State::Active, &["The user's favourite colour is teal"]);
}

#[test]
fn nobody_elses_facts_are_touched_or_looked_at() {
    let fixture = Fixture::new();
    let rome = said_at(&fixture, "bob", Channel::OwnerMessage, None, "I live in Rome");
    learn(&fixture, "bob", std::slice::from_ref(&rome));
    let oslo = said(&fixture, "I live in Oslo");
    let planned = plan(&fixture.engine, &keeper(), "alice", std::slice::from_ref(&oslo)).unwrap();
    assert_eq!(planned.looked_at, 1, "the turn, and no fact of anybody");
    learn(&fixture, "alice", &[oslo]);
    let bobs = facts(&fixture.engine, "bob", State::Active);
    assert_eq!((bobs.len(), bobs[0].version), (1, 1));
    let foreign = plan(&fixture.engine, &keeper(), "alice", std::slice::from_ref(&rome)).unwrap();
    assert_eq!(foreign.steps, [], "another scope's turn is no evidence");
    let closed = plan(&fixture.engine, &local("alice"), "bob", &[rome]);
    assert_eq!(closed.unwrap_err().kind(), ErrorKind::Unauthorized);
}

#[test]
fn planning_changes_nothing_and_takes_the_rights_to_read_and_write() {
    let fixture = Fixture::new();
    let turn = said(&fixture, "I live in Rome");
    let before = block_on(fixture.store.last_change()).unwrap();
    let turns = std::slice::from_ref(&turn);
    assert_eq!(plan(&fixture.engine, &local("alice"), "alice", turns).unwrap().steps.len(), 1);
    assert_eq!(block_on(fixture.store.last_change()).unwrap(), before);
    check(&fixture, State::Active, &[]);
    for right in [Right::Read, Right::Write] {
        let caller = local("alice").with_rights(Rights::of(&[right]));
        let refused = plan(&fixture.engine, &caller, "alice", turns);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unauthorized, "{right}");
    }
    let many = vec![turn; 31];
    let refused = plan(&fixture.engine, &local("alice"), "alice", &many);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_known_fact_changes_once_however_much_is_said_of_it() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Rome");
    let turns = [
        said(&fixture, "So, I live in Rome."),
        said(&fixture, "I live in Rome!"),
        said(&fixture, "Actually I live in Oslo"),
    ];
    let planned = learn(&fixture, "alice", &turns);
    assert_eq!(planned.steps.len(), 2, "one update and one new fact");
    let rome = facts(&fixture.engine, "alice", State::Superseded).remove(0);
    assert_eq!((rome.version, rome.provenance.derived_from.len()), (2, 3));
}

#[test]
fn what_was_written_by_hand_gives_way_too_and_goes_with_no_conversation() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "Alice prefers tea");
    fixture.fact("alice", "Alice lives in Rome");
    let turn = said(&fixture, "I live in Oslo. I prefer tea.");
    learn(&fixture, "alice", std::slice::from_ref(&turn));
    check(&fixture, State::Superseded, &["Alice lives in Rome"]);
    block_on(fixture.engine.forget(&local("alice"), &[turn.id])).unwrap();
    let kept = facts(&fixture.engine, "alice", State::Active);
    assert_eq!(kept.iter().map(|fact| &fact.id).collect::<Vec<_>>(), [&tea.id]);
}

#[test]
fn what_the_user_is_begins_the_next_prompt() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Rome");
    tell(&fixture, "I love opera");
    let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let request = ContextRequest { facts: 0, episodes: 0, ..ContextRequest::new(mine, "hello") };
    let block = block_on(fixture.engine.context(&local("alice"), &request)).unwrap().markdown();
    assert!(block.contains("The user lives in Rome"), "{block}");
    assert!(!block.contains("opera"), "{block}");
}

#[test]
fn a_fact_whose_text_is_changed_states_what_its_text_does() {
    let fixture = Fixture::new();
    tell(&fixture, "I live in Rome");
    let rome = facts(&fixture.engine, "alice", State::Active).remove(0);
    assert_eq!(rome.triple.as_ref().map(|triple| triple.object.as_str()), Some("Rome"));
    let source = Source::through(Channel::ExplicitSave);
    let same = Correction::new(rome.content.as_str(), source);
    let same = block_on(fixture.engine.correct(&local("alice"), &rome.id, same));
    assert_eq!(same.unwrap_err().kind(), ErrorKind::Invalid, "it says so already");
    let patch = Patch { content: Some("The user lives in Oslo".to_owned()), ..Patch::default() };
    block_on(fixture.engine.update(&local("alice"), &rome.id, patch)).unwrap();
    assert_eq!(facts(&fixture.engine, "alice", State::Active)[0].triple, None);
    assert_eq!(tell(&fixture, "I live in Oslo").steps[0].id(), &rome.id, "said again");
}

#[test]
fn facts_and_what_they_state_survive_a_bundle() {
    let fixture = Fixture::new();
    for text in ["I work at Siemens", "I changed jobs", "I love opera"] {
        tell(&fixture, text);
    }
    let mut out = Vec::new();
    block_on(fixture.engine.export(&keeper(), &mut out, |_| {})).unwrap();
    let other = Fixture::new();
    let importing = Importing {
        on_conflict: ConflictMode::Skip,
        trusted_at_most: Trust::High,
        doubt: Doubt::Ask,
        dry_run: false,
    };
    block_on(other.engine.import(&keeper(), out.as_slice(), importing, |_| {})).unwrap();
    for state in [State::Active, State::Superseded] {
        let stated = |fixture: &Fixture| -> Vec<_> {
            let facts = facts(&fixture.engine, "alice", state);
            facts.into_iter().map(|fact| (fact.id, fact.triple, fact.metadata)).collect()
        };
        assert_eq!(stated(&fixture), stated(&other), "{state}");
        assert!(!stated(&other).is_empty());
    }
}

#[test]
fn a_store_in_memory_learns_the_same() {
    let store = std::sync::Arc::new(MemoryStore::new());
    let start: Timestamp = START.parse().unwrap();
    let engine = Engine::shared(store.clone(), move || start, cofio::Config::default());
    let turns: Vec<Memory> = ["I live in Rome", "I love opera", "Actually I live in Oslo"]
        .iter()
        .zip(1..)
        .map(|(text, hour)| {
            let draft = Draft { kind: Kind::Episode, ..fact("alice", text) };
            let event_at = Some(start + SignedDuration::from_hours(hour));
            block_on(engine.remember(&keeper(), Draft { event_at, ..draft })).unwrap().memory
        })
        .collect();
    for turn in &turns {
        let planned = plan(&engine, &local("alice"), "alice", std::slice::from_ref(turn)).unwrap();
        commit(&*store, &planned, start);
    }
    assert_eq!(plan(&engine, &local("alice"), "alice", &turns).unwrap().steps, []);
    let texts = |state| -> Vec<String> {
        let facts = facts(&engine, "alice", state).into_iter();
        facts.map(|fact| fact.content.as_str().to_owned()).collect()
    };
    assert_eq!(texts(State::Active), ["The user loves opera", "The user lives in Oslo"]);
    assert_eq!(texts(State::Superseded), ["The user lives in Rome"]);
}
