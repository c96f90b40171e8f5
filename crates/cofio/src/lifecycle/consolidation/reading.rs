//! Reads what a memory that is kept already states.

use std::ops::Range;

use super::statement::Statement;
use super::{CORRECTS, Owner, SAID_AT, STANDING, VALUES};
use crate::lifecycle::extraction::{Candidate, FactType, Standing, Turn, Values, extract};
use crate::model::{Fraction, Memory, Timestamp, Triple};

/// Returns what a memory states, and whether that is all it says.
///
/// It is what the memory says of itself, or what its text tells.
pub(super) fn statements(memory: &Memory, owner: &Owner) -> (Vec<Statement>, bool) {
    let (candidates, complete) = match &memory.triple {
        Some(triple) => (vec![stated(memory, triple)], true),
        None => told(memory, owner),
    };
    let statements = candidates.iter().map(|candidate| Statement::new(candidate, owner)).collect();
    (statements, complete)
}

/// Returns when a fact was last said.
///
/// What was not found in a conversation was said when it was written down, whenever that what it tells
/// of happened.
pub(super) fn said_at(memory: &Memory) -> Timestamp {
    if memory.provenance.derived_from.is_empty() {
        return memory.created_at;
    }
    let noted = memory.metadata.custom.get(SAID_AT).and_then(|noted| noted.as_str()?.parse().ok());
    noted.unwrap_or(memory.event_at)
}

/// Returns the candidate that a fact was made of, as far as it tells what is stated.
fn stated(memory: &Memory, triple: &Triple) -> Candidate {
    let noted = |name: &str| memory.metadata.custom.get(name)?.as_str();
    let single = noted(VALUES) == Some(Values::One.as_str());
    Candidate {
        content: memory.content.as_str().to_owned(),
        subject: triple.subject.clone(),
        attribute: triple.predicate.clone(),
        values: if single { Values::One } else { Values::Many },
        value: triple.object.clone(),
        fact_type: triple.fact_type.parse().unwrap_or(FactType::Event),
        standing: noted(STANDING).and_then(|name| name.parse().ok()).unwrap_or(Standing::Holds),
        corrects: memory.metadata.custom.get(CORRECTS) == Some(&true.into()),
        days: None,
        confidence: Fraction::ONE,
        evidence: Vec::new(),
    }
}

/// Returns what the text of a memory tells that somebody wrote by hand, and whether that is one thing
/// and nothing besides.
fn told(memory: &Memory, owner: &Owner) -> (Vec<Candidate>, bool) {
    let text = memory.content.as_str();
    let own = owner.first_person(text);
    let text = own.as_deref().unwrap_or(text);
    let said_at = said_at(memory);
    let told = extract(&[Turn { id: &memory.id, assistant: false, speaker: None, said_at, text }]);
    let complete = match &told[..] {
        [only] => only.evidence.iter().any(|place| is_all(text, &place.bytes)),
        _ => false,
    };
    (told, complete)
}

/// Tells whether there are no words in a text besides those in a part of it.
fn is_all(text: &str, part: &Range<usize>) -> bool {
    let besides = [text.get(..part.start), text.get(part.end..)];
    !besides.into_iter().flatten().any(|rest| rest.contains(char::is_alphanumeric))
}
