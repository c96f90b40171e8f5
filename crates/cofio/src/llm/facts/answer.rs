//! What a model answers with: facts, field by field.

use serde::Deserialize;
use serde_json::Value;

use super::MOST_TURNS;
use crate::lifecycle::extraction::{FactType, Standing};
use crate::llm::Shape;

/// The most facts of one answer.
const MOST_FACTS: usize = 40;

/// Returns what an answer looks like; the same for every portion, so that servers prepare it once.
pub(super) fn shape() -> Shape {
    let turn = Shape::number_of(MOST_TURNS);
    let fact = Shape::Object(vec![
        ("content", Shape::Text(400)),
        ("subject", Shape::Text(100)),
        ("attribute", Shape::Text(60)),
        ("value", Shape::maybe(Shape::Text(200))),
        ("single", Shape::Flag),
        ("type", Shape::Word(FactType::NAMES)),
        ("standing", Shape::Word(Standing::NAMES)),
        ("corrects", Shape::Flag),
        ("evidence", Shape::list(turn, 10)),
        ("quote", Shape::Text(400)),
    ]);
    Shape::Object(vec![("facts", Shape::list(fact, MOST_FACTS))])
}

/// A fact as a model gives it; nobody has looked at it yet.
#[derive(Deserialize)]
pub(super) struct Claim {
    pub content: String,
    pub subject: String,
    pub attribute: String,
    pub value: Option<String>,
    pub single: bool,
    #[serde(rename = "type")]
    pub fact_type: String,
    pub standing: String,
    pub corrects: bool,
    pub evidence: Vec<usize>,
    pub quote: String,
}

/// Returns the facts of an answer; one of another shape has none.
pub(super) fn claims(answer: &Value) -> Vec<Claim> {
    let fits = shape().check(answer).is_ok();
    let facts = answer.get("facts").filter(|_| fits);
    facts.and_then(|facts| Vec::deserialize(facts).ok()).unwrap_or_default()
}
