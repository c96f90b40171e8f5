//! What records of Chroma say, and by what they are found.

use std::f32::consts::TAU;

use cofio::model::{Kind, Scope, State};
use cofio::shelf::{Labels, Slot, Within};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::naming;

/// What is kept with every record.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    /// What the slot is called among all.
    pub slot: String,
    /// Whether an assistant said it.
    pub assistant: bool,
    /// Which passage of its slot it is, if it is one.
    #[serde(default)]
    pub passage: Option<u64>,
}

/// Returns what is kept with the records of a slot.
pub fn metadata(slot: &Slot, labels: &Labels) -> Map<String, Value> {
    let fields = json!({
        "scope": naming::tag(&slot.scope),
        "slot": naming::whole(slot),
        "layer": slot.scope.layer().as_str(),
        "held": held(&slot.scope, labels.state),
        "kind": labels.kind.as_str(),
        "state": labels.state.as_str(),
        "assistant": labels.assistant,
        "event_at": labels.event_at.as_microsecond(),
    });
    fields.as_object().cloned().unwrap_or_default()
}

/// Returns how the records of a scope are found that are in a state.
///
/// Chroma looks at everything that each part of a filter finds, and nearly all there is is active.
fn held(scope: &Scope, state: State) -> String {
    format!("{} {}", naming::tag(scope), state.as_str())
}

/// Returns what the record of a passage is called.
pub fn passage(slot: &Slot, number: usize) -> String {
    format!("{}#{number}", naming::whole(slot))
}

/// Returns what the slot of a record is called.
pub fn slot_name(record: &str) -> &str {
    record.split('#').next().unwrap_or(record)
}

/// Finds the records of scopes.
pub fn in_scopes(scopes: &[Scope]) -> Value {
    json!({ "scope": { "$in": scopes.iter().map(naming::tag).collect::<Vec<_>>() } })
}

/// Finds the records of slots, which all name their scope.
pub fn in_slots(slots: &[Slot]) -> Value {
    json!({ "slot": { "$in": slots.iter().map(naming::whole).collect::<Vec<_>>() } })
}

/// Finds the records of slots from a passage on.
pub fn from_passage(slots: &[Slot], number: usize) -> Value {
    json!({ "$and": [in_slots(slots), { "passage": { "$gte": number } }] })
}

/// Finds what is within.
pub fn within(within: &Within) -> Value {
    let held_in = |state: &State| -> Vec<String> {
        within.scopes.iter().map(|scope| held(scope, *state)).collect()
    };
    let mut all = vec![match within.states.as_slice() {
        [] => in_scopes(&within.scopes),
        states => json!({ "held": { "$in": states.iter().flat_map(held_in).collect::<Vec<_>>() } }),
    }];
    if !within.kinds.is_empty() {
        let kinds: Vec<&str> = within.kinds.iter().copied().map(Kind::as_str).collect();
        all.push(json!({ "kind": { "$in": kinds } }));
    }
    // Chroma wants two or more.
    if all.len() == 1 { all.remove(0) } else { json!({ "$and": all }) }
}

/// Returns the slot of a record, if it belongs to one of the scopes.
pub fn slot(scopes: &[Scope], name: &str) -> Option<Slot> {
    let (tag, rest) = name.split_once(':')?;
    let scope = scopes.iter().find(|scope| naming::tag(scope) == tag)?;
    naming::slot(scope, rest)
}

/// Returns the vector that Chroma wants of every record, for a text that has none.
///
/// Those of different slots are different, as an index of equals would be slow.
pub fn direction(slot: &Slot) -> [f32; 2] {
    let name = naming::hashed(&naming::whole(slot));
    let place = u16::from_str_radix(&name[..4], 16).unwrap_or_default();
    let angle = f32::from(place) / 65_536.0 * TAU;
    [angle.cos(), angle.sin()]
}
