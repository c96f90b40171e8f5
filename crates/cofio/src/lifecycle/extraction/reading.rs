//! Reads a turn: sentence by sentence, clause by clause, for whom and what it is about.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::clause::{self, Clause, Mood};
use super::fitting::Said;
use super::language::Language;
use super::own_words::foreign;
use super::predicate::Verbal;
use super::relations::relations;
use super::sentence::{Reality, Sentence, sentences};
use super::subject::{Finder, Found, Subject};
use super::telling::{Telling, trimmed};
use super::tokens::{Token, tokens};
use super::verbs::Form;
use super::{Candidate, Standing, Turn};
use crate::retrieval::dates::mentioned;

/// Reads one turn.
pub(super) struct Reader<'a> {
    turn: &'a Turn<'a>,
    language: &'a Language,
    telling: Telling<'a>,
    day: Date,
    /// Whether the speaker writes without capitals.
    lowercase: bool,
    /// Whom "she" or "he" would mean.
    antecedent: Option<Subject>,
    found: Vec<Candidate>,
}

impl<'a> Reader<'a> {
    /// Starts to read a turn.
    pub fn new(turn: &'a Turn<'a>, language: &'a Language) -> Self {
        let telling = Telling { turn, language };
        let day = turn.said_at.to_zoned(TimeZone::UTC).date();
        let first = turn.text.trim_start().chars().next();
        let lowercase = first.is_some_and(char::is_lowercase);
        Self { turn, language, telling, day, lowercase, antecedent: None, found: Vec::new() }
    }

    /// Returns what the turn tells.
    pub fn read(mut self) -> Vec<Candidate> {
        let tokens = tokens(self.turn.text, &foreign(self.turn.text), self.language);
        for sentence in sentences(&tokens, self.language) {
            if sentence.reality != Reality::Unreal {
                self.sentence(&sentence);
            }
        }
        self.found
    }

    fn sentence(&mut self, sentence: &Sentence<'_>) {
        let clauses = clause::stated(sentence.tokens, sentence.question, self.language);
        if sentence.question || !clauses.is_empty() {
            for relation in relations(sentence.tokens, self.turn.text, self.language) {
                let tokens = &sentence.tokens[relation.tokens.clone()];
                self.introduce(relation.noun, relation.name, tokens);
            }
        }
        if sentence.reality == Reality::Hearsay {
            return;
        }
        let mut before: Option<Found> = None;
        let mut complete = true;
        for clause in &clauses {
            let tokens = &sentence.tokens[clause.tokens.clone()];
            let shared = before.filter(|_| clause.joined || !complete);
            before = self.clause(tokens, clause, shared);
            // A name between commas parts a subject from its predicate: "my son, Leo, is six".
            complete = before.as_ref().is_none_or(|found| found.end < trimmed(tokens));
        }
    }

    /// Adds who is what to the speaker.
    fn introduce(&mut self, relation: String, name: String, tokens: &[Token]) {
        self.found.push(self.telling.relation(&relation, &name, tokens));
        self.antecedent = Some(Subject::Named { name, relation: Some(relation) });
    }

    /// Reads a clause, and returns whom it is about.
    fn clause(
        &mut self,
        tokens: &[Token],
        clause: &Clause,
        before: Option<Found>,
    ) -> Option<Found> {
        let (start, corrects) = self.skip_openers(tokens);
        let finder = Finder {
            tokens,
            text: self.turn.text,
            antecedent: self.antecedent.as_ref(),
            language: self.language,
        };
        if let Some((noun, be)) = finder.named_favourite(start) {
            let said = self.said(tokens, start);
            let clear = !said.is_vague() && !self.language.class("empty").has(&tokens[start].word);
            let fact = || self.telling.favourite(&noun, &tokens[start..be], tokens);
            self.found.extend(clear.then(fact).flatten());
            return None;
        }
        let led = || finder.find(self.after_lead(tokens, start)?);
        let shared = || {
            let before = before.filter(|before| self.agrees(tokens, start, &before.subject))?;
            Some(Found { end: start, ..before })
        };
        let left_out = || self.left_out(tokens, start);
        let found = finder.find(start).or_else(led).or_else(shared).or_else(left_out)?;
        self.state(tokens, start, &found, corrects, clause.mood);
        if let Subject::Relative(_) | Subject::Named { .. } = found.subject {
            self.antecedent = Some(found.subject.clone());
        }
        Some(found)
    }

    fn said<'t>(&self, tokens: &'t [Token], start: usize) -> Said<'t>
    where
        'a: 't,
    {
        let text = self.telling.text(tokens).unwrap_or_default();
        let mentions = mentioned(text, self.day);
        let days = match mentions.as_slice() {
            [mention] if mention.relative => Some(mention.days),
            _ => None,
        };
        let dated = !mentions.is_empty();
        let (lowercase, language) = (self.lowercase, self.language);
        Said { tokens, start, dated, days, lowercase, language }
    }

    /// Adds what a clause states, if it fits a frame.
    fn state(&mut self, tokens: &[Token], start: usize, about: &Found, corrects: bool, mood: Mood) {
        let said = self.said(tokens, start);
        if said.is_vague() {
            return;
        }
        for mut predicate in Verbal::read(tokens, about.end, self.language) {
            let ended = || self.language.class("over after not").occurs(&tokens[predicate.at..]);
            predicate.over |= predicate.negated && ended();
            let fits = said.fits(&predicate, &about.subject);
            let Some(first) = fits.first() else { continue };
            if mood == Mood::Recalled && first.standing != Standing::Over {
                return;
            }
            for fit in &fits {
                if let Some((relation, name)) = self.telling.named(about, fit, tokens) {
                    self.introduce(relation, name, tokens);
                } else {
                    let fact = self.telling.fact(&said, about, &predicate, fit, corrects);
                    self.found.extend(fact);
                }
            }
            return;
        }
    }

    /// Returns where the speaker is named after words that say when or where: "since March I …".
    fn after_lead(&self, tokens: &[Token], start: usize) -> Option<usize> {
        let leads = |at: usize| self.language.class("lead").begins(&tokens[at..]).is_some();
        let begin =
            if leads(start) { start } else { start.checked_sub(1).filter(|at| leads(*at))? };
        let speaker = |token: &Token| self.language.class("speaker").has(&token.word);
        let length = tokens[begin..].iter().take(6).position(speaker)?;
        let plain = |token: &Token| !token.is_mark() && !self.language.class("be").has(&token.word);
        tokens[begin..begin + length].iter().all(plain).then_some(begin + length)
    }

    /// Tells whether the verb at a place can go with a subject that stands before.
    fn agrees(&self, tokens: &[Token], start: usize, subject: &Subject) -> bool {
        let at = self.language.skip_adverbs(tokens, start);
        let Some(word) = tokens.get(at).map(|token| token.word.as_str()) else { return false };
        let form = self.language.verbs.finite(word).map(|(_, form)| form);
        let next = tokens.get(at + 1).map_or("", |token| token.word.as_str());
        let leads =
            ["preposition", "determiner"].iter().any(|class| self.language.class(class).has(next));
        if self.language.class("also noun").has(word) && !leads && !next.ends_with("ing") {
            return false;
        }
        match (subject, form) {
            (_, Some(Form::Past)) => true,
            (Subject::Speaker, form) => {
                form == Some(Form::Base) || matches!(word, "am" | "are" | "will")
            }
            (_, form) => form == Some(Form::Third) || matches!(word, "is" | "has" | "will"),
        }
    }

    /// Skips what may stand before a statement, and notes whether something is put right.
    fn skip_openers(&self, tokens: &[Token]) -> (usize, bool) {
        let (mut at, mut corrects) = (0, false);
        while at < tokens.len() {
            let rest = &tokens[at..];
            if let Some(length) = self.language.class("correcting opener").begins(rest) {
                corrects = true;
                at += length;
            } else if let Some(length) = self
                .language
                .class("keeping")
                .begins(rest)
                .or_else(|| self.language.class("opener").begins(rest))
            {
                at += length;
            } else if tokens[at].is_mark() || tokens[at].word == "when" {
                at += 1;
            } else {
                break;
            }
        }
        (at, corrects)
    }

    /// Reads "just finished …", "call me …" and "let us …" as said of the speaker.
    fn left_out(&self, tokens: &[Token], start: usize) -> Option<Found> {
        let asks = self.language.class("asking").begins(&tokens[start..]).is_some();
        if asks {
            return Some(Found { subject: Subject::Speaker, end: start, by_pronoun: false });
        }
        let just = tokens.get(start)?.word == "just";
        let past = self.language.verbs.base(&tokens.get(start + 1)?.word, Form::Past).is_some();
        (just && past).then_some(Found { subject: Subject::Speaker, end: start, by_pronoun: false })
    }
}
