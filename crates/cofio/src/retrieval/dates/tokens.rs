//! Cuts a question into words, numbers and marks, each with its place.

use super::lexicon::{self, LONGEST, WordId};
use crate::text::fold;

/// What a stretch of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// A character that stands for itself: punctuation, or one of a script without spaces.
    Mark(char),
    Space,
}

/// A stretch of text and its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// A piece that is not white space, with what is known about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// The word of the table that it is.
    pub word: Option<WordId>,
    /// The value and the count of digits of a number.
    pub number: Option<(i64, usize)>,
    pub capital: bool,
    /// Whether it may be the heart of an expression, rather than an accompaniment.
    pub trigger: bool,
}

/// Returns the pieces of `text`, white space included.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        let mut chars = rest.char_indices();
        let (_, first) = chars.next()?;
        let kind = kind(first);
        let length = match kind {
            Kind::Mark(_) => first.len_utf8(),
            _ => chars.find(|&(_, c)| !continues(kind, c)).map_or(rest.len(), |(index, _)| index),
        };
        let piece = Piece { kind, start, end: start + length };
        start += length;
        Some(piece)
    })
}

/// Returns the tokens of `text`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    pieces(text)
        .filter(|piece| piece.kind != Kind::Space)
        .map(|Piece { kind, start, end }| {
            let spelling = &text[start..end];
            let word = look_up(kind, spelling);
            let number = (kind == Kind::Number).then(|| number(spelling)).flatten();
            let capital = spelling.starts_with(char::is_uppercase);
            let trigger = is_trigger(kind, word, &text[start..]);
            Token { kind, start, end, word, number, capital, trigger }
        })
        .collect()
}

/// Tells whether `text` has a number, or a word that may be the heart of an expression of time.
///
/// Most questions have neither, and need no further look.
pub(super) fn has_trigger(text: &str) -> bool {
    pieces(text).any(|Piece { kind, start, end }| {
        is_trigger(kind, look_up(kind, &text[start..end]), &text[start..])
    })
}

/// Tells whether the piece at the start of `text` is a number or may be the heart of an expression.
fn is_trigger(kind: Kind, word: Option<WordId>, text: &str) -> bool {
    match kind {
        Kind::Number => true,
        Kind::Word => word.is_some_and(lexicon::is_trigger),
        Kind::Mark(_) => word.is_some_and(|word| lexicon::is_unspaced_trigger(word, text)),
        Kind::Space => false,
    }
}

/// Returns the word of the table spelled so, in whatever case.
fn look_up(kind: Kind, spelling: &str) -> Option<WordId> {
    match kind {
        Kind::Word | Kind::Mark('\u{80}'..) => {}
        _ => return None,
    }
    if !spelling.is_ascii() {
        // Folding never makes a word shorter than half of its bytes.
        return (spelling.len() <= 2 * LONGEST).then(|| lexicon::word(&fold(spelling))).flatten();
    }
    let mut lower = [0; LONGEST];
    let lower = lower.get_mut(..spelling.len())?;
    lower.copy_from_slice(spelling.as_bytes());
    lower.make_ascii_lowercase();
    lexicon::word(str::from_utf8(lower).ok()?)
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Word,
        _ if digit(c).is_some() => Kind::Number,
        _ if c.is_whitespace() => Kind::Space,
        _ if is_east_asian(c) => Kind::Mark(c),
        _ if c.is_alphabetic() || is_accent(c) => Kind::Word,
        _ => Kind::Mark(c),
    }
}

fn continues(kind: Kind, c: char) -> bool {
    self::kind(c) == kind
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Tells whether words of the script of `c` cannot be told by spaces, or have particles attached.
fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Returns the value and the count of digits, or nothing if there are too many for a date.
fn number(spelling: &str) -> Option<(i64, usize)> {
    let digits: Vec<i64> = spelling.chars().take(9).filter_map(digit).collect();
    let value = digits.iter().fold(0, |value, digit| 10 * value + digit);
    (digits.len() <= 8).then_some((value, digits.len()))
}

fn digit(c: char) -> Option<i64> {
    match c {
        '0'..='9' => Some(i64::from(u32::from(c) - u32::from('0'))),
        '０'..='９' => Some(i64::from(u32::from(c) - u32::from('０'))),
        _ => None,
    }
}
