//! Names in the words of a model, where nobody else judges by context.

use std::sync::Arc;

use cofio::Result;
use cofio::engine::Undoing;
use cofio::model::{EntityType, JobState, Memory, Stage, Task};
use cofio::recognise::{Cost, Pipeline, Recogniser, Span};
use pollster::block_on;
use serde_json::json;

use super::{COST, House, amounts, keeper, play, rehearse, run};
use crate::llm::{DIALECTS, options};
use crate::script::{Said, Script};
use crate::server::{Server, reply};

const TEXT: &str = "had tea with bo in lisbon";

/// Names what stands in the text, and what does not.
fn names() -> Script {
    let named = |name: &str, kind: &str| json!({"text": 1, "name": name, "type": kind});
    let names = [named("bo", "person"), named("lisbon", "location"), named("Porto", "location")];
    play("bo in lisbon", vec![Said::Value(json!({"names": names}))])
}

fn named(memory: &Memory) -> Vec<(&str, EntityType)> {
    let mut names: Vec<_> =
        memory.entities.iter().map(|name| (name.alias.as_str(), name.entity_type)).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_model_names_what_stands_in_a_text() {
    for dialect in DIALECTS {
        let house = House::new();
        house.fact(TEXT);
        let before = house.contents();
        let script = names();
        let engine = house.asking(options(script.url(), dialect));
        let [piece] = &rehearse(&engine, Task::Enrich)[..] else { panic!() };
        assert!(piece.estimate.is_some() && script.requests().is_empty());
        let job = run(&engine, Task::Enrich);
        assert_eq!((job.state, job.counts.updated), (JobState::Completed, 1));
        let [memory] = &house.everything()[..] else { panic!() };
        let expected = [("bo", EntityType::Person), ("lisbon", EntityType::Location)];
        assert_eq!((named(memory), memory.content.as_str()), (expected.to_vec(), TEXT));
        assert_eq!((amounts(&house.spending()), house.waiting(Stage::Enriched)), (vec![COST], 0));
        house.check_on_record(&job);
        run(&engine, Task::Enrich);
        assert_eq!(script.requests().len(), 1, "once");
        block_on(engine.undo(&keeper(), &job.id, Undoing::default())).unwrap();
        assert_eq!(house.contents(), before);
    }
}

#[test]
fn a_server_that_fails_leaves_names_to_be_found() {
    let house = House::new();
    house.fact(TEXT);
    let before = house.everything();
    let server = Server::start(|_, stream| reply(stream, 500, &[], b"oh"));
    let failed = run(&house.asking(options(server.url() + "/v1", DIALECTS[0])), Task::Enrich);
    assert_eq!((failed.state, house.everything()), (JobState::Failed, before));
    assert_eq!((house.waiting(Stage::Enriched), house.spending()), (1, vec![]));
    house.check_on_record(&failed);
    run(&house.asking(options(names().url(), DIALECTS[0])), Task::Enrich);
    assert_eq!(named(&house.everything()[0]).len(), 2);
}

/// Finds nothing, however hard it looks.
struct Judge;

impl Recogniser for Judge {
    fn name(&self) -> &'static str {
        "judge"
    }

    fn cost(&self) -> Cost {
        Cost::Accurate
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn recognise(&self, _: &str) -> Vec<Span> {
        Vec::new()
    }
}

#[test]
fn where_somebody_else_judges_a_model_is_not_asked() {
    let house = House::new();
    house.fact(TEXT);
    let script = names();
    let judge: Arc<dyn Recogniser> = Arc::new(Judge);
    let engine = house
        .asking(options(script.url(), DIALECTS[0]))
        .with_recognisers(Pipeline::accurate([judge]));
    let job = run(&engine, Task::Enrich);
    assert_eq!((job.state, job.counts.updated), (JobState::Completed, 0));
    assert_eq!((script.requests().len(), house.spending()), (0, vec![]));
}
