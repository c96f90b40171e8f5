//! Reads text that was written as numbers or in another base.

use std::ops::Range;

use super::encoding::{base32, base64, hex};
use super::value::is_hex;
use super::view::{View, Writer};

/// The shortest run that is decoded.
const LEAST: usize = 16;

/// How many numbers in a row are taken for letters.
const NUMBERS: usize = 12;

/// Returns the runs that are text in base64, base32 or hexadecimal digits, with that text.
pub fn encoded(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let inside = |character: char| character.is_ascii_alphanumeric() || "+/_-=".contains(character);
    let mut at = 0;
    text.split_inclusive(move |character| !inside(character)).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let run = piece.trim_end_matches(|character| !inside(character));
        let skipped = run.len() - run.trim_start_matches('=').len();
        let equals = run.trim_end_matches('=').rfind('=').map_or(skipped, |at| at + 1);
        let run = &run[equals..];
        let start = start + equals;
        let digits = run.strip_prefix("0x").unwrap_or(run);
        let decoded = (run.len() >= LEAST).then(|| decode(digits)).flatten()?;
        Some((start..start + run.len(), decoded))
    })
}

fn decode(run: &str) -> Option<String> {
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).ok()?;
        let shown = |character: char| !character.is_control() || "\r\n\t".contains(character);
        (text.len() > 7 && text.chars().all(shown)).then_some(text)
    };
    let plausible =
        |bytes: &[u8]| bytes.iter().take(6).all(|byte| (9..0xf5).contains(byte) && *byte != 0x7f);
    if is_hex(run)
        && let Some(text) = hex(run).and_then(text)
    {
        return Some(text);
    }
    // Most runs are no text, and show it in their first letters.
    if !base64(run.get(..8)?).is_some_and(|bytes| plausible(&bytes)) {
        return base32(run).and_then(text);
    }
    base64(run).and_then(text).or_else(|| base32(run).and_then(text))
}

/// Returns a reading of lists of numbers that are letters: `115, 107, 45`, `73 6b 2d`.
pub fn numbers<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let text = view.text();
    let bytes = text.as_bytes();
    let mut writer = Writer::new(view);
    let mut list: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at <= bytes.len() {
        let gap = bytes[at..].iter().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
        let start = at + gap;
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let number = (1..=8).contains(&length) && is_number(&bytes[start..start + length]);
        if (gap > 4 || !number || length == 0) && !list.is_empty() {
            write(text, &list, &mut writer);
            list.clear();
        }
        if number {
            list.push(start..start + length);
        }
        if length == 0 {
            break;
        }
        at = start + length;
    }
    writer.finish()
}

fn is_number(token: &[u8]) -> bool {
    let token = token.strip_prefix(b"0x").unwrap_or(token);
    (token.len() <= 3 || token.len() == 8) && token.iter().all(u8::is_ascii_hexdigit)
}

/// Writes a list of numbers as the letters they stand for, in every base that gives letters.
fn write(text: &str, list: &[Range<usize>], writer: &mut Writer<'_>) {
    if list.len() < NUMBERS {
        return;
    }
    for radix in [16, 10, 8, 2] {
        let letter = |range: &Range<usize>| {
            let token = text[range.clone()].trim_start_matches("0x");
            let code = u8::from_str_radix(token, radix).ok()?;
            (32..127).contains(&code).then(|| char::from(code))
        };
        if list.iter().all(|range| letter(range).is_some()) {
            for range in list {
                writer.push(letter(range).unwrap_or(' '), range.clone());
            }
            writer.part();
        }
    }
}
