//! Who is what to the speaker: "my sister Ana", "Kenji, my physio".
//!
//! Such words say so wherever they stand, even in a question.

use std::ops::Range;

use super::language::Language;
use super::subject::Finder;
use super::tokens::Token;

/// Somebody by name, and what they are to the speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    /// What they are.
    pub noun: String,
    /// What they are called.
    pub name: String,
    /// Which tokens say so.
    pub tokens: Range<usize>,
}

/// Returns who is introduced in a sentence.
pub(super) fn relations(sentence: &[Token], text: &str, language: &Language) -> Vec<Relation> {
    let finder = Finder { tokens: sentence, text, antecedent: None, language };
    let mut found = Vec::new();
    for at in 0..sentence.len() {
        if !language.class("speaker possessives").has(&sentence[at].word) {
            continue;
        }
        let Some((noun, end)) = somebody(sentence, at + 1, language) else { continue };
        if let Some((name, last)) = finder.name_after(end) {
            found.push(Relation { noun, name, tokens: at..last });
        } else if let Some((name, first)) = name_before(&finder, at, end) {
            found.push(Relation { noun, name, tokens: first..end });
        }
    }
    found
}

/// Returns what somebody is to the speaker, of at most three words.
fn somebody(sentence: &[Token], start: usize, language: &Language) -> Option<(String, usize)> {
    let (people, pets) = (language.class("people"), language.class("pet"));
    (start + 1..=start + 3).rev().find_map(|end| {
        let phrase = sentence.get(start..end)?;
        let length = people.ends(phrase).or_else(|| pets.ends(phrase))?;
        let described = phrase.iter().all(|token| !token.is_mark() && token.word != "'s");
        let words: Vec<&str> =
            phrase[phrase.len() - length..].iter().map(|token| token.word.as_str()).collect();
        described.then(|| (words.join(" "), end))
    })
}

/// Returns the name before "is my" or before ", my …,".
fn name_before(finder: &Finder<'_>, at: usize, end: usize) -> Option<(String, usize)> {
    let before = finder.tokens.get(at.checked_sub(1)?)?;
    let follows = finder.tokens.get(end);
    let apposed = before.word == "," && follows.is_some_and(Token::is_mark);
    let equated =
        before.word == "is" && follows.is_none_or(|next| next.is_mark() || next.word == "and");
    if !(apposed || equated) {
        return None;
    }
    let earliest = at.saturating_sub(4);
    (earliest..at - 1).find_map(|first| {
        let (name, last) = finder.name(first)?;
        (last == at - 1).then_some((name, first))
    })
}
