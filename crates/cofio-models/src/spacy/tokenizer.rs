//! Cuts a text into the words that the model was trained with.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::affixes::{infix, prefix, suffix};

/// A word, or white space that is more than one space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// What it counts as, if it is special.
    pub norm: Option<&'a str>,
}

/// Words that are cut otherwise than by rule, with their parts and what those count as.
pub(super) type Exceptions = HashMap<String, Vec<(String, Option<String>)>>;

/// How many bytes a word has at most; a longer one is none and is left whole, as cutting it bit by
/// bit would take too long.
const LONGEST: usize = 2000;

/// Cuts texts.
pub(super) struct Tokenizer {
    exceptions: Exceptions,
}

impl Tokenizer {
    /// Takes exceptions whose parts, one after the other, are the whole.
    pub fn new(exceptions: Exceptions) -> Self {
        Self { exceptions }
    }

    /// Returns the words of a text, in order.
    pub fn tokens(&self, text: &str) -> Vec<Token<'_>> {
        let mut cutting = Cutting { text, exceptions: &self.exceptions, tokens: Vec::new() };
        for chunk in chunks(text) {
            cutting.chunk(chunk);
        }
        cutting.tokens
    }
}

/// Returns the stretches of white space and of anything else; one space between two is left out.
fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut in_space = text.starts_with(is_space);
    for (place, character) in text.char_indices() {
        if is_space(character) == in_space {
            continue;
        }
        chunks.push(start..place);
        start = if character == ' ' { place + 1 } else { place };
        in_space = !in_space;
    }
    chunks.push(start..text.len());
    chunks.retain(|chunk| !chunk.is_empty());
    chunks
}

/// Returns whether a character is white space to Python.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// A text that is being cut.
struct Cutting<'a, 'text> {
    text: &'text str,
    exceptions: &'a Exceptions,
    tokens: Vec<Token<'a>>,
}

impl<'text> Cutting<'_, 'text> {
    fn chunk(&mut self, chunk: Range<usize>) {
        if self.special(&chunk) {
            return;
        }
        if chunk.len() > LONGEST {
            return self.plain(chunk);
        }
        let mut core = chunk;
        let mut suffixes = Vec::new();
        while !core.is_empty() && !self.is_whole(&core) {
            let word = self.written(&core);
            let (before, behind) = (prefix(word), suffix(word));
            let without_prefix = core.start + before..core.end;
            let without_suffix = core.start..core.end - behind;
            // What is left of a special word is not cut any further.
            let rest = if before > 0 && self.is_special(&without_prefix) {
                without_prefix
            } else if behind > 0 && self.is_special(&without_suffix) {
                without_suffix
            } else if before > 0 && behind > 0 && before + behind <= core.len() {
                without_prefix.start..without_suffix.end
            } else if before > 0 {
                without_prefix
            } else if behind > 0 {
                without_suffix
            } else {
                break;
            };
            self.plain(core.start..rest.start);
            suffixes.push(rest.end..core.end);
            core = rest;
        }
        self.core(core);
        suffixes.into_iter().rev().for_each(|suffix| self.plain(suffix));
    }

    /// Cuts what is left when everything before and behind is cut off.
    fn core(&mut self, core: Range<usize>) {
        if core.is_empty() || self.special(&core) {
            return;
        }
        let word = self.written(&core);
        if is_address(word) {
            return self.plain(core);
        }
        let (mut start, mut from) = (0, 0);
        while let Some((place, length)) = infix(word, from) {
            from = place + length;
            // At the very start it joins nothing.
            if place > 0 {
                self.plain(core.start + start..core.start + place);
                self.plain(core.start + place..core.start + from);
                start = from;
            }
        }
        self.plain(core.start + start..core.end);
    }

    fn written(&self, range: &Range<usize>) -> &'text str {
        &self.text[range.clone()]
    }

    fn is_special(&self, range: &Range<usize>) -> bool {
        self.exceptions.contains_key(self.written(range))
    }

    fn is_whole(&self, range: &Range<usize>) -> bool {
        is_address(self.written(range)) || self.is_special(range)
    }

    /// Adds the parts of a special word; returns whether it is one.
    fn special(&mut self, range: &Range<usize>) -> bool {
        let Some(parts) = self.exceptions.get(self.written(range)) else { return false };
        let mut start = range.start;
        for (part, norm) in parts {
            let range = start..start + part.len();
            start = range.end;
            self.tokens.push(Token { range, norm: norm.as_deref() });
        }
        true
    }

    fn plain(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.tokens.push(Token { range, norm: None });
        }
    }
}

/// Returns whether a word is an address on the web, or looks like one.
fn is_address(word: &str) -> bool {
    const START: &str = r"^(?:[\w+\-.]{2,}://)?(?:\S+(?::\S*)?@)?";
    const END: &str = r"(?::\d{2,5})?(?:[/?#]\S*)?$";
    static HOST: LazyLock<Regex> = LazyLock::new(|| {
        let host = r"[a-z0-9\-]*[a-z0-9]+(?:\.[a-z0-9][a-z0-9\-]*[a-z0-9])?\.[a-z]{2,}";
        Regex::new(&format!("{START}{host}{END}")).expect("the pattern is tested")
    });
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
        let numbers = r"((?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))";
        Regex::new(&format!("{START}{numbers}{END}")).expect("the pattern is tested")
    });
    static PRIVATE: LazyLock<Regex> = LazyLock::new(|| {
        let private = r"^(?:(?:10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)";
        Regex::new(private).expect("the pattern is tested")
    });
    if !word.contains('.') {
        return false;
    }
    let numbers = || NUMBERS.captures(word).and_then(|found| found.get(1));
    HOST.is_match(word) || numbers().is_some_and(|numbers| !PRIVATE.is_match(numbers.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let exceptions = [
            ("can't", vec![("ca", Some("can")), ("n't", Some("not"))]),
            ("U.S.", vec![("U.S.", None)]),
            (":)", vec![(":)", None)]),
        ];
        let owned = |(part, norm): (&str, Option<&str>)| (part.to_owned(), norm.map(str::to_owned));
        let exceptions = exceptions
            .map(|(word, parts)| (word.to_owned(), parts.into_iter().map(owned).collect()));
        let tokenizer = Tokenizer::new(exceptions.into());
        let tokens = tokenizer.tokens(text);
        let found: Vec<_> = tokens.iter().map(|token| &text[token.range.clone()]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn words_lose_their_punctuation_and_special_words_are_cut_by_the_list() {
        check("I can't, really.", &["I", "ca", "n't", ",", "really", "."]);
        check("(in the U.S.)", &["(", "in", "the", "U.S.", ")"]);
        check("fine :)", &["fine", ":)"]);
        check("", &[]);
        check("...", &["..."]);
    }

    #[test]
    fn one_space_separates_and_more_is_a_word() {
        check("a b  c\n\nd ", &["a", "b", " ", "c", "\n\n", "d"]);
        check("  a", &["  ", "a"]);
    }

    #[test]
    fn addresses_stay_whole() {
        check("see https://a.example.org/x-y, ok", &["see", "https://a.example.org/x-y,", "ok"]);
        check("at a.example.org.", &["at", "a.example.org", "."]);
        check("8.8.8.8", &["8.8.8.8"]);
    }

    #[test]
    fn what_is_too_long_for_a_word_is_left_whole() {
        let long = "(".repeat(LONGEST + 1);
        check(&long, &[&long]);
    }
}
