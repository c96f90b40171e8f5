//! What cases are made of besides names and times: slots, contents, labels and vectors.

use crate::model::{Fingerprint, Kind, Meaning, Scope, State, Timestamp};
use crate::shelf::{Content, Embedded, Labels, Slot};
use crate::store::conformance::fixtures::{content, id, moment, user};

/// How many dimensions the vectors of the cases have.
const DIMENSIONS: usize = 64;

pub(super) fn alice() -> Scope {
    user("alice")
}

pub(super) fn bob() -> Scope {
    user("bob")
}

/// Returns the slot of the first edition of a memory.
pub(super) fn slot(scope: &Scope, number: u64) -> Slot {
    edition(scope, number, 1)
}

pub(super) fn edition(scope: &Scope, number: u64, edition: u64) -> Slot {
    Slot { scope: scope.clone(), id: id(number), edition }
}

pub(super) fn text(slot: &Slot, text: &str) -> Content {
    Content { slot: slot.clone(), text: content(text), labels: labels() }
}

pub(super) fn labels() -> Labels {
    Labels {
        kind: Kind::Fact,
        state: State::Active,
        assistant: false,
        event_at: moment(0),
        ends_at: None,
    }
}

pub(super) fn ending(ends_at: Timestamp) -> Labels {
    Labels { ends_at: Some(ends_at), ..labels() }
}

/// Returns a moment that has passed, whatever time it is.
pub(super) fn long_ago() -> Timestamp {
    Timestamp::from_second(946_684_800).expect("2000 is a year")
}

/// Returns a moment that has not come, whatever time it is.
pub(super) fn in_centuries() -> Timestamp {
    Timestamp::from_second(16_725_225_600).expect("2500 is a year")
}

pub(super) fn model() -> Fingerprint {
    Fingerprint::new("model-1/2").expect("cases use valid fingerprints")
}

pub(super) fn other_model() -> Fingerprint {
    Fingerprint::new("openai:http://a.example/v1#model/2").expect("cases use valid fingerprints")
}

/// Returns the direction whose cosine to [`question`] is this.
pub(super) fn towards(cosine: f32) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    (vector[0], vector[1]) = (cosine, (1.0 - cosine * cosine).sqrt());
    vector
}

pub(super) fn question() -> Meaning {
    Meaning { fingerprint: model(), vector: towards(1.0) }
}

/// Returns passages whose cosines to the question are these.
pub(super) fn near(slot: &Slot, cosines: &[f32]) -> Embedded {
    near_as(slot, cosines, labels())
}

pub(super) fn near_as(slot: &Slot, cosines: &[f32], labels: Labels) -> Embedded {
    let vectors = cosines.iter().copied().map(towards).collect();
    Embedded { slot: slot.clone(), labels, vectors }
}
