//! Texts as PostgreSQL can keep them: it has no zero bytes.
//!
//! Documents are JSON, which has a way to write them; this is for everything else. A zero byte and
//! the character that stands for it are the only ones that look different, so two texts are the same
//! if and only if they are here.

use std::borrow::Cow;

/// Begins what stands for a character.
const MARK: char = '\u{1}';

/// Writes a text without zero bytes.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => written.extend([MARK, '0']),
            MARK => written.extend([MARK, '1']),
            _ => written.push(c),
        }
    }
    Cow::Owned(written)
}

/// Reads back what [`plain`] wrote.
pub(super) fn original(written: String) -> String {
    if !written.contains(MARK) {
        return written;
    }
    let mut text = String::with_capacity(written.len());
    let mut characters = written.chars();
    while let Some(c) = characters.next() {
        match c {
            MARK if characters.next() == Some('0') => text.push('\0'),
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_and_none_has_zero_bytes() {
        for text in ["", "plain", "\0", "a\0b", "\u{1}", "\u{1}0", "\0\u{1}\0", "ü\u{1}1\0"] {
            let written = plain(text);
            assert!(!written.contains('\0'), "{text:?}");
            assert_eq!(original(written.into_owned()), text);
        }
    }

    #[test]
    fn a_beginning_stays_one() {
        assert!(plain("a\0b").starts_with(&*plain("a\0")));
        assert!(!plain("a0").starts_with(&*plain("a\0")));
    }
}
