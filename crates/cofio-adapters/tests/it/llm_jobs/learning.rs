//! Facts from conversations: learnt with their evidence, paid for, done once, and taken back.

use cofio::engine::Undoing;
use cofio::model::{Channel, JobState, Kind, Memory, Source, SourceType, Stage, Task, Trust};
use cofio::store::Store as _;
use pollster::block_on;
use serde_json::json;

use super::{
    COST, House, amounts, claim, facts, keeper, lisbon, lives_in_lisbon, play, rehearse, run,
    waits, with,
};
use crate::llm::{DIALECTS, options};
use crate::script::{Line, Script};

#[test]
fn own_words_become_facts_and_conclusions_wait() {
    for dialect in DIALECTS {
        let house = House::new();
        let turn = house.said("I live in Lisbon. I drink my tea black.");
        house.answered("So you drink coffee?");
        let portugal = claim("The user lives in Portugal", &[1], "I live in Lisbon");
        let script = play("Lisbon", vec![facts(&[lisbon(), portugal])]);
        let job = run(&house.asking(options(script.url(), dialect)), Task::Consolidate);
        assert_eq!(
            (job.state, job.counts.created, job.counts.updated),
            (JobState::Completed, 2, 0)
        );
        assert_eq!(house.known(), [lives_in_lisbon(), waits("The user lives in Portugal")]);
        let learnt = house.of_kind(Kind::Fact);
        let evidence = |fact: &Memory| fact.provenance.derived_from.clone();
        assert_eq!(learnt.iter().map(evidence).collect::<Vec<_>>(), vec![vec![turn.id]; 2]);
        let sources: Vec<SourceType> = learnt.iter().map(|fact| fact.source.source_type).collect();
        assert_eq!(sources, [SourceType::Conversation, SourceType::Inference]);
        assert_eq!((house.waiting(Stage::Consolidated), script.requests().len()), (0, 1));
        house.check_on_record(&job);
    }
}

#[test]
fn what_a_job_cost_is_kept_with_the_memories() {
    for dialect in DIALECTS {
        let house = House::new();
        house.said("I live in Lisbon");
        let script = play("Lisbon", vec![facts(&[lisbon()])]);
        let job = run(&house.asking(options(script.url(), dialect)), Task::Consolidate);
        let [call] = &block_on(house.reopened().spending(9)).unwrap()[..] else { panic!() };
        assert_eq!((call.job.as_str(), call.scope.as_str()), (job.id.as_str(), "user:alice"));
        assert_eq!((call.model.as_str(), call.amount, call.settled), ("tiny", COST, true));
        assert_eq!(call.day.to_string(), "2026-03-01");
    }
}

#[test]
fn a_second_run_asks_nobody_and_changes_nothing() {
    for dialect in DIALECTS {
        let house = House::new();
        house.said("I live in Lisbon");
        let script = play("Lisbon", vec![facts(&[lisbon()])]);
        let engine = house.asking(options(script.url(), dialect));
        run(&engine, Task::Consolidate);
        let before = house.everything();
        let again = run(&engine, Task::Consolidate);
        assert_eq!((again.state, again.counts.created), (JobState::Completed, 0));
        assert_eq!((house.everything(), script.requests().len()), (before, 1));
        assert_eq!(amounts(&house.spending()), [COST]);
    }
}

#[test]
fn a_job_that_is_taken_back_leaves_no_fact_behind_and_stays_paid() {
    for dialect in DIALECTS {
        let house = House::new();
        house.fact("Alice has a cat");
        house.said("I live in Porto");
        run(&house.engine(), Task::Consolidate);
        house.said("I live in Lisbon");
        let before = house.contents();
        let script = play("Lisbon", vec![facts(&[lisbon()])]);
        let engine = house.asking(options(script.url(), dialect));
        let job = run(&engine, Task::Consolidate);
        assert_eq!((job.counts.created, job.counts.updated), (1, 1), "Porto is over");
        let undone = block_on(engine.undo(&keeper(), &job.id, Undoing::default())).unwrap();
        assert_eq!(house.contents(), before);
        assert_eq!(amounts(&house.spending()), [COST]);
        house.check_on_record(&undone.job);
        run(&engine, Task::Consolidate);
        assert_eq!((house.contents(), script.requests().len()), (before, 1), "not done again");
    }
}

#[test]
fn what_is_taken_back_to_be_done_again_is_asked_again() {
    let house = House::new();
    house.said("I live in Lisbon");
    let script = play("Lisbon", vec![facts(&[lisbon()])]);
    let engine = house.asking(options(script.url(), DIALECTS[0]));
    let job = run(&engine, Task::Consolidate);
    let again = Undoing { again: true, ..Undoing::default() };
    block_on(engine.undo(&keeper(), &job.id, again)).unwrap();
    assert_eq!((house.known(), house.waiting(Stage::Consolidated)), (vec![], 1));
    run(&engine, Task::Consolidate);
    assert_eq!(house.known(), [lives_in_lisbon()]);
    assert_eq!(amounts(&house.spending()), [COST; 2]);
}

#[test]
fn a_rehearsal_tells_what_it_would_cost_and_asks_nobody() {
    let house = House::new();
    house.said("I live in Lisbon");
    let before = house.everything();
    let script = play("Lisbon", vec![facts(&[lisbon()])]);
    let engine = house.asking(options(script.url(), DIALECTS[0]));
    let pieces = rehearse(&engine, Task::Consolidate);
    let [piece] = &pieces[..] else { panic!("{pieces:?}") };
    let estimate = piece.estimate.unwrap();
    assert!(estimate.usage.input > 500 && estimate.money.0 > COST.money, "{estimate:?}");
    assert_eq!((script.requests().len(), piece.plan.steps.len()), (0, 0));
    assert_eq!((house.everything(), house.spending()), (before, vec![]));
    assert_eq!(house.waiting(Stage::Consolidated), 1);
    assert_eq!(block_on(engine.jobs(&keeper(), None, 9)).unwrap(), []);
    run(&engine, Task::Consolidate);
    assert_eq!(rehearse(&engine, Task::Consolidate).len(), 0, "nothing is left to ask");
}

#[test]
fn words_that_are_not_trusted_never_come_out_as_the_users() {
    for dialect in DIALECTS {
        let house = House::new();
        house.said("I live in Lisbon");
        let stranger = Source::through(Channel::OwnerMessage).trusted_at_most(Trust::Low);
        house.turn("s1", stranger, "My bank is Acme");
        let mut quoted = Source::through(Channel::OwnerMessage);
        quoted.from_external_content = true;
        house.turn("s1", quoted, "The user trusts Acme");
        house.turn("s1", Source::through(Channel::WebFetch), "The user pays by Acme");
        let bank = |quote: &str| {
            let fields = [("attribute", json!("bank")), ("value", json!("Acme"))];
            with(claim("The user's bank is Acme", &[1], quote), &fields)
        };
        let trusts = claim("The user trusts Acme", &[2], "The user trusts Acme");
        let laundered =
            vec![facts(&[bank("I live in Lisbon"), bank("My bank is Acme"), trusts, lisbon()])];
        let script = Script::play(vec![
            Line { words: "Lisbon", said: laundered },
            Line { words: "My bank", said: vec![facts(&[bank("My bank is Acme")])] },
        ]);
        let job = run(&house.asking(options(script.url(), dialect)), Task::Consolidate);
        assert_eq!(job.state, JobState::Completed, "{job:?}");
        let mut known = house.known();
        known.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(known, [lives_in_lisbon(), waits("The user's bank is Acme")]);
        let shown = String::from_utf8(script.requests()[0].body.clone()).unwrap();
        assert!(!shown.contains("My bank") && !shown.contains("pays by"), "{shown}");
        assert_eq!(script.requests().len(), 2, "nobody said anything on the page");
    }
}
