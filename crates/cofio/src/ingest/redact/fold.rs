//! Reads letters that only look different: full width, mathematical, invisible, of other scripts.

use unicode_normalization::char::decompose_compatible;

use super::view::{View, Writer};

/// Letters of other scripts beside the ASCII letters that they look like.
const LOOK_ALIKE: &[(&str, &str)] = &[
    ("аеорсухіјѕԁԛԝһӏ", "aeopcyxijsdqwhl"),
    ("АВЕКМНОРСТУХІЈЅԚԜҮ", "ABEKMHOPCTYXIJSQWY"),
    ("αβγεικνορτυχωѵ", "aByeikvoptuxwv"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC"),
    ("ɑɡıɪʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜱ", "agiiLACDEJKMOPTUVWZS"),
    ("‐‑‒–—−⁃﹣－", "---------"),
    ("՝օսցհնոԼ", "`ouqhunL"),
];

/// Returns the reading, if there is anything to read differently.
pub fn folded<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let text = view.text();
    if text.is_ascii() {
        return None;
    }
    let mut writer = Writer::new(view);
    let mut changed = false;
    let mut at = 0;
    for run in text.split_inclusive(char::is_whitespace) {
        let mixed = run.bytes().any(|byte| byte.is_ascii_alphanumeric());
        for (offset, character) in run.char_indices() {
            let start = at + offset;
            let range = start..start + character.len_utf8();
            match reading(character, mixed) {
                Reading::Same => writer.push(character, range),
                Reading::Nothing => changed = true,
                Reading::Letters(letters) => {
                    changed = true;
                    for letter in letters.chars() {
                        writer.push(letter, range.clone());
                    }
                }
            }
        }
        at += run.len();
    }
    writer.finish().filter(|_| changed)
}

enum Reading {
    Same,
    Nothing,
    Letters(String),
}

fn reading(character: char, mixed: bool) -> Reading {
    if character.is_ascii() {
        return Reading::Same;
    }
    if let tag @ 0xE0021..=0xE007E = character as u32 {
        return char::from_u32(tag - 0xE0000)
            .map_or(Reading::Nothing, |tag| Reading::Letters(tag.into()));
    }
    if is_invisible(character) {
        return Reading::Nothing;
    }
    if mixed && let Some(letter) = look_alike(character) {
        return Reading::Letters(letter.into());
    }
    let mut letters = String::new();
    decompose_compatible(character, |letter| letters.push(letter));
    if letters.is_ascii() { Reading::Letters(letters) } else { Reading::Same }
}

/// Returns whether a character shows nothing, or only marks the one before it.
pub fn is_invisible(character: char) -> bool {
    matches!(character as u32,
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x300..=0x36F | 0x1AB0..=0x1AFF
        | 0x20D0..=0x20FF | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
        | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

fn look_alike(character: char) -> Option<char> {
    LOOK_ALIKE.iter().find_map(|(letters, ascii)| {
        let place = letters.chars().position(|letter| letter == character)?;
        ascii.chars().nth(place)
    })
}
