//! Secrets that appear only when the last turns of a session are put together.

use std::ops::Range;

use super::detect::{By, detect_forms, opens_key};
use super::fold::folded;
use super::joins;
use super::value::looks_random;
use super::view::View;
use super::{Finding, Level, blocks, findings};

/// How many earlier turns may hold a part.
const TURNS: usize = 6;

/// How many parts of one turn are tried.
const PARTS: usize = 12;

/// A part so short may end within what the beginning of a key is known by.
const SHORT: usize = 8;

/// A piece of a turn that may be a part of a key.
struct Part {
    turn: usize,
    range: Range<usize>,
    text: String,
    /// Whether a key of known form can begin with it.
    opens: bool,
}

/// Returns the parts of secrets that a text completes together with earlier texts of its session,
/// each with the place of its text: the earlier ones by their order, the text itself last.
///
/// Only what can be nothing else is put together, so prose gives nothing.
pub fn findings_across(earlier: &[&str], text: &str) -> Vec<(usize, Finding)> {
    let first = earlier.len().saturating_sub(TURNS);
    let own = parts(text, earlier.len());
    let before: Vec<Part> =
        (first..earlier.len()).flat_map(|turn| parts(earlier[turn], turn)).collect();
    let mut found = Vec::new();
    for one in &own {
        for other in &before {
            together(&[other, one], &mut found);
            together(&[one, other], &mut found);
            let between = before.iter().filter(|middle| middle.turn > other.turn);
            for middle in between.filter(|_| other.opens) {
                together(&[other, middle, one], &mut found);
            }
        }
    }
    if let Some(range) = rest_of_block(&earlier[first..], text) {
        let class = "private-key";
        let finding = Finding { class, family: "key", level: Level::Definite, range };
        found.push((earlier.len(), finding));
    }
    found.sort_by_key(|(turn, finding)| (*turn, finding.range.start, finding.range.end));
    found.dedup_by(|next, last| next.0 == last.0 && next.1.range.start < last.1.range.end);
    found
}

/// Returns whether a text can hold a part of a secret whose other parts stand in other texts.
pub fn may_complete_secret(text: &str) -> bool {
    text.contains("-----END") || !parts(text, 0).is_empty()
}

/// Adds the parts if they are a key together and the match needs all of them.
fn together(parts: &[&Part], found: &mut Vec<(usize, Finding)>) {
    let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
    let may_open = parts[0].opens || parts[0].text.len() < SHORT;
    if whole.len() < 16 || !may_open {
        return;
    }
    let last = whole.len() - parts[parts.len() - 1].text.len();
    let first = parts[0].text.len();
    let crosses = |range: &Range<usize>| range.start < first && range.end > last;
    let key = detect_forms(&whole)
        .into_iter()
        .find(|key| key.level == Level::Definite && key.by == By::Form && crosses(&key.range));
    let Some(key) = key else { return };
    // A key that is whole without the rest takes nothing with it but what looks like its own kind.
    let whole = detect_forms(&parts[0].text).iter().any(|one| one.level == Level::Definite);
    let alike = |part: &&Part| part.text.len() > 15 && looks_random(&part.text);
    if whole && !parts[1..].iter().all(alike) {
        return;
    }
    for part in parts {
        let (class, family, level) = (key.class, key.family, key.level);
        found.push((part.turn, Finding { class, family, level, range: part.range.clone() }));
    }
}

/// Returns the tokens of a turn that can be parts of a key, the last ones first.
fn parts(text: &str, turn: usize) -> Vec<Part> {
    let plain = View::of(text);
    let view = folded(&plain).unwrap_or(plain);
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+/=.".contains(&byte);
    let read = view.text();
    let mut parts = Vec::new();
    let outside = |character: char| !character.is_ascii() || !inside(character as u8);
    for (place, piece) in read.split(outside).enumerate() {
        let start = piece.as_ptr() as usize - read.as_ptr() as usize;
        let token = piece.trim_end_matches('.');
        let border = place == 0 || start + piece.len() == read.len();
        let short = token.len() < if border { 2 } else { 4 };
        if !short && (joins::is_key_part(token) || (border && !is_prose(token))) {
            let range = view.origin(start..start + token.len());
            parts.push(Part { turn, range, text: token.to_owned(), opens: opens_key(token) });
        }
    }
    let keep = parts.len().saturating_sub(PARTS);
    parts.drain(..keep);
    parts
}

/// Returns whether a token is an ordinary word.
fn is_prose(token: &str) -> bool {
    let letters = token.bytes().all(|byte| byte.is_ascii_lowercase());
    let capital = token[1..].bytes().all(|byte| byte.is_ascii_lowercase());
    letters || capital
}

/// Finds the rest of a key in a block of text that an earlier turn began.
fn rest_of_block(earlier: &[&str], text: &str) -> Option<Range<usize>> {
    let open = earlier.iter().rev().find(|turn| turn.contains("-----BEGIN"))?;
    let start = open.rfind("-----BEGIN")?;
    let block = blocks::at(open, start)?;
    block.found()?;
    if open[start..].contains("-----END") {
        return None;
    }
    let end = text.find("-----END");
    let whole = format!("-----BEGIN PRIVATE KEY-----\n{text}");
    let lead = whole.len() - text.len();
    let found = findings(&whole).into_iter().find(|one| one.class == "private-key")?;
    let length = found.range.end.checked_sub(lead)?;
    (length > 15 || end.is_some()).then_some(0..length)
}
