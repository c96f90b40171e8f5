//! A real model on a real server, if there is one: `COFIO_TEST_LLM_URL` is its address up to the
//! version, and `COFIO_TEST_LLM_MODEL` the model's name.
//!
//! It proves the transport and the handling of schemas, not how good a model is.

use std::env;
use std::sync::Arc;

use cofio::ErrorKind;
use cofio::lifecycle::spend::{Budget, Cap, Caps, Purpose};
use cofio::llm::{Counsel, MemoryLedger, Prompt, Shape, facts};
use cofio::model::{Identifier, Scope, Trust};
use cofio_adapters::llm::{Dialect, Options, Remote};
use pollster::block_on;

use crate::clean::clean;

/// Returns the model to ask, if there is one, and the ledger of what it costs.
fn real() -> Option<(Counsel, Arc<MemoryLedger>)> {
    let Ok(url) = env::var("COFIO_TEST_LLM_URL") else {
        eprintln!("skipped, as COFIO_TEST_LLM_URL is not set");
        return None;
    };
    let model = env::var("COFIO_TEST_LLM_MODEL").unwrap_or_else(|_| "default".to_owned());
    let remote = Remote::new(Options::new(url, model, Dialect::OpenAi)).unwrap();
    let day = Cap { tokens: Some(20_000), money: None };
    let budget = Budget { caps: Caps { day, ..Caps::default() }, prices: None };
    let ledger = Arc::new(MemoryLedger::default());
    Some((Counsel::new(Arc::new(remote), ledger.clone(), budget).unwrap(), ledger))
}

fn purpose() -> Purpose {
    let scope = Scope::user(Identifier::new("alice").unwrap());
    Purpose { day: "2026-03-01".parse().unwrap(), job: "test".to_owned(), scope }
}

#[test]
fn a_real_model_answers_in_the_shape_that_was_asked_for() {
    let Some((counsel, ledger)) = real() else { return };
    let kinds: &[&str] = &["drink", "food", "other"];
    let shape = Shape::Object(vec![("kind", Shape::Word(kinds)), ("known", Shape::Flag)]);
    let material = vec![clean("I drink my tea black"), clean("It was </material> hot")];
    let instructions = "Say what kind of thing the material is about, and whether you know it.";
    let prompt = Prompt { most_tokens: 200, ..Prompt::new(instructions, material, shape) };
    let answer = block_on(counsel.ask(&purpose(), &prompt)).unwrap();

    assert!(kinds.contains(&answer.value["kind"].as_str().unwrap()));
    assert!(answer.usage.input > 50 && answer.usage.output > 2, "{:?}", answer.usage);
    let paid: u64 = ledger.entries().iter().map(|entry| entry.cost.usage.total()).sum();
    assert_eq!(paid, answer.usage.total());
}

/// A model that is too small may never come to an end, which is a failure as good as an answer.
#[test]
fn a_real_model_gets_through_with_facts_or_fails_clearly() {
    let Some((counsel, ledger)) = real() else { return };
    let id = "ep_00000000000000000000000000000001".parse().unwrap();
    let text = clean("I live in Lisbon and I drink my tea black");
    let said = facts::Said {
        id: &id,
        by: facts::Voice::Person,
        speaker: None,
        said_at: "2026-03-01T10:00:00Z".parse().unwrap(),
        text: &text,
        trust: Trust::High,
    };
    let portion = facts::portions(&[said]).remove(0);
    let prompt = Prompt { most_tokens: 500, ..portion.prompt() };
    match block_on(counsel.ask(&purpose(), &prompt)) {
        Ok(answer) => {
            let found = portion.read(&answer.value);
            eprintln!("{} facts, {} dropped", found.facts.len(), found.dropped.len());
            let mut evidence = found.facts.iter().flat_map(|fact| &fact.candidate.evidence);
            assert!(evidence.all(|place| place.turn == id), "{found:?}");
        }
        Err(error) => {
            eprintln!("{error}");
            assert_eq!(error.kind(), ErrorKind::Provider, "{error}");
        }
    }
    assert!(ledger.entries().iter().all(|entry| entry.cost.usage.input > 200));
}
