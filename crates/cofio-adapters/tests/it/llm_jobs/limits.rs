//! What a day may cost: held to before anything is asked, by everybody together.

use cofio::Engine;
use cofio::engine::Assignment;
use cofio::model::{Channel, Identifier, Job, JobState, Source, Stage, Task};
use pollster::block_on;

use super::{COST, House, amounts, facts, keeper, lisbon, lives_in_lisbon, named, play, run};
use crate::llm::{DIALECTS, options};

fn consolidate(engine: &Engine, conversation: &Identifier) -> Job {
    let conversation = Some(conversation.clone());
    let assignment = Assignment { conversation, ..Assignment::of(Task::Consolidate) };
    block_on(engine.maintain(&keeper(), &assignment, &|_, _| {})).unwrap()
}

#[test]
fn a_cap_that_is_too_small_stops_before_the_call() {
    for dialect in DIALECTS {
        let house = House::new();
        house.said("I live in Lisbon");
        let before = house.everything();
        let script = play("Lisbon", vec![facts(&[lisbon()])]);
        let job = run(&house.asking_within(options(script.url(), dialect), 100), Task::Consolidate);
        assert_eq!(job.state, JobState::Failed);
        let note = job.note.as_deref().unwrap();
        assert!(note.contains("could exceed the cap, 100 tokens of a day"), "{note}");
        assert_eq!((script.requests().len(), house.spending()), (0, vec![]));
        assert_eq!((house.everything(), house.waiting(Stage::Consolidated)), (before, 1));
        house.check_on_record(&job);
        let engine = house.asking(options(script.url(), dialect));
        assert_eq!(run(&engine, Task::Consolidate).state, JobState::Completed);
        assert_eq!(house.known(), [lives_in_lisbon()]);
    }
}

#[test]
fn processes_share_what_a_day_may_cost() {
    let house = House::new();
    let owner = || Source::through(Channel::OwnerMessage);
    house.turn("s1", owner(), "I live in Lisbon");
    house.turn("s2", owner(), "I still live in Lisbon");
    let said = || play("Lisbon", vec![facts(&[lisbon()])]);
    let (first, second) = (said(), said());
    let pieces =
        super::rehearse(&house.asking(options(first.url(), DIALECTS[0])), Task::Consolidate);
    let estimates: Vec<u64> =
        pieces.iter().map(|piece| piece.estimate.unwrap().usage.total()).collect();
    let spent = COST.input + COST.output;
    let cap = estimates[1] + spent - 1;
    assert!(estimates[0] <= cap, "the first alone is permitted");
    let one = house.asking_within(options(first.url(), DIALECTS[0]), cap);
    let other = house.asking_within(options(second.url(), DIALECTS[1]), cap);
    assert_eq!(consolidate(&one, &named("s1")).state, JobState::Completed);
    let stopped = consolidate(&other, &named("s2"));
    assert_eq!((stopped.state, second.requests().len()), (JobState::Failed, 0));
    assert!(stopped.note.as_deref().unwrap().contains("tokens of a day"), "{stopped:?}");
    assert_eq!(amounts(&house.spending()), [COST]);
    house.wait(24);
    assert_eq!(consolidate(&other, &named("s2")).state, JobState::Completed, "tomorrow");
    assert_eq!(amounts(&house.spending()), [COST; 2]);
}
