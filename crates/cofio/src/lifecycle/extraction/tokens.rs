//! Cuts a turn into words and marks, with contractions written out.

use std::ops::Range;

use super::language::Language;

/// A word or a mark, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// The word in lower case with straight apostrophes, or the mark.
    pub word: String,
    /// The bytes of the turn it was made of; the words of a contraction share them.
    pub bytes: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word as it stands in the text.
    Word {
        /// Whether it begins with a capital.
        capital: bool,
    },
    /// A word of a contraction.
    Expanded,
    /// Punctuation, a line's end or a picture.
    Mark,
    /// Something that is not the speaker's own words.
    Foreign,
}

impl Token {
    /// Tells whether it is a word that begins with a capital.
    pub fn is_capital(&self) -> bool {
        self.kind == Kind::Word { capital: true }
    }

    /// Tells whether it is punctuation, a line's end or a picture.
    pub fn is_mark(&self) -> bool {
        self.kind == Kind::Mark
    }

    /// Tells whether it is a mark that separates parts of a sentence.
    pub fn separates(&self) -> bool {
        self.is_mark()
            && matches!(self.word.as_str(), "," | ";" | ":" | "—" | "–" | "-" | "(" | ")")
    }

    /// Tells whether it is a mark that ends a sentence.
    pub fn stops(&self) -> bool {
        self.is_mark() && matches!(self.word.as_str(), "." | "!" | "?" | "…" | "\n")
    }

    /// Tells whether it begins with a digit.
    pub fn is_number(&self) -> bool {
        self.word.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Returns the tokens of a text; each stretch that is not the speaker's own becomes one token.
pub(super) fn tokens(text: &str, foreign: &[Range<usize>], language: &Language) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut foreign = foreign.iter().peekable();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(stretch) = foreign.next_if(|stretch| stretch.start <= at) {
            let bytes = at..stretch.end.max(at);
            at = bytes.end;
            tokens.push(Token { word: String::new(), bytes, kind: Kind::Foreign });
            continue;
        }
        let limit = foreign.peek().map_or(text.len(), |stretch| stretch.start);
        let length = word_length(&text[at..limit]);
        if length > 0 {
            push_word(&text[at..at + length], at, language, &mut tokens);
            at += length;
            continue;
        }
        if c == '\n' || !c.is_whitespace() {
            let bytes = at..at + c.len_utf8();
            tokens.push(Token { word: c.to_string(), bytes, kind: Kind::Mark });
        }
        at += c.len_utf8();
    }
    settle_possessives(&mut tokens, language);
    tokens
}

/// Returns how many bytes of a word stand at the start, with the marks inside it.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next_in_word = characters.peek().is_some_and(|next| next.is_alphanumeric());
        let joins = length > 0 && matches!(c, '\'' | '’' | '-' | '.' | '/' | '&' | '_' | '@');
        let signs = length > 0 && matches!(c, '+' | '#' | '%');
        let leads = length == 0 && c == '/' && next_in_word;
        if !(c.is_alphanumeric() || (joins && next_in_word) || signs || leads) {
            break;
        }
        length += c.len_utf8();
    }
    length
}

fn push_word(spelling: &str, at: usize, language: &Language, tokens: &mut Vec<Token>) {
    let capital = spelling.starts_with(char::is_uppercase);
    let lower = spelling.to_lowercase().replace('’', "'");
    let bytes = at..at + spelling.len();
    if let Some(words) = language.written_out(&lower) {
        for word in words {
            let bytes = bytes.clone();
            tokens.push(Token { word: (*word).to_owned(), bytes, kind: Kind::Expanded });
        }
        return;
    }
    let word =
        |word: &str, bytes| Token { word: word.to_owned(), bytes, kind: Kind::Word { capital } };
    let Some(owner) = lower.strip_suffix("'s") else {
        tokens.push(word(&lower, bytes));
        return;
    };
    let mark = if spelling.ends_with("’s") { "’s".len() } else { "'s".len() };
    let end = bytes.end - mark;
    tokens.push(word(owner, bytes.start..end));
    tokens.push(Token { word: "'s".to_owned(), bytes: end..bytes.end, kind: Kind::Expanded });
}

/// Makes "is" of a possessive ending that a predicate follows: my sister's a nurse.
fn settle_possessives(tokens: &mut [Token], language: &Language) {
    for index in 1..tokens.len() {
        let (before, after) = tokens.split_at_mut(index);
        let ending = &mut before[index - 1];
        if ending.word == "'s" && language.class("is after").has(&after[0].word) {
            "is".clone_into(&mut ending.word);
        }
    }
}
