//! The sides of a life of which something is told, and how often it changes.

use std::ops::RangeInclusive;

/// A side of a life.
#[derive(Debug)]
pub struct Aspect {
    /// What it is called in what is true.
    pub attribute: &'static str,
    /// The heading of what is said of it.
    pub sayings: &'static str,
    /// What the thing is called in sentences that serve several.
    pub noun: &'static str,
    /// The heading of its values.
    pub values: &'static str,
    /// The heading of what belongs to a value, such as the species to the name of a pet.
    pub extras: &'static str,
    /// How many values hold at a time.
    pub holds: Holds,
    /// Whom it is about.
    pub about: About,
    /// How many values are told of in the first weeks.
    pub at_first: RangeInclusive<u8>,
    /// How often something changes in a year.
    pub changes: RangeInclusive<u8>,
}

/// How many values hold at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// One, so that another takes its place.
    One,
    /// Any number, which come and go.
    Many,
    /// Any number, which pass by themselves on a day.
    UntilADay,
}

/// Whom something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The user.
    User,
    /// A friend whom the user has told of.
    Friend,
}

const fn one(
    attribute: &'static str,
    values: &'static str,
    at_first: RangeInclusive<u8>,
    changes: RangeInclusive<u8>,
) -> Aspect {
    let (noun, extras) = (attribute, "");
    let (holds, about) = (Holds::One, About::User);
    let sayings = attribute;
    Aspect { attribute, sayings, noun, values, extras, holds, about, at_first, changes }
}

const fn many(
    attribute: &'static str,
    values: &'static str,
    at_first: RangeInclusive<u8>,
    changes: RangeInclusive<u8>,
) -> Aspect {
    Aspect { holds: Holds::Many, ..one(attribute, values, at_first, changes) }
}

const fn favourite(
    attribute: &'static str,
    noun: &'static str,
    values: &'static str,
    changes: RangeInclusive<u8>,
) -> Aspect {
    Aspect { sayings: "favourite", noun, ..one(attribute, values, 0..=1, changes) }
}

const fn possession(attribute: &'static str, values: &'static str) -> Aspect {
    Aspect { sayings: "possession", ..one(attribute, values, 0..=1, 0..=2) }
}

const fn relation(
    attribute: &'static str,
    values: &'static str,
    changes: RangeInclusive<u8>,
) -> Aspect {
    Aspect { sayings: "relation", ..one(attribute, values, 0..=1, changes) }
}

const fn friends(
    attribute: &'static str,
    sayings: &'static str,
    values: &'static str,
    changes: RangeInclusive<u8>,
) -> Aspect {
    Aspect { sayings, about: About::Friend, ..one(attribute, values, 0..=1, changes) }
}

/// All sides of a life, those first of which others speak.
pub static ASPECTS: [Aspect; 30] = [
    one("name", "people", 1..=1, 0..=0),
    one("home", "cities", 1..=1, 0..=2),
    one("occupation", "jobs", 1..=1, 0..=1),
    one("employer", "companies", 0..=1, 0..=2),
    one("partner", "people", 0..=1, 0..=1),
    many("friend", "people", 1..=2, 0..=1),
    relation("sister", "women", 0..=0),
    relation("brother", "men", 0..=0),
    relation("boss", "people", 0..=2),
    friends("home", "friend's home", "cities", 0..=2),
    friends("occupation", "friend's occupation", "jobs", 0..=1),
    favourite("favourite band", "band", "bands", 0..=2),
    favourite("favourite dish", "dish", "dishes", 0..=2),
    favourite("favourite drink", "drink", "drinks", 0..=2),
    favourite("favourite colour", "colour", "colours", 0..=1),
    one("diet", "diets", 0..=1, 0..=1),
    one("smoking", "vices", 0..=1, 0..=1),
    possession("car", "cars"),
    possession("phone", "phones"),
    one("editor", "editors", 0..=1, 0..=2),
    Aspect { extras: "species", ..many("pet", "pet names", 0..=2, 0..=2) },
    many("taste", "likes", 1..=3, 1..=3),
    many("dislike", "dislikes", 0..=2, 0..=2),
    many("allergy", "allergies", 0..=1, 0..=1),
    Aspect { extras: "rhythms", ..many("habit", "habits", 1..=2, 1..=4) },
    Aspect { holds: Holds::UntilADay, ..many("plan", "plans", 0..=1, 6..=12) },
    many("project", "projects", 0..=1, 1..=3),
    Aspect { extras: "topics", ..many("decision", "tools", 0..=1, 2..=5) },
    many("skill", "skills", 0..=1, 0..=2),
    many("condition", "conditions", 0..=1, 0..=1),
];

#[cfg(test)]
mod tests {
    use super::super::vocabulary::entries;
    use super::*;

    #[test]
    fn there_are_sentences_and_values_for_every_aspect() {
        for aspect in &ASPECTS {
            let Aspect { sayings, values, extras, at_first, changes, .. } = aspect;
            let begin = entries(&format!("{sayings} begin"));
            assert!(begin.len() >= 3, "{sayings}");
            assert!(begin.iter().all(|saying| saying.contains("value}")), "{sayings}");
            let needed = usize::from(at_first.end() + changes.end());
            assert!(entries(values).len() >= needed.min(30) || *values == "vices", "{values}");
            assert!(extras.is_empty() || !entries(extras).is_empty(), "{extras}");
        }
    }
}
