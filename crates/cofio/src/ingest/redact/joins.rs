//! Reads keys that were taken apart: over lines, into strings, by markup, by spaces.

use std::ops::Range;

use super::view::{View, Writer};

/// Returns the reading without the seams between parts of a key, if there are seams.
pub fn joined<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let text = view.text();
    let bytes = text.as_bytes();
    let mut seams: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let length = seam(text, at);
        if length > 0 {
            seams.push(at..at + length);
            at += length;
        }
    }
    if seams.is_empty() {
        return None;
    }
    let mut writer = Writer::new(view);
    let mut at = 0;
    for seam in seams {
        writer.copy(at..seam.start);
        at = seam.end;
    }
    writer.copy(at..text.len());
    writer.finish()
}

/// Returns how long the seam is that begins after a part of a key.
fn seam(text: &str, start: usize) -> usize {
    let Some(signs) = Signs::read(text, start) else { return 0 };
    let next = token(&text[signs.end..]);
    let last = &text[start - last_token(&text[..start])..start];
    let strings = signs.quotes >= 2 && signs.quotes % 2 == 0 && (signs.operators < 2);
    let marked = signs.marks > 0 && signs.lines == 0 && !signs.spaced;
    let goes_over = signs.continued || (goes_on(next) && looks_like_key(last));
    let wrapped = signs.lines == 1 && signs.quotes == 0 && goes_over;
    if strings || marked || wrapped { signs.end - start } else { 0 }
}

/// What stands between two parts of a key.
#[derive(Default)]
struct Signs {
    quotes: usize,
    operators: usize,
    lines: usize,
    marks: usize,
    spaced: bool,
    /// Whether the line says that it goes on.
    continued: bool,
    end: usize,
}

impl Signs {
    /// Reads signs up to the next part of a key, if nothing else stands there.
    fn read(text: &str, start: usize) -> Option<Self> {
        let rest = &text.as_bytes()[start..text.len().min(start + 96)];
        let mut signs = Self::default();
        let mut at = 0;
        loop {
            let byte = *rest.get(at)?;
            let before_break = matches!(rest.get(at + 1), Some(b'\n' | b'\r'));
            match byte {
                b'\\' | b'^' | b'`' if before_break => signs.continued = true,
                b'"' | b'\'' | b'`' => signs.quotes += 1,
                b'\n' => signs.lines += 1,
                b' ' | b'\t' | b'\r' => signs.spaced = true,
                b'+' | b'&' | b'|' | b',' | b'.' if signs.quotes > 0 => signs.operators += 1,
                b'>' | b'#' | b'/' | b'*' | b'|' | b'-' if signs.lines > 0 => {}
                b'*' | b'~' => signs.marks += 1,
                b'<' | 0x1b => {
                    let close = if byte == b'<' { b'>' } else { b'm' };
                    at += rest[at..].iter().take(64).position(|byte| *byte == close)?;
                    signs.marks += 1;
                }
                byte if is_part(byte) => break,
                byte if byte.is_ascii() => return None,
                _ => signs.marks += 1,
            }
            at += 1;
        }
        signs.end = start + at;
        let foreign = |sign: char| !sign.is_ascii() && sign.is_alphabetic();
        let fits = at > 0 && text.is_char_boundary(signs.end);
        (fits && !text[start..signs.end].contains(foreign)).then_some(signs)
    }
}

/// Returns readings of what was spaced out: `s k - p r o j`, `AKIA 5NWY JIR4`.
pub fn closed_up<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let text = view.text();
    let mut writer = Writer::new(view);
    let mut try_all = |run: &str, separators: &str| {
        let at = run.as_ptr() as usize - text.as_ptr() as usize;
        for separator in separators.chars() {
            let count =
                || run.bytes().filter(|byte| char::from(*byte) == separator).take(3).count();
            if run.len() > 16 && count() > 2 {
                close_up(run, at, separator, &mut writer);
            }
        }
    };
    for line in text.split('\n') {
        try_all(line, " \t");
        for word in line.split([' ', '\t']) {
            try_all(word, "-._,|/:+");
        }
    }
    writer.finish()
}

/// Writes the runs of pieces of one length; a piece that looks like part of a key may be of any.
fn close_up(line: &str, offset: usize, separator: char, writer: &mut Writer<'_>) {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = offset;
    let mut last = 0;
    let mut flush = |pieces: &mut Vec<Range<usize>>, tail: Option<Range<usize>>| {
        pieces.extend(tail);
        let letters: usize = pieces.iter().map(Range::len).sum();
        if pieces.len() > 3 && letters > 15 {
            // The first pieces may be words that happen to have the length.
            for start in 0..3 {
                for piece in &pieces[start..] {
                    writer.copy(piece.clone());
                }
                writer.part();
            }
        }
        pieces.clear();
    };
    let mut doubled = false;
    for piece in line.split(separator) {
        let mut range = at..at + piece.trim_end().len();
        // Between letters that stand alone, three separators are one that was there before.
        doubled = piece.is_empty() && !doubled;
        if piece.is_empty() && last == 1 {
            if doubled {
                at += separator.len_utf8();
                continue;
            }
            range = at - separator.len_utf8()..at;
        }
        at += piece.len() + separator.len_utf8();
        let short = !range.is_empty() && range.len() <= 12;
        let alike = range.len() == last || (goes_on(piece) && last > 0);
        if !short {
            flush(&mut pieces, None);
            let word = piece.trim_end().rsplit(' ').next().unwrap_or_default();
            last = if word.len() <= 12 { word.len() } else { 0 };
            pieces.extend((last > 0).then(|| range.end - last..range.end));
            continue;
        }
        if !alike && pieces.len() > 1 {
            let tail = (range.len() < last).then(|| range.clone());
            flush(&mut pieces, tail);
        } else if !alike {
            // One piece of another length may stand before: the prefix of a key.
            pieces.drain(..pieces.len().saturating_sub(1));
        }
        last = range.len();
        pieces.push(range);
    }
    flush(&mut pieces, None);
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=".contains(&byte)
}

fn token(text: &str) -> &str {
    &text[..text.bytes().take_while(|byte| is_part(*byte)).count()]
}

fn last_token(text: &str) -> usize {
    text.bytes().rev().take(256).take_while(|byte| is_part(*byte)).count()
}

/// Returns whether a token can be the rest of a key, rather than a word.
fn goes_on(token: &str) -> bool {
    let token = token.trim();
    let digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let letter = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    let upper = token.len() > 3 && token.bytes().all(|byte| byte.is_ascii_uppercase());
    let humps = token
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let token = token.trim_end_matches('=');
    !token.contains('=') && token.bytes().all(is_part) && (upper || humps || (digit && letter))
}

fn looks_like_key(token: &str) -> bool {
    let digit = token.bytes().any(|byte| byte.is_ascii_digit());
    token.len() > 5 && (digit || token.contains(['_', '-']) || goes_on(token))
}

/// Returns whether a token of a message can be a part of a key that was split over messages.
pub fn is_key_part(token: &str) -> bool {
    goes_on(token) || (token.len() > 3 && token.ends_with(['-', '_']))
}
