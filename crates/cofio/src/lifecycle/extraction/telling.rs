//! Puts into words what was found: the fact, whom it is about, and where it was said.

use super::fitting::{Fit, Said};
use super::language::Language;
use super::predicate::Predicate;
use super::rendering::Rendering;
use super::subject::{FAVOURITE, Found, Subject, kind_of};
use super::tokens::Token;
use super::{Candidate, Evidence, FactType, SPEAKER, Standing, Turn, Values};
use crate::model::Fraction;
use crate::retrieval::dates::Days;

/// How sure a fact is that the speaker states of themselves.
const STATED: f64 = 0.9;

/// How much less sure it is if a pronoun says whom it is about.
const BY_PRONOUN: f64 = 0.2;

/// How much less sure it is if it is about somebody else.
const OF_OTHERS: f64 = 0.1;

/// A fact longer than this, in bytes, is not one.
const LONGEST: usize = 400;

/// Puts what a turn tells into words.
pub(super) struct Telling<'a> {
    /// The turn.
    pub turn: &'a Turn<'a>,
    /// The tables.
    pub language: &'a Language,
}

impl<'a> Telling<'a> {
    /// Returns the fact that a clause states.
    pub fn fact(
        &self,
        said: &Said<'_>,
        about: &Found,
        predicate: &Predicate,
        fit: &Fit<'_>,
        corrects: bool,
    ) -> Option<Candidate> {
        let heading = self.language.heading(fit.frame);
        let owner = about.subject.owner();
        let value = said.tokens.get(fit.value.clone()).and_then(|value| self.text(value));
        let value = value.unwrap_or_default().to_owned();
        let mut content = match heading.attribute {
            "name" if *owner == Subject::Speaker => format!("{}'s name is {value}", self.speaker()),
            _ => self.words(said.tokens, about, predicate),
        };
        content.extend(said.days.map(dates));
        let (attribute, fact_type, values) = match &about.subject {
            _ if fit.plan => ("plan".to_owned(), FactType::Plan, Values::Many),
            Subject::Noun { noun, .. }
                if kind_of(noun) == FAVOURITE || heading.fact_type == FactType::Possession =>
            {
                (noun.clone(), heading.fact_type, heading.values)
            }
            _ => (heading.attribute.replace('-', " "), heading.fact_type, heading.values),
        };
        (content.len() <= LONGEST).then(|| Candidate {
            content,
            subject: self.key(owner),
            attribute,
            values,
            value,
            fact_type,
            standing: fit.standing,
            corrects: corrects || fit.standing == Standing::Over,
            days: said.days,
            confidence: confidence(about),
            evidence: vec![self.evidence(&said.tokens[..trimmed(said.tokens)])],
        })
    }

    /// Returns what somebody whom the clause names is to the speaker: "my wife's name is Ana".
    pub fn named(
        &self,
        about: &Found,
        fit: &Fit<'_>,
        tokens: &[Token],
    ) -> Option<(String, String)> {
        let Subject::Relative(relation) = about.subject.owner() else { return None };
        let name = self.text(tokens.get(fit.value.clone())?)?;
        let names = self.language.heading(fit.frame).attribute == "name";
        names.then(|| (relation.clone(), name.to_owned()))
    }

    /// Returns the fact that somebody is something to the speaker.
    pub fn relation(&self, relation: &str, name: &str, tokens: &[Token]) -> Candidate {
        let single = self.language.class("single").has(relation);
        let values = if single { Values::One } else { Values::Many };
        self.of_speaker(relation, name, FactType::Relation, values, tokens)
    }

    /// Returns what is the speaker's favourite, said the other way around: "teal is my favourite
    /// colour".
    pub fn favourite(&self, noun: &str, value: &[Token], tokens: &[Token]) -> Option<Candidate> {
        let value = self.text(value)?;
        Some(self.of_speaker(noun, value, FactType::Preference, Values::One, tokens))
    }

    fn of_speaker(
        &self,
        attribute: &str,
        value: &str,
        fact_type: FactType,
        values: Values,
        tokens: &[Token],
    ) -> Candidate {
        Candidate {
            content: format!("{}'s {attribute} is {value}", self.speaker()),
            subject: self.key(&Subject::Speaker),
            attribute: attribute.to_owned(),
            values,
            value: value.to_owned(),
            fact_type,
            standing: Standing::Holds,
            corrects: false,
            days: None,
            confidence: fraction(STATED),
            evidence: vec![self.evidence(&tokens[..trimmed(tokens)])],
        }
    }

    /// Returns the words of a clause, said of its subject.
    fn words(&self, tokens: &[Token], about: &Found, predicate: &Predicate) -> String {
        let tokens = &tokens[about.end..trimmed(tokens)];
        if self.language.class("asking").begins(tokens).is_some() {
            let words = self.text(tokens).unwrap_or_default();
            return format!("{} said: {words}", self.speaker());
        }
        let rendering = Rendering {
            text: self.turn.text,
            tokens,
            subject: &self.shown(&about.subject),
            finite: (about.subject == Subject::Speaker).then(|| predicate.finite - about.end),
            language: self.language,
        };
        rendering.write()
    }

    fn speaker(&self) -> String {
        self.turn.speaker.map_or_else(|| "The user".to_owned(), ToOwned::to_owned)
    }

    /// Returns what a subject is called in a sentence.
    fn shown(&self, subject: &Subject) -> String {
        match subject {
            Subject::Speaker => self.speaker(),
            Subject::Relative(noun) => format!("{}'s {noun}", self.speaker()),
            Subject::Named { name, relation: Some(relation) } => {
                format!("{}'s {relation} {name}", self.speaker())
            }
            Subject::Named { name, relation: None } => name.clone(),
            Subject::Noun { owner, noun } => {
                format!("{}'s {}", self.shown(owner), noun.replace('-', " "))
            }
        }
    }

    /// Returns the name by which facts about a subject are found to be about the same.
    fn key(&self, subject: &Subject) -> String {
        match subject {
            Subject::Speaker => self.turn.speaker.unwrap_or(SPEAKER).to_owned(),
            Subject::Relative(noun) => format!("{}'s {noun}", self.turn.speaker.unwrap_or(SPEAKER)),
            Subject::Named { name, .. } => name.clone(),
            Subject::Noun { owner, .. } => self.key(owner),
        }
    }

    fn evidence(&self, tokens: &[Token]) -> Evidence {
        let start = tokens.first().map_or(0, |first| first.bytes.start);
        let end = tokens.last().map_or(start, |last| last.bytes.end);
        Evidence { turn: self.turn.id.clone(), bytes: start..end }
    }

    /// Returns the text that tokens were made of.
    pub fn text(&self, tokens: &[Token]) -> Option<&'a str> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        self.turn.text.get(first.bytes.start..last.bytes.end)
    }
}

/// Returns how likely it is that something was meant.
fn confidence(about: &Found) -> Fraction {
    let others = if *about.subject.owner() == Subject::Speaker { 0.0 } else { OF_OTHERS };
    let pronoun = if about.by_pronoun { BY_PRONOUN } else { 0.0 };
    fraction(STATED - others - pronoun)
}

fn fraction(number: f64) -> Fraction {
    Fraction::new(number).expect("the figures above make no other numbers")
}

/// Returns where a clause ends without the marks after it.
pub(super) fn trimmed(tokens: &[Token]) -> usize {
    tokens.iter().rposition(|token| !token.is_mark()).map_or(0, |last| last + 1)
}

/// Writes the days that "next week" meant when it was said.
fn dates(days: Days) -> String {
    if days.first == days.last {
        return format!(" ({})", days.first);
    }
    format!(" ({} to {})", days.first, days.last)
}
