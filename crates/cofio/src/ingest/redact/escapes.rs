//! Reads characters that are written as codes: `%73`, `&#115;`, `\u0073`, `\x73`, `=73`, `\_`.

use super::view::{View, Writer};

/// Returns the reading, if there is any code in the text.
pub fn unescaped<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let text = view.text();
    let bytes = text.as_bytes();
    let marks = |byte: &u8| b"%&\\=U".contains(byte);
    let mut writer = Writer::new(view);
    let mut changed = false;
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes[at..].iter().position(marks).map_or(bytes.len(), |skip| at + skip);
        if !changed && next == bytes.len() {
            return None;
        }
        writer.copy(at..next);
        at = next;
        let after_code = at > 2 && bytes[at - 3] == b'=';
        let Some((character, length)) = code(&text[at..], after_code) else {
            if at < bytes.len() {
                writer.copy(at..at + 1);
            }
            at += 1;
            continue;
        };
        writer.push(character, at..at + length);
        changed = true;
        at += length;
    }
    writer.finish().filter(|_| changed)
}

/// Reads one code; returns the character and how long its code is.
fn code(text: &str, after_code: bool) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let number =
        |range: std::ops::Range<usize>, radix| u32::from_str_radix(text.get(range)?, radix).ok();
    let shown = |number: Option<u32>, length| {
        let character = char::from_u32(number?)?;
        (character == '\n' || !character.is_control()).then_some((character, length))
    };
    match bytes {
        [b'%', b'u', ..] => shown(number(2..6, 16), 6),
        [b'%', ..] => shown(number(1..3, 16).filter(|code| *code < 128), 3),
        [b'=', ..] if after_code || quoted_printable(bytes) => {
            shown(number(1..3, 16).filter(|code| *code < 128), 3)
        }
        [b'U', b'+', ..] => shown(
            number(2..6, 16).filter(|code| *code < 128),
            6 + usize::from(bytes.get(6) == Some(&b' ')),
        ),
        [b'&', b'#', b'x' | b'X', ..] => {
            let end = text[..text.len().min(12)].find(';')?;
            shown(number(3..end, 16), end + 1)
        }
        [b'&', b'#', ..] => {
            let end = bytes.iter().take(12).position(|byte| *byte == b';')?;
            shown(number(2..end, 10), end + 1)
        }
        [b'&', ..] => ENTITIES.iter().find_map(|(name, character)| {
            text[1..].starts_with(name).then_some((*character, name.len() + 1))
        }),
        [b'\\', b'u', b'{', ..] => {
            let end = bytes.iter().take(12).position(|byte| *byte == b'}')?;
            shown(number(3..end, 16), end + 1)
        }
        [b'\\', b'u', ..] => shown(number(2..6, 16), 6),
        [b'\\', b'U', ..] => shown(number(2..10, 16), 10),
        [b'\\', b'x', ..] => shown(number(2..4, 16).filter(|code| *code < 128), 4),
        [b'\\', b'0'..=b'1', ..] => shown(number(1..4, 8), 4),
        [b'\\', sign, ..] if b"_-.~+/=*#!$".contains(sign) => Some((char::from(*sign), 2)),
        _ => None,
    }
}

/// Returns whether several codes of this kind follow each other, since `=12` alone means nothing.
fn quoted_printable(bytes: &[u8]) -> bool {
    let code = |at: usize| {
        bytes.get(at) == Some(&b'=')
            && bytes.get(at + 1..at + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    };
    code(0) && code(3)
}

const ENTITIES: &[(&str, char)] = &[
    ("amp;", '&'),
    ("lt;", '<'),
    ("gt;", '>'),
    ("quot;", '"'),
    ("apos;", '\''),
    ("lowbar;", '_'),
    ("dash;", '-'),
    ("hyphen;", '-'),
    ("period;", '.'),
    ("sol;", '/'),
    ("plus;", '+'),
    ("equals;", '='),
    ("colon;", ':'),
    ("num;", '#'),
];
