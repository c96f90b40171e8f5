//! Fits what is said of a subject into the frames.

use std::ops::Range;

use super::Standing;
use super::frame::{Aspect, Frame, Part};
use super::language::Language;
use super::predicate::{ANY_VERB, Predicate, Tense};
use super::slots::Following;
use super::subject::{Subject, kind_of};
use super::tokens::{Kind, Token};
use crate::retrieval::dates::Days;

/// A clause as it is fitted.
pub(super) struct Said<'a> {
    /// Its words and marks.
    pub tokens: &'a [Token],
    /// Where it begins after "well" and "by the way".
    pub start: usize,
    /// Whether it says when.
    pub dated: bool,
    /// The days that are meant, if they are counted from the day it was said.
    pub days: Option<Days>,
    /// Whether the speaker writes without capitals.
    pub lowercase: bool,
    /// The tables.
    pub language: &'a Language,
}

/// How a predicate fits a frame.
pub(super) struct Fit<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Which tokens are the value.
    pub value: Range<usize>,
    /// Whether it holds.
    pub standing: Standing,
    /// Whether it is to come.
    pub plan: bool,
}

impl<'a> Said<'a> {
    /// Tells whether a clause is doubtful, about the one who is spoken to, or about something that
    /// only the conversation shows.
    pub fn is_vague(&self) -> bool {
        let said = &self.tokens[self.start..];
        self.language.class("doubt").occurs(said)
            || self.language.class("you").occurs(said)
            || said.iter().any(|token| token.kind == Kind::Foreign)
            || self.points(said)
    }

    /// Tells whether words point at something that only the conversation shows: "to that world".
    fn points(&self, tokens: &[Token]) -> bool {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
        let end = tokens.iter().position(Token::separates).unwrap_or(tokens.len());
        (1..end).any(|at| match word(at) {
            "them" | "those" | "these" | "here" | "there" | "it" => true,
            "this" => !self.language.class("time").has(word(at + 1)),
            "that" => self.language.class("preposition").has(word(at - 1)),
            _ => false,
        })
    }

    /// Returns the frames that a predicate fits, of different headings: "a dog and two children".
    pub fn fits(&self, predicate: &Predicate, subject: &Subject) -> Vec<Fit<'a>> {
        let Some(first) = self.fit(predicate, subject, predicate.at + 1) else {
            return Vec::new();
        };
        let heading = first.frame.heading;
        let joins = |at: &usize| self.tokens[*at].word == "and";
        let places = (first.value.end..self.tokens.len()).filter(joins).take(4);
        let more = places.filter_map(|at| self.fit(predicate, subject, at + 1));
        let others: Vec<Fit<'_>> =
            more.filter(|fit| fit.frame.heading != heading && !self.names(fit)).collect();
        std::iter::once(first).chain(others).collect()
    }

    /// Tells whether a fit is a name, which nobody is told in passing.
    fn names(&self, fit: &Fit<'_>) -> bool {
        self.language.heading(fit.frame).attribute == "name"
    }

    /// Returns the first frame that a predicate fits, if what follows the verb begins at `start`.
    fn fit(&self, predicate: &Predicate, subject: &Subject, start: usize) -> Option<Fit<'a>> {
        let language = self.language;
        let frames = match subject {
            _ if predicate.verb == ANY_VERB => &[],
            Subject::Noun { noun, .. } if predicate.verb == "be" => {
                language.noun_frames(kind_of(noun))
            }
            Subject::Noun { .. } => &[],
            _ => language.frames(predicate.verb),
        };
        let repeats = *subject == Subject::Speaker && self.repeats(predicate.at);
        let repeated = if repeats { language.frames(ANY_VERB) } else { &[] };
        let stranger = matches!(subject, Subject::Named { relation: None, .. });
        let mut frames = frames.iter().chain(repeated);
        frames.find_map(|frame| {
            let meant = !stranger || language.heading(frame).anyone;
            let (standing, plan) = standing(frame, predicate).filter(|_| meant)?;
            let value = self.value(start, &frame.parts)?;
            Some(Fit { frame, value, standing, plan })
        })
    }

    /// Tells whether a word after the subject can be something that is done again and again.
    fn repeats(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let plain = token.kind == Kind::Word { capital: false };
        let finite = !token.word.ends_with("ed") && !token.word.ends_with("ing");
        let classes = ["no habit", "modal", "preposition", "empty", "determiner"];
        let other = classes.iter().any(|class| self.language.class(class).has(&token.word));
        plain && finite && !other
    }

    /// Returns where the value of a frame stands, if all of its parts follow each other.
    fn value(&self, start: usize, parts: &[Part]) -> Option<Range<usize>> {
        let Self { tokens, lowercase, dated, language, .. } = *self;
        let following = Following { tokens, lowercase, dated, language };
        let mut at = start;
        let mut value = start..start;
        for part in parts {
            let places = [at, language.skip_adverbs(tokens, at)];
            match part {
                Part::Words { words, optional } => {
                    let is_word = |token: &Token| words.contains(&token.word.as_str());
                    let fits = |at: &usize| tokens.get(*at).is_some_and(is_word);
                    match places.into_iter().find(fits) {
                        Some(place) => at = place + 1,
                        None if *optional => {}
                        None => return None,
                    }
                }
                Part::Slot(name) => {
                    let filled = |at| Some((at, following.fill(name, at)?));
                    let (from, length) = places.into_iter().find_map(filled)?;
                    at = from + length;
                    if length > 0 {
                        value = from..at;
                    }
                }
            }
        }
        Some(value)
    }
}

/// Returns whether something holds, and whether it is a plan.
fn standing(frame: &Frame, predicate: &Predicate) -> Option<(Standing, bool)> {
    let Predicate { tense, over, .. } = *predicate;
    let aspect = frame.aspect;
    let negated = predicate.negated && !frame.denies();
    let coming = matches!(tense, Tense::Future | Tense::Progressive);
    if over {
        return matches!(aspect, Aspect::State | Aspect::Habit).then_some((Standing::Over, false));
    }
    let current = if negated { Standing::Not } else { Standing::Holds };
    match (aspect, tense) {
        (Aspect::Noun, Tense::Present) => Some((current, false)),
        (Aspect::State | Aspect::Habit, Tense::Present | Tense::Progressive | Tense::Perfect) => {
            Some((current, false))
        }
        (Aspect::State, Tense::Past) | (Aspect::End, Tense::Past | Tense::Perfect) if !negated => {
            Some((Standing::Over, false))
        }
        (Aspect::Event, Tense::Past | Tense::Perfect) if !negated => Some((Standing::Holds, false)),
        (Aspect::Event | Aspect::End | Aspect::Plan, _) if coming && !negated => {
            Some((Standing::Holds, true))
        }
        _ => None,
    }
}
