//! Turns text into the terms it is indexed under and looked up by.
//!
//! This is the one lexical analyser: every store that has no lexical search of its own indexes
//! [`document_terms`] and looks up [`query_terms`]. It is pure and knows neither stores nor the
//! model.
//!
//! - A word is found by its folded spelling and by its stem. Queries add the English stem, so a
//!   query whose language was misjudged still meets English documents.
//! - Identifiers, paths and addresses are found whole and by their parts.
//! - Text without spaces is found by pairs of characters.
//! - Stop words are dropped, unless there is nothing else: a query of stop words finds the
//!   documents that consist of stop words, and no others.

pub mod bm25;
mod chunk;
mod fold;
mod hex;
mod irregular;
mod language;
mod passage;
mod script;
mod split;
mod stem;
mod stop_words;
mod unspaced;
mod visible;
mod wikilinks;
mod word;

#[cfg(test)]
mod finding;

use std::collections::HashSet;

pub use fold::fold;
pub(crate) use hex::hex;
pub use language::Language;
pub use passage::{MAX_PASSAGE, MAX_PASSAGES, is_question, passages, sentences};
pub(crate) use stop_words::is_english_stop_word;
pub(crate) use visible::may_hide;
pub use visible::visible;
pub use wikilinks::{Wikilink, wikilinks};

use chunk::Part;
use language::Guess;
use script::Script;
use split::Piece;
use word::Word;

/// Version of the terms this module makes; a store whose index has another must be indexed again.
pub const ANALYSER_VERSION: u32 = 2;

/// Characters in a term at most.
pub const MAX_TERM: usize = 64;

/// Terms a query is looked up by at most.
pub const MAX_QUERY_TERMS: usize = 64;

/// Returns the terms a document is indexed under, in order and with repetitions.
///
/// Terms are lower case, not empty, at most [`MAX_TERM`] characters long, and free of white space,
/// control characters and double quotes.
pub fn document_terms(text: &str) -> Vec<String> {
    document(&[text]).terms.concat()
}

/// The terms of a document, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The terms of each part, in order and with repetitions.
    pub terms: Vec<Vec<String>>,
    /// How many words with content all parts have.
    pub length: usize,
}

/// Returns the terms of a document in several parts, which are judged together.
pub fn document(parts: &[&str]) -> Document {
    let parts: Vec<Vec<Token>> = parts.iter().map(|part| tokens(part)).collect();
    let guess = guess(parts.iter().flatten());
    let keep_all = !parts.iter().flatten().any(|token| is_content(token, guess));
    let mut document = Document::default();
    for part in &parts {
        let mut terms = Vec::with_capacity(2 * part.len());
        for token in part.iter().filter(|token| keep_all || is_content(token, guess)) {
            document.length += 1;
            match token {
                Token::Exact(term) => terms.push(term.clone()),
                Token::Run(run) => {
                    // Words of two characters are the most usual where there are no spaces.
                    document.length += run.chars().count().div_ceil(2) - 1;
                    terms.extend(unspaced::document_terms(run));
                }
                Token::Word(word) => terms.extend(document_word(word, guess)),
            }
        }
        document.terms.push(terms);
    }
    document
}

/// Returns the distinct terms a query is looked up by, in order of first appearance.
///
/// There are at most [`MAX_QUERY_TERMS`]; of a longer query the first count.
pub fn query_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let terms = query_words(text).into_iter().flatten();
    terms.filter(|term| seen.insert(term.clone())).take(MAX_QUERY_TERMS).collect()
}

/// Returns the distinct words of a query, each with the terms that may stand for it.
///
/// There are at most [`MAX_QUERY_TERMS`] terms in all; of a longer query the first words count.
pub fn query_words(text: &str) -> Vec<Vec<String>> {
    let tokens = tokens(text);
    let guess = guess(tokens.iter());
    let mut words: Vec<Vec<String>> = Vec::new();
    let mut terms = 0;
    for token in content(&tokens, guess) {
        let found = match token {
            Token::Exact(term) => vec![vec![term.clone()]],
            Token::Run(run) => {
                unspaced::query_terms(run).into_iter().map(|term| vec![term]).collect()
            }
            Token::Word(word) => vec![query_word(word, guess)],
        };
        for word in found {
            terms += word.len();
            if terms > MAX_QUERY_TERMS {
                return words;
            }
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    words
}

/// Returns the share of terms that two documents have in common.
pub(crate) fn overlap(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// Returns the language most of `text` is written in, English if nothing tells.
pub fn language(text: &str) -> Language {
    let tokens = tokens(text);
    let guess = guess(tokens.iter());
    let mut counts: Vec<(Language, usize)> = Vec::new();
    for token in &tokens {
        let (language, weight) = match token {
            Token::Word(word) => (guess.language_of(word), 1),
            Token::Run(run) => (Language::Other, run.chars().count()),
            Token::Exact(_) => continue,
        };
        match counts.iter_mut().find(|(counted, _)| *counted == language) {
            Some((_, count)) => *count += weight,
            None => counts.push((language, weight)),
        }
    }
    let most = counts.iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(Language::English, |&(language, _)| language)
}

/// Tells whether a word, folded, has no content of its own in a language.
pub(crate) fn is_stop_word(word: &str, language: Language) -> bool {
    stop_words::stop_word_in(word).contains(language)
}

/// A stretch of text on its way to becoming terms.
enum Token {
    /// A term as it is.
    Exact(String),
    /// A word, which may be a stop word and may have a stem.
    Word(Word),
    /// Text written without spaces.
    Run(String),
}

fn tokens(text: &str) -> Vec<Token> {
    let text = fold::normalise(text);
    let mut tokens = Vec::new();
    for piece in split::pieces(&text) {
        match piece {
            Piece::Symbol(symbol) => tokens.push(Token::Exact(symbol.to_owned())),
            Piece::Run(run) => tokens.push(Token::Run(run.to_owned())),
            Piece::Chunk(chunk) => tokens.extend(chunk_tokens(chunk)),
        }
    }
    tokens
}

fn chunk_tokens(chunk: &str) -> impl Iterator<Item = Token> {
    chunk::parts(chunk, is_contraction).into_iter().filter_map(|part| match part {
        Part::Whole(whole) => word::term(whole).map(Token::Exact),
        Part::Word(raw) => Word::new(raw).map(Token::Word),
        Part::Joined(name) => Word::new(&name).map(Token::Word),
    })
}

/// Tells whether a word with an apostrophe is a stop word as a whole, such as "don't".
fn is_contraction(word: &str) -> bool {
    let folded = fold::fold_normalised(word::truncated(word));
    !stop_words::stop_word_in(&folded).is_empty()
}

fn guess<'a>(tokens: impl Iterator<Item = &'a Token>) -> Guess {
    Guess::of(tokens.filter_map(|token| match token {
        Token::Word(word) => Some(word),
        Token::Exact(_) | Token::Run(_) => None,
    }))
}

/// Returns the tokens that are not stop words, or all of them if there are no others.
fn content(tokens: &[Token], guess: Guess) -> impl Iterator<Item = &Token> {
    let keep_all = !tokens.iter().any(|token| is_content(token, guess));
    tokens.iter().filter(move |token| keep_all || is_content(token, guess))
}

fn is_content(token: &Token, guess: Guess) -> bool {
    !matches!(token, Token::Word(word) if guess.drops(word))
}

/// Returns the terms of a word in a document.
fn document_word(word: &Word, guess: Guess) -> Vec<String> {
    let mut terms = vec![word.surface.clone()];
    match word.script {
        Script::Hangul => terms.extend(unspaced::syllable_pairs(&word.surface)),
        Script::Latin if guess.may_be_english() => terms.extend(both_stems(word, guess)),
        _ => terms.extend(stem::stem(&word.surface, guess.language_of(word))),
    }
    terms
}

/// Returns the terms a word is looked up by.
fn query_word(word: &Word, guess: Guess) -> Vec<String> {
    let mut terms = vec![word.surface.clone()];
    match word.script {
        Script::Hangul => terms.extend(unspaced::syllable_pairs(&word.surface)),
        _ => terms.extend(both_stems(word, guess)),
    }
    terms
}

/// Returns the distinct stems of a word in its own language and in English.
fn both_stems(word: &Word, guess: Guess) -> Vec<String> {
    let language = guess.language_of(word);
    let own = stem::stem(&word.surface, language);
    let english = match language {
        Language::English => None,
        _ => stem::stem(&word.surface, Language::English).filter(|stem| own.as_ref() != Some(stem)),
    };
    own.into_iter().chain(english).collect()
}
