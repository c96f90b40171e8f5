//! The name around a word that promises a secret: `DB_PASSWORD`, `--api-key`, "guest password".

use std::ops::Range;

use super::rules::on_boundaries;
use super::words::{HARMLESS_KEYS, HARMLESS_PARTS, Promise, TAILS};

/// Words that are names of secrets only before a sign: "pass to", "the seed is".
const WEAK: &[&str] = &[
    "pass",
    "pw",
    "psw",
    "passw",
    "auth",
    "pat",
    "seed",
    "salt",
    "sas",
    "pepper",
    "credential",
    "credentials",
    "creds",
    "bearer",
    "webhook",
    "sid",
    "dsn",
    "clave",
    "sandi",
    "parole",
    "keys",
    "authorization",
    "pin",
    "passkey",
    "暗号",
    "키",
    "رمز",
    "ключ",
    "e",
];

/// A name as it stands in a text.
#[derive(Debug)]
pub struct Name<'a> {
    /// What it promises.
    pub promise: Promise,
    /// Whether the word means other things more often, so that only a sign ties a value to it.
    pub weak: bool,
    /// The whole identifier.
    pub range: Range<usize>,
    text: &'a str,
}

impl<'a> Name<'a> {
    /// Reads the identifier around a word, unless its other parts make it harmless.
    pub fn around(text: &'a str, word: Range<usize>, promise: Promise) -> Option<Self> {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        let bytes = text.as_bytes();
        let mut start =
            word.start - bytes[..word.start].iter().rev().take(64).take_while(|b| part(b)).count();
        let mut end = word.end;
        if bytes[word.end - 1].is_ascii_alphanumeric() {
            let tail = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
            end += bytes[word.end..].iter().take(64).take_while(tail).count();
        }
        if !bytes[word.start].is_ascii_alphanumeric() {
            start = word.start;
        }
        let (head, tail) = (&text[start..word.start], &text[word.end..end]);
        if text[word.clone()].len() <= 5 && glued(head, &text[word.clone()]) {
            return None;
        }
        // A letter after the word makes another word, unless the script or a capital parts them.
        let next = text[end..].chars().next();
        let cyrillic = |letter: char| letter.is_alphabetic() && (letter as u32) < 0x900;
        if !text[word.clone()].is_ascii() && next.is_some_and(cyrillic) {
            return None;
        }
        let fine = |part: String| {
            TAILS.contains(&part.as_str()) || part.bytes().all(|b| b.is_ascii_digit())
        };
        if !parts(tail).all(fine) || parts(head).any(|part| HARMLESS_PARTS.contains(&part.as_str()))
        {
            return None;
        }
        let weak = WEAK.contains(&text[word.clone()].to_ascii_lowercase().as_str());
        let before = &text[on_boundaries(text, start.saturating_sub(64)..start)];
        let resource = before.rsplit([' ', '"', '\'', '\n']).next().unwrap_or_default();
        if before.ends_with("::") || resource.starts_with("arn:") {
            return None;
        }
        let name = Self { promise, weak, range: start..end, text };
        if name.promise == Promise::Key || text[word].ends_with("key") {
            let before = parts(head).last().or_else(|| name.word_before());
            if before.is_some_and(|word| HARMLESS_KEYS.contains(&word.as_str())) {
                return None;
            }
        }
        Some(name)
    }

    /// Returns the identifier.
    pub fn as_str(&self) -> &'a str {
        &self.text[self.range.clone()]
    }

    /// Returns whether it is a word of a sentence, as far as its spelling tells.
    pub fn in_prose(&self) -> bool {
        let name = self.as_str();
        !name.contains('_') && !name.starts_with('-') && !name.contains('.') && !self.is_tag()
    }

    /// Returns whether it is an option of a command.
    pub fn is_flag(&self) -> bool {
        self.as_str().starts_with("--")
    }

    /// Returns whether it opens an element of XML.
    pub fn is_tag(&self) -> bool {
        self.text[..self.range.start].ends_with('<')
    }

    /// Returns whether it is written like a variable of the environment.
    pub fn is_upper(&self) -> bool {
        let name = self.as_str();
        name.len() > 3 && !name.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    fn word_before(&self) -> Option<String> {
        let before = self.text[..self.range.start].trim_end_matches([' ', '\'', '"', '`']);
        let word = before.rsplit(|character: char| !character.is_alphanumeric()).next()?;
        Some(word.to_lowercase())
    }
}

/// Returns whether a short word is only the end of a longer one: `compass`, `monkey`.
fn glued(head: &str, word: &str) -> bool {
    let last = head.bytes().last();
    let humped = last.is_some_and(|byte| byte.is_ascii_lowercase())
        && word.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    last.is_some_and(|byte| byte.is_ascii_alphabetic()) && !humped && !is_known_compound(head)
}

fn is_known_compound(head: &str) -> bool {
    let lower = head.to_ascii_lowercase();
    ["db", "my", "api", "user", "pg", "mysql", "auth", "app", "root", "admin", "bot"]
        .iter()
        .any(|known| lower == *known || lower.ends_with(&format!("_{known}")))
}

/// Returns the parts of a name, in lower case.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let mut last = ' ';
    for character in name.chars() {
        if !character.is_ascii_alphanumeric()
            || (last.is_ascii_lowercase() && character.is_ascii_uppercase())
        {
            parts.push(String::new());
        }
        if character.is_ascii_alphanumeric() {
            parts
                .last_mut()
                .expect("there is one from the start")
                .push(character.to_ascii_lowercase());
        }
        last = character;
    }
    parts.into_iter().filter(|part| !part.is_empty())
}
