//! Cuts a turn into the sentences that may state something.

use super::language::Language;
use super::tokens::{Kind, Token};

/// A sentence longer than this is a list, a log or somebody's attempt.
const LONGEST: usize = 120;

/// A sentence of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sentence<'a> {
    /// Its words and marks, without the one that ends it.
    pub tokens: &'a [Token],
    /// Whether it ends in a question mark.
    pub question: bool,
    /// How real what it says is.
    pub reality: Reality,
}

/// How real something is that a sentence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reality {
    /// The speaker says so.
    Real,
    /// Somebody else says so, or the speaker is not sure.
    Hearsay,
    /// It is a story, mockery, an order or a secret.
    Unreal,
}

/// Returns the sentences of a turn up to where material begins that the speaker only shows.
pub(super) fn sentences<'a>(tokens: &'a [Token], language: &Language) -> Vec<Sentence<'a>> {
    let spoils = |class: &&str| language.class(class).occurs(tokens);
    if ["whole turn mockery", "whole turn order"].iter().any(spoils) {
        return Vec::new();
    }
    let mut sentences = Vec::new();
    let mut start = 0;
    for end in 0..=tokens.len() {
        if tokens.get(end).is_some_and(|_| !ends(tokens, end, language)) {
            continue;
        }
        let whole = &tokens[start..end];
        let shown = announces(whole, language);
        let own = &whole[..shown.unwrap_or(whole.len())];
        if !own.is_empty() && own.len() <= LONGEST {
            let question = tokens.get(end).is_some_and(|token| token.word == "?");
            sentences.push(Sentence { tokens: own, question, reality: reality(own, language) });
        }
        if shown.is_some() {
            break;
        }
        start = end + 1;
    }
    sentences
}

/// Tells whether a sentence ends here, which it does not after "Dr.".
fn ends(tokens: &[Token], at: usize, language: &Language) -> bool {
    let abbreviated = tokens[at].word == "."
        && at
            .checked_sub(1)
            .is_some_and(|before| language.class("abbreviation").has(&tokens[before].word));
    tokens[at].stops() && !abbreviated
}

/// Returns where a colon announces something that is not the speaker's own: "Translate this:".
fn announces(sentence: &[Token], language: &Language) -> Option<usize> {
    let colon = sentence.iter().position(|token| token.is_mark() && token.word == ":")?;
    language.class("material").occurs(&sentence[..colon]).then_some(colon)
}

fn reality(sentence: &[Token], language: &Language) -> Reality {
    let has = |classes: &[&str]| classes.iter().any(|class| language.class(class).occurs(sentence));
    let shown = sentence.first().is_some_and(|token| token.kind == Kind::Foreign);
    if shown || has(&["fiction", "mockery", "order", "credential"]) {
        Reality::Unreal
    } else if has(&["report", "doubt of all"]) {
        Reality::Hearsay
    } else {
        Reality::Real
    }
}
