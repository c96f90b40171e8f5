use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use jiff::civil::date;
use pollster::block_on;
use serde_json::json;

use super::*;
use crate::lifecycle::spend::{Cap, Caps, Prices, Standing};
use crate::llm::{Failure, MemoryLedger, Reply};
use crate::model::{Identifier, Scope};

/// What a model does when it is asked.
enum Line {
    Says(String),
    Fails(Charge),
}

fn says(text: &str) -> Line {
    Line::Says(text.to_owned())
}

/// The answer, what was asked each time, and what is in the ledger.
type Seen = (Result<Answer>, Vec<Vec<String>>, Vec<(Cost, Standing)>);

/// A model that says what it was told to say, and remembers what it was asked.
#[derive(Default)]
struct Parrot {
    lines: Mutex<VecDeque<Line>>,
    asked: Mutex<Vec<Vec<String>>>,
}

#[async_trait]
impl Llm for Parrot {
    fn model(&self) -> &'static str {
        "parrot"
    }

    async fn reply(&self, prompt: &Prompt) -> std::result::Result<Reply, Failure> {
        let said = prompt.messages().into_iter().map(|message| message.text).collect();
        self.asked.lock().unwrap().push(said);
        let line = self.lines.lock().unwrap().pop_front();
        match line.expect("asked more often than expected") {
            Line::Says(text) => Ok(Reply { text, charge: Charge::Tokens(USED) }),
            Line::Fails(charge) => {
                Err(Failure { error: Error::new(ErrorKind::Provider, "no"), charge })
            }
        }
    }
}

const USED: Usage = Usage { input: 100, output: 10 };

fn purpose() -> Purpose {
    let scope = Scope::user(Identifier::new("alice").unwrap());
    Purpose { day: date(2026, 3, 1), job: "consolidate".to_owned(), scope }
}

fn prompt() -> Prompt {
    let shape = Shape::Object(vec![("facts", Shape::list(Shape::Text(20), 3))]);
    Prompt::new("Find facts.", Vec::new(), shape)
}

fn budget(tokens: u64) -> Budget {
    let day = Cap { tokens: Some(tokens), money: None };
    let prices = Some(Prices { input: Money(1_000_000), output: Money(2_000_000) });
    Budget { caps: Caps { day, ..Caps::default() }, prices }
}

/// Asks a model with so many tokens a day.
fn ask(tokens: u64, lines: Vec<Line>) -> Seen {
    let parrot = Arc::new(Parrot { lines: Mutex::new(lines.into()), ..Parrot::default() });
    let ledger = Arc::new(MemoryLedger::default());
    let counsel = Counsel::new(parrot.clone(), ledger.clone(), budget(tokens)).unwrap();
    let answer = block_on(counsel.ask(&purpose(), &prompt()));
    let asked = parrot.asked.lock().unwrap().clone();
    let entries = ledger.entries().into_iter().map(|entry| (entry.cost, entry.standing));
    (answer, asked, entries.collect())
}

#[test]
fn an_answer_that_fits_is_taken_and_paid() {
    let (answer, asked, entries) = ask(9_999, vec![says(r#" {"facts": ["tea"]} "#)]);
    let answer = answer.unwrap();
    assert_eq!((answer.value, answer.usage), (json!({"facts": ["tea"]}), USED));
    assert_eq!(asked.len(), 1);
    // 100 tokens at 1 and 10 at 2 for a million.
    assert_eq!(entries, [(Cost { usage: USED, money: Money(120) }, Standing::Settled)]);
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_once_more_with_the_reason() {
    let bad = r#"{"facts": ["tea"], "secret": 1}"#;
    let (answer, asked, entries) = ask(19_999, vec![says(bad), says(r#"{"facts": []}"#)]);
    assert_eq!(answer.unwrap().usage, USED.plus(USED));
    assert_eq!((asked.len(), entries.len()), (2, 2));
    assert_eq!(asked[1][1], bad);
    assert!(asked[1][2].contains("the answer has a field that was not asked for"));
}

#[test]
fn two_answers_that_do_not_fit_are_a_failure_that_repeats_neither() {
    let long = "x".repeat(ANSWER_BYTES + 1);
    for bad in ["secret", "", "{", "```json\n{\"facts\": []}\n```", r#"{"facts": 1}"#, &long] {
        let (answer, asked, entries) = ask(19_999, vec![says(bad), says("\"secret\"")]);
        let error = answer.unwrap_err();
        let expected = "cannot use what parrot answers, twice: the answer has to be an object";
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Provider, expected));
        assert_eq!((asked.len(), entries.len()), (2, 2), "both are paid");
    }
}

#[test]
fn one_who_asks_the_same_again_pays_once() {
    let lines = [says(r#"{"facts": ["tea"]}"#), says(r#"{"facts": []}"#)];
    let parrot = Arc::new(Parrot { lines: Mutex::new(VecDeque::from(lines)), ..Parrot::default() });
    let ledger = Arc::new(MemoryLedger::default());
    let counsel = Counsel::new(parrot.clone(), ledger, budget(100_000)).unwrap();
    let patient = counsel.for_one_piece();
    let other = Prompt { instructions: "Find names.".to_owned(), ..prompt() };
    let ask = |counsel: &Counsel, prompt: &Prompt| {
        block_on(counsel.ask(&purpose(), prompt)).unwrap().value
    };
    let first = ask(&patient, &prompt());
    assert_eq!(ask(&patient, &prompt()), first);
    assert_eq!(parrot.asked.lock().unwrap().len(), 1);
    assert_ne!(ask(&patient, &other), first, "another question has another answer");
    assert_eq!(parrot.asked.lock().unwrap().len(), 2);
}

#[test]
fn what_a_cap_forbids_is_not_asked() {
    let most = prompt().estimate().total();
    let (answer, asked, entries) = ask(most - 1, vec![]);
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::RateLimited);
    assert_eq!((asked.len(), entries.len()), (0, 0));
    // Enough for one call, and not for the second.
    let (answer, asked, entries) = ask(most, vec![says("no")]);
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::RateLimited);
    assert_eq!((asked.len(), entries.len()), (1, 1));
}

#[test]
fn a_failure_costs_what_it_may_have_cost_and_is_not_repaired() {
    let (answer, _, entries) = ask(9_999, vec![Line::Fails(Charge::Nothing)]);
    assert_eq!((answer.unwrap_err().to_string().as_str(), entries.len()), ("no", 0));
    let (_, asked, entries) = ask(9_999, vec![Line::Fails(Charge::Tokens(USED))]);
    assert_eq!((asked.len(), entries[0].0.usage), (1, USED));
    let (_, _, entries) = ask(9_999, vec![Line::Fails(Charge::Unknown)]);
    assert_eq!((entries[0].0.usage, entries[0].1), (prompt().estimate(), Standing::Settled));
}

#[test]
fn whoever_stops_waiting_has_paid() {
    /// A model that never answers.
    struct Silent;

    #[async_trait]
    impl Llm for Silent {
        fn model(&self) -> &'static str {
            "silent"
        }

        async fn reply(&self, _: &Prompt) -> std::result::Result<Reply, Failure> {
            std::future::pending().await
        }
    }

    let ledger = Arc::new(MemoryLedger::default());
    let counsel = Counsel::new(Arc::new(Silent), ledger.clone(), budget(9_999)).unwrap();
    {
        let (purpose, prompt) = (purpose(), prompt());
        let mut asking = Box::pin(counsel.ask(&purpose, &prompt));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(asking.as_mut().poll(&mut context).is_pending());
    }
    let entries = ledger.entries();
    assert_eq!((entries.len(), entries[0].standing), (1, Standing::Reserved));
    assert_eq!(entries[0].cost, counsel.estimate(&prompt()));
}

#[test]
fn without_a_budget_there_is_no_counsel() {
    let nothing = Budget::default();
    let refused = Counsel::new(Arc::<Parrot>::default(), Arc::<MemoryLedger>::default(), nothing);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Configuration);
}
