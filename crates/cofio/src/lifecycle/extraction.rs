//! Finding facts in what people say, without a language model.
//!
//! A turn is cut into sentences, a sentence into clauses, and a clause is read as a subject, verbs
//! and what follows them. Tables say what is worth keeping (`english/frames.txt`) and which words make
//! a statement less than one (`english/words.txt`). Another language is another set of tables, and
//! what it does with verbs and articles, which `verbs`, `predicate`, `rendering` and `slots` know of
//! English. What is not understood is left alone: a fact that is missed can be learnt later, a wrong
//! one is believed.
//!
//! Only what a person says about themselves, about people they know, or about what they decided is
//! taken. What an assistant says is not, even if the user agrees: "yes, let's do that" does not tell
//! which of its words are meant, and a model's words would gain the trust of a person's.

mod class;
mod clause;
mod fitting;
mod frame;
mod language;
mod own_words;
mod predicate;
mod reading;
mod relations;
mod rendering;
mod restating;
mod sentence;
mod slots;
mod subject;
mod telling;
mod tokens;
mod verbs;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Range;

use crate::model::names::names;
use crate::model::{Fraction, MemoryId, Timestamp};
use crate::retrieval::dates::Days;
use language::ENGLISH;
use reading::Reader;
pub(crate) use restating::restates;

/// Whom a fact is about that a speaker without a name tells of themselves.
pub const SPEAKER: &str = "user";

/// Something that was said in a conversation.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The memory it is kept in.
    pub id: &'a MemoryId,
    /// Whether an assistant said it, of whom nothing is taken.
    pub assistant: bool,
    /// What the speaker is called, if that is known.
    pub speaker: Option<&'a str>,
    /// When it was said.
    pub said_at: Timestamp,
    /// What was said.
    pub text: &'a str,
}

/// A fact that may be worth keeping.
#[derive(Clone, PartialEq)]
pub struct Candidate {
    /// The fact in words that stand alone: the speaker's own, about the speaker.
    pub content: String,
    /// Whom or what it is about: `user`, the speaker's name, `user's sister`, or a name.
    pub subject: String,
    /// What it says of the subject, under a name that stays the same: `home`, `favourite colour`.
    pub attribute: String,
    /// Whether a later value takes the place of this one.
    pub values: Values,
    /// The value, as it was said; empty if there is none, as in "I changed jobs".
    pub value: String,
    /// What kind of fact it is.
    pub fact_type: FactType,
    /// Whether it holds.
    pub standing: Standing,
    /// Whether the speaker puts right what was known before.
    pub corrects: bool,
    /// The days it speaks of, if it says so and they can be told.
    pub days: Option<Days>,
    /// How likely it is that this was meant.
    pub confidence: Fraction,
    /// Where it was said.
    pub evidence: Vec<Evidence>,
}

/// Where something was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The memory of the turn.
    pub turn: MemoryId,
    /// The bytes of its text.
    pub bytes: Range<usize>,
}

/// How many values an attribute has at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Values {
    /// One, so that another takes its place.
    One,
    /// Any number.
    Many,
}

names!(Values, "number of values", Invalid, { One => "one", Many => "many" });

/// What kind of fact something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FactType {
    /// Who somebody is.
    Identity,
    /// What somebody likes, dislikes or uses.
    Preference,
    /// What somebody has.
    Possession,
    /// What somebody is going to do.
    Plan,
    /// What people are to each other.
    Relation,
    /// What was decided.
    Decision,
    /// What somebody does again and again.
    Habit,
    /// What happened to somebody.
    Event,
}

names!(FactType, "fact type", Invalid, {
    Identity => "identity", Preference => "preference", Possession => "possession", Plan => "plan",
    Relation => "relation", Decision => "decision", Habit => "habit", Event => "event",
});

/// Whether a fact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It does.
    Holds,
    /// It does not: "I don't eat pork".
    Not,
    /// It did once: "I no longer smoke".
    Over,
}

names!(Standing, "standing", Invalid, { Holds => "holds", Not => "not", Over => "over" });

/// Returns the facts that turns of a conversation tell, in the order of the turns.
///
/// What is said twice is one candidate with the evidence of both. Takes time in proportion to the
/// length of the turns.
pub fn extract(turns: &[Turn<'_>]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut places: HashMap<_, usize> = HashMap::new();
    for turn in turns.iter().filter(|turn| !turn.assistant) {
        for found in Reader::new(turn, &ENGLISH).read() {
            match places.entry(found.statement()) {
                Entry::Occupied(place) => candidates[*place.get()].evidence.extend(found.evidence),
                Entry::Vacant(place) => {
                    place.insert(candidates.len());
                    candidates.push(found);
                }
            }
        }
    }
    candidates
}

impl Candidate {
    /// Returns what is the same if the same is said again.
    fn statement(&self) -> (String, String, Standing, String) {
        let Self { subject, attribute, standing, content, .. } = self;
        (subject.clone(), attribute.clone(), *standing, content.to_lowercase())
    }
}

/// Shows whose and how large it is only: no secret was taken out of it yet.
impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("id", &self.id)
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

/// Shows what kind of fact it is only: no secret was taken out of it yet.
impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("fact_type", &self.fact_type)
            .field("standing", &self.standing)
            .field("bytes", &self.content.len())
            .field("evidence", &self.evidence)
            .finish_non_exhaustive()
    }
}
