//! Finding facts in what people say, with a language model.
//!
//! A model is shown turns of one trust only, so that it cannot put the words of somebody who is
//! trusted less into the mouth of somebody who is trusted more. A fact counts if a person said the
//! words that it rests on; and if it says more than those do, it is a conclusion of the model.

mod answer;
mod reading;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

use super::{Counsel, Prompt, material};
use crate::error::Result;
use crate::lifecycle::extraction::{Candidate, Turn};
use crate::lifecycle::spend::Purpose;
use crate::model::{Channel, CleanText, Memory, MemoryId, SourceType, Timestamp, Trust};

/// The most turns that are shown at once.
pub const MOST_TURNS: usize = 30;

/// The most characters of a turn that are shown.
const TURN_CHARS: usize = 8_000;

/// The most characters of turns that are shown at once.
const PORTION_CHARS: usize = 24_000;

const INSTRUCTIONS: &str = "\
Find the facts in a conversation that will still matter in months: who people are, what they like \
and dislike, what they have, plan, decided, do again and again, what happened to them, and who they \
are to each other.

Each line of the material is a turn: in brackets the day it was said and who said it, then what was \
said. Take facts only from what people say, never from what the assistant says; its turns are there \
to understand the others. Leave out questions, guesses, jokes, stories, quotations, code, passwords \
and keys, requests to the assistant, and whatever only matters for the moment. If nothing is worth \
keeping, the list is empty.

For each fact give:
- content: one short sentence that can be understood alone, in the speaker's own words but in the \
third person, with nothing added: \"The user moved to Lisbon in May\". A speaker without a name is \
\"the user\".
- subject: whom or what it is about: \"user\", the speaker's name, \"user's sister\", or a name.
- attribute: what it says of the subject, in one or two words that stay the same for every fact of \
that sort, such as: name, age, birthday, allergy, diet, condition, partner, home, origin, employer, \
occupation, education, language, skill, pet, child, possession, uses, taste, favourite colour, \
trait, decision, plan, habit, event.
- value: the value as it was said, or null.
- single: true if there is one value at a time, so that another takes its place.
- type: the kind of fact.
- standing: holds; not, if it is said not to be so; over, if it was so once.
- corrects: true if the speaker puts right what was said before.
- evidence: the numbers of the turns that say so.
- quote: the words in one of those turns that say so, copied exactly.";

/// Something that was said, as it is shown to a model.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The memory it is kept in.
    pub id: &'a MemoryId,
    /// Who said it.
    pub by: Voice,
    /// What the speaker is called, if that is known.
    pub speaker: Option<&'a str>,
    /// When it was said.
    pub said_at: Timestamp,
    /// What was said.
    pub text: &'a CleanText,
    /// How far it is trusted.
    pub trust: Trust,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// A person, whose word counts.
    Person,
    /// An assistant, a tool or a document, whose word does not.
    Other,
}

impl<'a> Said<'a> {
    /// Returns what a memory of a conversation says.
    pub fn of(memory: &'a Memory) -> Self {
        let told =
            matches!(memory.source.source_type, SourceType::Conversation | SourceType::Manual);
        let role = memory.source.role.as_deref().unwrap_or_default();
        let machine = ["tool", "system", "function", "ai"]
            .iter()
            .any(|machine| role.eq_ignore_ascii_case(machine));
        let person =
            told && !machine && !memory.said_by_assistant() && !memory.source.from_external_content;
        Self {
            id: &memory.id,
            by: if person { Voice::Person } else { Voice::Other },
            speaker: memory.author(),
            said_at: memory.event_at,
            text: &memory.content,
            trust: memory.source.trust(),
        }
    }

    /// Returns what a model gets to see of it.
    fn shown(&self) -> &'a str {
        material::start(self.text.as_str(), TURN_CHARS)
    }

    fn turn(&self) -> Turn<'a> {
        let Self { id, by, speaker, said_at, .. } = *self;
        Turn { id, assistant: by == Voice::Other, speaker, said_at, text: self.shown() }
    }

    fn label(&self) -> &'a str {
        match (self.by, self.speaker) {
            (Voice::Other, _) => "assistant",
            (Voice::Person, Some(name)) => name,
            (Voice::Person, None) => "user",
        }
    }
}

/// Turns that are shown to a model together: all of one trust, some of them said by people.
#[derive(Debug, Clone)]
pub struct Portion<'a> {
    said: Vec<Said<'a>>,
    trust: Trust,
}

/// Splits turns into portions, those that are trusted most first, in the order they were said.
///
/// Where no person says anything there is nothing to find, and no portion.
pub fn portions<'a>(said: &[Said<'a>]) -> Vec<Portion<'a>> {
    let mut portions = Vec::new();
    for trust in Trust::ALL.iter().copied().rev() {
        let equal: Vec<Said<'a>> =
            said.iter().filter(|said| said.trust == trust).copied().collect();
        let mut rest = equal.as_slice();
        while !rest.is_empty() {
            let length = material::fitting(rest.iter().map(Said::shown), MOST_TURNS, PORTION_CHARS);
            let (first, others) = rest.split_at(length);
            if first.iter().any(|said| said.by == Voice::Person) {
                portions.push(Portion { said: first.to_vec(), trust });
            }
            rest = others;
        }
    }
    portions
}

impl<'a> Portion<'a> {
    /// Returns the turns, in the order they were said.
    pub fn said(&self) -> &[Said<'a>] {
        &self.said
    }

    /// Returns how far all of them are trusted.
    pub fn trust(&self) -> Trust {
        self.trust
    }

    /// Returns what a model is asked.
    pub fn prompt(&self) -> Prompt {
        let shown = |said: &Said<'_>| material::labelled(said.said_at, said.label(), said.shown());
        Prompt::new(INSTRUCTIONS, self.said.iter().map(shown).collect(), answer::shape())
    }

    /// Asks a model for the facts that the turns tell.
    pub async fn ask(&self, counsel: &Counsel, purpose: &Purpose) -> Result<Found> {
        let answer = counsel.ask(purpose, &self.prompt()).await?;
        Ok(self.read(&answer.value))
    }

    /// Returns the facts of an answer that the turns support.
    pub fn read(&self, answer: &Value) -> Found {
        reading::read(&self.said, answer)
    }
}

/// What a model found, as far as it can be believed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The facts, in the order of the turns.
    pub facts: Vec<Fact>,
    /// What was wrong with each that is left out.
    pub dropped: Vec<Fault>,
}

/// A fact that a model found.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// What it says, and where that was said.
    pub candidate: Candidate,
    /// Whose words it is in.
    pub basis: Basis,
}

impl Fact {
    /// Returns how far it is trusted, if the turns it rests on are trusted so far.
    pub fn trust(&self, said: Trust) -> Trust {
        match self.basis {
            Basis::OwnWords => said,
            Basis::Conclusion => said.min(Channel::Inference.trust()),
        }
    }
}

/// Whose words a fact is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The speaker's, who said as much.
    OwnWords,
    /// The model's, which may have added something.
    Conclusion,
}

/// Why a fact is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It names no turn, or one that was not shown.
    NoSuchTurn,
    /// It rests on what no person said.
    NobodySaidIt,
    /// The words it quotes do not stand in the turns it names.
    NotQuoted,
    /// It tells an assistant what to do.
    Instructs,
    /// The answer also says the contrary.
    Contradicted,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoSuchTurn => "names a turn that is not there",
            Self::NobodySaidIt => "rests on what no person said",
            Self::NotQuoted => "quotes what was not said",
            Self::Instructs => "tells an assistant what to do",
            Self::Contradicted => "is contradicted by the same answer",
        })
    }
}
