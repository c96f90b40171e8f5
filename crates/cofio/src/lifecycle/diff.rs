//! What a step changes, for people who decide on it.

use super::plan::Step;
use crate::model::{Fraction, Memory, MemoryId, Timestamp};

/// One field that is different afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which field.
    pub field: &'static str,
    /// What it was, if it was anything.
    pub before: Option<String>,
    /// What it will be, if it will be anything.
    pub after: Option<String>,
}

/// Returns everything that is different after a step, but for the version and the moment.
///
/// Of a memory that is new or gone nothing is listed, as everything would be.
pub fn differences(step: &Step) -> Vec<Difference> {
    let (Some(before), Some(after)) = (&step.before, step.after()) else { return Vec::new() };
    let fields = FIELDS.iter().map(|(field, read)| Difference {
        field,
        before: read(before),
        after: read(after),
    });
    fields.filter(|difference| difference.before != difference.after).collect()
}

/// How a field of a memory is shown.
type Shown = fn(&Memory) -> Option<String>;

/// The fields that a job may change.
const FIELDS: &[(&str, Shown)] = &[
    ("state", |memory| Some(memory.state.to_string())),
    ("confidence", |memory| fraction(memory.metadata.confidence)),
    ("importance", |memory| fraction(memory.metadata.importance)),
    ("decayRate", |memory| Some(memory.decay_rate.to_string())),
    ("validUntil", |memory| moment(memory.valid_until)),
    ("expiresAt", |memory| moment(memory.expires_at)),
    ("supersedes", |memory| id(memory.provenance.supersedes.as_ref())),
    ("supersededBy", |memory| id(memory.provenance.superseded_by.as_ref())),
    ("evidence", |memory| ids(&memory.provenance.derived_from)),
    ("names", names),
    ("tags", |memory| list(memory.metadata.tags.iter().map(String::as_str))),
    ("custom", |memory| {
        let custom = &memory.metadata.custom;
        (!custom.is_empty()).then(|| serde_json::Value::Object(custom.clone()).to_string())
    }),
];

fn fraction(value: Option<Fraction>) -> Option<String> {
    value.map(|value| value.get().to_string())
}

fn moment(moment: Option<Timestamp>) -> Option<String> {
    moment.map(|moment| moment.to_string())
}

fn id(id: Option<&MemoryId>) -> Option<String> {
    id.map(ToString::to_string)
}

fn ids(ids: &[MemoryId]) -> Option<String> {
    list(ids.iter().map(MemoryId::as_str))
}

fn names(memory: &Memory) -> Option<String> {
    let named =
        memory.entities.iter().map(|mention| format!("{} ({})", mention.name, mention.entity_type));
    let named: Vec<String> = named.collect();
    list(named.iter().map(String::as_str))
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let words: Vec<&str> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{after, fact};
    use super::*;
    use crate::model::State;

    #[test]
    fn only_what_is_different_is_listed() {
        let before = fact(1, "tea");
        let mut next = Memory { state: State::Superseded, version: 2, ..before.clone() };
        next.updated_at = after(3);
        next.valid_until = Some(after(2));
        next.metadata.confidence = Fraction::new(0.3).ok();
        let step = Step::update(before.clone(), next, None, "why");
        let found: Vec<String> = differences(&step)
            .into_iter()
            .map(|one| format!("{} {:?} {:?}", one.field, one.before, one.after))
            .collect();
        assert_eq!(
            found,
            [
                r#"state Some("active") Some("superseded")"#,
                r#"confidence None Some("0.3")"#,
                r#"validUntil None Some("2026-03-03T12:00:00Z")"#,
            ]
        );
        assert!(differences(&Step::create(before, None, "why")).is_empty());
    }
}
