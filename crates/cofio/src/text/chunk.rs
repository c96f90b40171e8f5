//! Takes a chunk apart: the identifier as a whole, its words, and the humps of its words.

use super::script::{is_hangul, is_word};

/// Parts taken from one chunk at most, so that blobs such as base64 cannot flood an index.
const MAX_PARTS: usize = 32;

/// One thing a chunk is found by.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A spelling with its punctuation, found only as it is.
    Whole(&'a str),
    /// A word, which has a stem and may be a stop word.
    Word(&'a str),
    /// A name whose apostrophe people leave out.
    Joined(String),
}

/// Returns the parts of a chunk: its whole if punctuation is part of it, its words, their humps.
pub(super) fn parts(chunk: &str, is_contraction: impl Fn(&str) -> bool) -> Vec<Part<'_>> {
    if chunk.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return vec![Part::Word(chunk)];
    }
    let chunk = trim(chunk);
    let mut parts = Vec::new();
    if chunk.contains(|c| !is_word(c) && c != '\'') {
        parts.push(Part::Whole(chunk));
    }
    for word in chunk.split(|c| !is_word(c) && c != '\'') {
        push_word(&mut parts, word, &is_contraction);
        if parts.len() >= MAX_PARTS {
            break;
        }
    }
    parts.truncate(MAX_PARTS);
    parts
}

/// Removes the punctuation of prose around a chunk, but not that of `.env`, `@name` or `C++`.
fn trim(chunk: &str) -> &str {
    let Some(first) = chunk.find(is_word) else {
        return "";
    };
    let end = chunk.trim_end_matches(|c| !is_word(c)).len();
    let start = first - sigil_length(&chunk[..first]);
    &chunk[start..end + suffix_length(&chunk[end..])]
}

/// Returns 1 if the punctuation before a word ends in a single sigil.
fn sigil_length(before: &str) -> usize {
    let is_sigil = |c| matches!(c, '.' | '#' | '@');
    let mut backwards = before.chars().rev();
    let sigil = backwards.next().is_some_and(is_sigil);
    usize::from(sigil && !backwards.next().is_some_and(is_sigil))
}

/// Returns how much of the punctuation after a word belongs to it, as in `C++` and `C#`.
fn suffix_length(after: &str) -> usize {
    after.chars().take(2).take_while(|c| matches!(c, '+' | '#')).count()
}

fn push_word<'a>(parts: &mut Vec<Part<'a>>, word: &'a str, is_contraction: impl Fn(&str) -> bool) {
    let word = word.trim_matches('\'');
    if !word.contains('\'') || is_contraction(word) {
        push_humps(parts, word);
        return;
    }
    for piece in word.split('\'').take(MAX_PARTS) {
        push_humps(parts, piece);
    }
    if let Some(name) = word.strip_prefix(['O', 'o']).and_then(|rest| rest.strip_prefix('\'')) {
        parts.push(Part::Joined(format!("o{name}")));
    }
}

/// Adds a word and, if it has several humps, those that mean something by themselves.
fn push_humps<'a>(parts: &mut Vec<Part<'a>>, word: &'a str) {
    if word.is_empty() {
        return;
    }
    parts.push(Part::Word(word));
    let humps: Vec<&str> = humps(word).take(MAX_PARTS).collect();
    if humps.len() > 1 {
        parts.extend(humps.into_iter().filter(|hump| is_telling(hump)).map(Part::Word));
    }
}

/// Tells whether a hump says more than a single letter would.
fn is_telling(hump: &str) -> bool {
    hump.chars().nth(1).is_some() || hump.starts_with(char::is_numeric)
}

/// Splits a word where its humps begin: `getUserName`, `HTTPServer`, `sha256`, `Rust는`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (hump, after) = rest.split_at(hump_length(rest));
        rest = after;
        Some(hump)
    })
}

fn hump_length(word: &str) -> usize {
    let mut previous = None;
    let mut chars = word.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let plural_end = &word[index + c.len_utf8()..] == "s";
        let next = chars.peek().map(|&(_, next)| next).filter(|_| !plural_end);
        if previous.is_some_and(|previous| starts_hump(previous, c, next)) {
            return index;
        }
        previous = Some(c);
    }
    word.len()
}

fn starts_hump(previous: char, c: char, next: Option<char>) -> bool {
    let other_kind = previous.is_numeric() != c.is_numeric() || is_hangul(previous) != is_hangul(c);
    let new_capital = c.is_uppercase() && !previous.is_uppercase();
    let end_of_acronym = c.is_uppercase() && next.is_some_and(char::is_lowercase);
    (other_kind || new_capital || end_of_acronym) && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunk: &str, expected: &str) {
        let parts = parts(chunk, |word| word == "don't");
        let texts: Vec<&str> = parts.iter().map(text).collect();
        assert_eq!(texts.join(" "), expected, "{chunk:?}");
    }

    fn text<'a>(part: &'a Part<'_>) -> &'a str {
        match part {
            Part::Whole(text) | Part::Word(text) => text,
            Part::Joined(text) => text,
        }
    }

    #[test]
    fn plain_words_are_themselves() {
        check("word", "word");
        check("word.", "word");
        check("--", "");
    }

    #[test]
    fn identifiers_are_whole_and_in_parts() {
        check("snake_case", "snake_case snake case");
        check("src/main.rs.", "src/main.rs src main rs");
        check("foo-bar", "foo-bar foo bar");
        check("user@example.com", "user@example.com user example com");
        check("https://example.com/a?b=c", "https://example.com/a?b=c https example com a b c");
        check("v1.2.3:", "v1.2.3 v1 1 2 3");
    }

    #[test]
    fn humps_are_parts() {
        check("getUserName", "getUserName get User Name");
        check("HTTPServer", "HTTPServer HTTP Server");
        check("sha256", "sha256 sha 256");
        check("iPhone", "iPhone Phone");
        check("APIs", "APIs");
        check("Rust는", "Rust는 Rust");
        check("Ärger", "Ärger");
    }

    #[test]
    fn signs_that_belong_to_a_name_stay() {
        check("C++.", "C++ C");
        check("C#?", "C# C");
        check(".env", ".env env");
        check("#hashtag", "#hashtag hashtag");
        check("@mention:", "@mention mention");
        check("...and", "and");
        check("/usr/bin/", "usr/bin usr bin");
        check("__init__", "init");
    }

    #[test]
    fn apostrophes_separate_unless_the_word_is_a_contraction() {
        check("Alice's", "Alice s");
        check("don't", "don't");
        check("l'eau", "l eau");
        check("'quoted'", "quoted");
        check("O'Brien", "O Brien oBrien");
    }

    #[test]
    fn blobs_have_a_bounded_number_of_parts() {
        let blob = "aB3".repeat(100_000);
        assert!(parts(&blob, |_| false).len() <= MAX_PARTS);
        let path = "a/".repeat(100_000);
        assert!(parts(&path, |_| false).len() <= MAX_PARTS);
    }
}
