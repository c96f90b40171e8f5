//! Long tokens that look like chance, and what the words around them say.

use std::ops::Range;

use super::Level;
use super::detect::{By, Found, found_by};
use super::prefilter;
use super::rules::{RULES, on_boundaries};
use super::value::{is_hex, is_placeholder, is_uuid, looks_random};
use super::words::{HARMLESS_NEIGHBOURS, Promise};

/// The shortest token that is looked at.
const LEAST: usize = 10;

/// How far before a token a word may stand that makes it suspicious.
const NEAR: usize = 64;

/// Adds the tokens of a text that look like secrets without a known form.
pub fn bare(text: &str, hints: &[(usize, Promise)], found: &mut Vec<Found>) {
    for range in runs(text, LEAST) {
        let token = &text[range.clone()];
        if token.len() >= 24 {
            let rules = prefilter::for_any_token().iter().map(|index| &RULES[usize::from(*index)]);
            found.extend(rules.filter_map(|rule| {
                let range = rule.attempt(text, range.start).found?;
                Some(found_by(rule, range))
            }));
        }
        if let Some(level) = suspicion(text, &range, hints) {
            found.push(Found {
                class: "unknown-token",
                family: "other",
                level,
                range,
                by: By::Look,
            });
        }
    }
}

/// Returns the runs of key characters of at least a length.
pub fn runs(text: &str, least: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+/=~.".contains(&byte);
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && inside(bytes[at]) {
                at += 1;
            }
            let mut range = start..at;
            at += 1;
            while range.end > range.start
                && b".-=/".contains(&bytes[range.end - 1])
                && bytes[range.end - 1] != b'='
            {
                range.end -= 1;
            }
            if range.len() < least {
                continue;
            }
            if let Some(equals) = text[range.clone()].trim_end_matches('=').rfind('=') {
                range.start += equals + 1;
            }
            if range.len() >= least {
                return Some(range);
            }
        }
        None
    })
}

fn suspicion(text: &str, range: &Range<usize>, hints: &[(usize, Promise)]) -> Option<Level> {
    let token = &text[range.clone()];
    let hex = is_hex(token);
    let hint = nearest_hint(text, range, hints);
    let uuid = is_uuid(token);
    if uuid && hint != Some(Promise::Hint)
        || !(looks_random(token) || hex || uuid)
        || in_address(text, range.start)
    {
        return None;
    }
    if is_harmless(text, range) || is_placeholder(token) || (segments(token) && !uuid) {
        return None;
    }
    let digits = token.bytes().any(|byte| byte.is_ascii_digit());
    let long = if hex { token.len() > 23 && digits } else { token.len() > 19 };
    let hashlike = hex && [32, 40, 64, 128].contains(&token.len());
    match hint {
        Some(Promise::Hint) if long || (token.len() > 9 && is_half(text, range.start)) => {
            Some(Level::Probable)
        }
        Some(Promise::Secret | Promise::Password) if long && !hashlike => Some(Level::Probable),
        Some(Promise::Secret | Promise::Password | Promise::Key) if long => Some(Level::Possible),
        _ if (hex && token.len() > 39) || (!hex && token.len() > 39) => Some(Level::Possible),
        _ => None,
    }
}

/// Returns the strongest word that stands shortly before a token in the same line.
fn nearest_hint(text: &str, range: &Range<usize>, hints: &[(usize, Promise)]) -> Option<Promise> {
    let last = hints.partition_point(|(end, _)| *end <= range.start);
    let near = hints[..last].iter().rev().take(8).take_while(|(end, _)| range.start - end <= NEAR);
    let rank = |promise: Promise| match promise {
        Promise::Hint => 3,
        Promise::Secret => 2,
        Promise::Password => 1,
        _ => 0,
    };
    near.filter(|(end, _)| !text[*end..range.start].contains(['\n', ';', '{', '}', '(']))
        .map(|(_, promise)| *promise)
        .max_by_key(|promise| rank(*promise))
}

/// Returns whether a token is said to be a part of something.
fn is_half(text: &str, start: usize) -> bool {
    let before = &text[on_boundaries(text, start.saturating_sub(24)..start)];
    let lower = before.to_lowercase();
    ["half", "part", "rest", "hälfte", "moitié", "mitad"].iter().any(|word| lower.contains(word))
}

fn is_harmless(text: &str, range: &Range<usize>) -> bool {
    let before = &text[on_boundaries(text, range.start.saturating_sub(32)..range.start)];
    let line = before.rsplit('\n').next().unwrap_or_default().to_lowercase();
    let token = text[range.clone()].to_ascii_lowercase();
    let known = |word: &&str| line.contains(*word) || token.starts_with(*word);
    let drawing = |byte: u8| !byte.is_ascii_alphabetic() || b"mlhvcsqtaz".contains(&byte);
    HARMLESS_NEIGHBOURS.iter().any(known)
        || token.bytes().all(drawing)
        || token.starts_with("//")
        || token.starts_with("_z")
        || text[range.end..].starts_with("://")
}

/// Returns whether a token is part of an address on the web.
fn in_address(text: &str, start: usize) -> bool {
    let before = &text[on_boundaries(text, start.saturating_sub(256)..start)];
    let word = before
        .rsplit(|character: char| character.is_whitespace() || "\"'<>(".contains(character))
        .next();
    word.is_some_and(|word| {
        word.contains("://") || word.contains("www.") || word.contains('@') || word.contains('#')
    })
}

/// Returns whether a token is a path, a name or a version: parts of words with signs between.
fn segments(token: &str) -> bool {
    let mut parts = token.split(['/', '.', '-', '_', '~', '+']).filter(|part| !part.is_empty());
    !parts.any(|part| part.len() > 9 && (looks_random(part) || (is_hex(part) && part.len() > 15)))
}
