//! Cuts a sentence into clauses, and tells which of them are stated.

use std::ops::Range;

use super::language::Language;
use super::tokens::{Kind, Token};
use super::verbs::Form;

/// A clause of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Which tokens of the sentence it has, without the word that joins it to the one before.
    pub tokens: Range<usize>,
    /// How it is put.
    pub mood: Mood,
    /// Whether "and" or "but" stands before it, so that it may share the subject before it.
    pub joined: bool,
}

/// How a clause is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// It is said for itself.
    Stated,
    /// It is asked.
    Asked,
    /// It is only thought of.
    Conditional,
    /// It says when, of a time that is over: "when I lived in Rome".
    Recalled,
    /// It says when, where or which.
    Subordinate,
}

/// Returns the clauses of a sentence that are stated.
///
/// In a question only what stands before the last part that asks is stated; what follows a condition
/// is as uncertain as the condition is.
pub(super) fn stated(sentence: &[Token], question: bool, language: &Language) -> Vec<Clause> {
    let mut clauses = clauses(sentence, language);
    if clauses.first().is_some_and(|first| first.mood == Mood::Asked) {
        return Vec::new();
    }
    if question {
        let asked = clauses.iter().rposition(|clause| clause.mood == Mood::Asked);
        clauses.truncate(asked.unwrap_or(0));
    }
    if let Some(condition) = clauses.iter().position(|clause| clause.mood == Mood::Conditional) {
        let start = clauses[condition].tokens.start;
        let apart = start > 1 && sentence[..start].iter().rev().take(3).any(Token::is_mark);
        clauses.truncate(if apart { condition } else { condition.saturating_sub(1) });
    }
    clauses.retain(|clause| matches!(clause.mood, Mood::Stated | Mood::Recalled));
    clauses
}

fn clauses(sentence: &[Token], language: &Language) -> Vec<Clause> {
    let mut clauses =
        vec![Clause { tokens: 0..sentence.len(), mood: mood(sentence, language), joined: false }];
    let keeping = (0..sentence.len().min(4))
        .find_map(|at| Some(at + language.class("keeping").begins(&sentence[at..])?));
    let mut at = keeping.unwrap_or(0) + 1;
    while at < sentence.len() {
        let after_subordinate = clauses.last().is_some_and(|last| {
            matches!(last.mood, Mood::Subordinate | Mood::Recalled) && at > last.tokens.start + 2
        });
        match boundary(sentence, at, after_subordinate, language) {
            None => at += 1,
            Some(start) => {
                let last = clauses.last_mut().expect("there is always a clause");
                last.tokens.end = at.max(last.tokens.start);
                let last = last.tokens.clone();
                let joined = sentence[at..start]
                    .iter()
                    .any(|token| token.word == "and" || token.word == "but")
                    && !shares_infinitive(&sentence[last], &sentence[start..], language);
                let mood = mood(&sentence[start..], language);
                clauses.push(Clause { tokens: start..sentence.len(), mood, joined });
                at = start + 1;
            }
        }
    }
    clauses
}

/// Returns where a clause begins, if the one before it ends at `at`.
fn boundary(
    sentence: &[Token],
    at: usize,
    after_subordinate: bool,
    language: &Language,
) -> Option<usize> {
    let token = &sentence[at];
    let coordinates = language.class("coordinator").has(&token.word);
    if token.separates() || coordinates {
        let connectives = sentence[at..].iter().take_while(|token| {
            token.separates() || language.class("coordinator").has(&token.word)
        });
        let start = at + connectives.count();
        let always = language.class("parting").occurs(&sentence[at..start]);
        let rest = sentence.get(start..).filter(|rest| !rest.is_empty())?;
        let begins = always || begins(rest, language) || starts_predicate(rest, language);
        return begins.then_some(start);
    }
    let rest = &sentence[at..];
    if language.class("supposition").begins(rest).is_some() && token.kind != Kind::Expanded {
        return Some(at);
    }
    let subordinates = language.class("subordinator").has(&token.word);
    if subordinates && sentence.get(at + 1..).is_some_and(|rest| has_subject(rest, language)) {
        return Some(at);
    }
    (after_subordinate && language.class("speaker").has(&token.word)).then_some(at)
}

/// Tells how a clause is put that begins here.
fn mood(tokens: &[Token], language: &Language) -> Mood {
    let mut rest = tokens;
    while let Some(length) = language
        .class("opener")
        .begins(rest)
        .filter(|_| language.class("supposition").begins(rest).is_none())
    {
        rest = &rest[length..];
        while rest.first().is_some_and(Token::separates) {
            rest = &rest[1..];
        }
    }
    if language.class("supposition").begins(rest).is_some() {
        return Mood::Conditional;
    }
    if language.class("question").begins(rest).is_some()
        && !rest.first().is_some_and(|token| token.kind == Kind::Expanded)
    {
        return Mood::Asked;
    }
    let subordinate =
        rest.first().is_some_and(|token| language.class("subordinator").has(&token.word));
    match rest.first().map(|token| token.word.as_str()) {
        Some("when") => Mood::Recalled,
        _ if subordinate => Mood::Subordinate,
        _ => Mood::Stated,
    }
}

/// Tells whether a clause begins here that has a subject, a question or a condition.
fn begins(tokens: &[Token], language: &Language) -> bool {
    mood(tokens, language) != Mood::Stated
        || has_subject(tokens, language)
        || tokens[0].word == "please"
}

fn has_subject(tokens: &[Token], language: &Language) -> bool {
    let mut rest = tokens;
    while let Some(length) = language
        .class("opener")
        .begins(rest)
        .or_else(|| language.class("correcting opener").begins(rest))
        .or_else(|| language.class("adverb").begins(rest))
    {
        rest = &rest[length..];
    }
    let Some(first) = rest.first() else { return false };
    let pronoun = language.class("pronoun").has(&first.word);
    let verb_follows = || rest.iter().skip(1).take(5).any(|token| is_finite(token, language));
    let possessive = language.class("speaker possessives").has(&first.word)
        || language.class("third possessives").has(&first.word);
    pronoun
        || (possessive && verb_follows())
        || (first.is_capital() && rest.get(1).is_some_and(|next| is_finite(next, language)))
}

fn is_finite(token: &Token, language: &Language) -> bool {
    let auxiliary = language.class("auxiliary").has(&token.word);
    auxiliary || language.verbs.finite(&token.word).is_some()
}

/// Tells whether a verb goes on with an infinitive: "I want to help people and teach them".
fn shares_infinitive(before: &[Token], after: &[Token], language: &Language) -> bool {
    let base =
        after.first().is_some_and(|token| language.verbs.base(&token.word, Form::Base).is_some());
    base && before.windows(2).any(|pair| pair[0].word == "to" && !pair[1].is_capital())
}

/// Tells whether a predicate may begin here whose subject stands before.
fn starts_predicate(tokens: &[Token], language: &Language) -> bool {
    let skipped =
        tokens.iter().take_while(|token| language.class("adverb").has(&token.word)).count();
    tokens.get(skipped).is_some_and(|token| is_finite(token, language) && !token.is_capital())
}
