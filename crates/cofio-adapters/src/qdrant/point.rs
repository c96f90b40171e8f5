//! What points of Qdrant say, what they are called, and by what they are found.

use std::collections::HashMap;

use cofio::model::{Kind, Scope, State};
use cofio::shelf::{Labels, Slot, Within};
use qdrant_client::qdrant::value::Kind as Told;
use qdrant_client::qdrant::{Condition, Filter, PayloadIncludeSelector, PointId, Range, Value};

use crate::naming;

/// What is kept with a point.
pub type Payload = HashMap<String, Value>;

/// Returns what is kept with the points of a slot.
pub fn payload(slot: &Slot, labels: &Labels) -> Payload {
    let fields = [
        ("scope", naming::tag(&slot.scope).into()),
        ("slot", naming::whole(slot).into()),
        ("layer", slot.scope.layer().as_str().into()),
        ("kind", labels.kind.as_str().into()),
        ("state", labels.state.as_str().into()),
        ("assistant", labels.assistant.into()),
        ("event_at", labels.event_at.as_microsecond().into()),
    ];
    fields.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into()
}

/// Returns what the point of a text is called.
pub fn of_text(slot: &Slot) -> PointId {
    id(&naming::whole(slot))
}

/// Returns what the point of a passage is called.
pub fn of_passage(slot: &Slot, number: usize) -> PointId {
    id(&format!("{}#{number}", naming::whole(slot)))
}

/// Turns a name into the only form that points can be called by, a UUID of our own making.
fn id(name: &str) -> PointId {
    let hash = naming::hashed(name);
    let parts = (&hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..]);
    format!("{}-{}-8{}-8{}-{}", parts.0, parts.1, parts.2, parts.3, parts.4).into()
}

/// Asks for some of what is kept with points.
pub fn fields(names: &[&str]) -> PayloadIncludeSelector {
    PayloadIncludeSelector { fields: names.iter().map(|&name| name.to_owned()).collect() }
}

/// Returns a text that is kept with a point.
pub fn text<'a>(payload: &'a Payload, name: &str) -> Option<&'a str> {
    match payload.get(name)?.kind.as_ref()? {
        Told::StringValue(text) => Some(text),
        _ => None,
    }
}

/// Returns a number that is kept with a point.
pub fn number(payload: &Payload, name: &str) -> Option<i64> {
    match payload.get(name)?.kind.as_ref()? {
        Told::IntegerValue(number) => Some(*number),
        _ => None,
    }
}

/// Returns whether something is said to hold of a point.
pub fn holds(payload: &Payload, name: &str) -> bool {
    matches!(payload.get(name).and_then(|value| value.kind.as_ref()), Some(Told::BoolValue(true)))
}

/// Finds the points of scopes.
pub fn in_scopes(scopes: &[Scope]) -> Condition {
    Condition::matches("scope", scopes.iter().map(naming::tag).collect::<Vec<_>>())
}

/// Finds the points of slots, whose names all name their scope.
pub fn in_slots(names: impl IntoIterator<Item = String>) -> Condition {
    Condition::matches("slot", names.into_iter().collect::<Vec<_>>())
}

/// Finds passages from a number on.
pub fn from_passage(number: usize) -> Condition {
    Condition::range("passage", Range { gte: Some(number as f64), ..Range::default() })
}

/// Finds what is within.
pub fn within(within: &Within) -> Filter {
    let mut all = vec![in_scopes(&within.scopes)];
    if !within.kinds.is_empty() {
        let kinds = within.kinds.iter().copied().map(Kind::as_str).map(ToOwned::to_owned);
        all.push(Condition::matches("kind", kinds.collect::<Vec<String>>()));
    }
    if !within.states.is_empty() {
        let states = within.states.iter().copied().map(State::as_str).map(ToOwned::to_owned);
        all.push(Condition::matches("state", states.collect::<Vec<String>>()));
    }
    Filter::must(all)
}
