//! Reads text that was written backwards, or with each letter moved by thirteen.

use super::tokens::runs;
use super::view::{View, Writer};

/// Returns the long tokens backwards.
pub fn reversed<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let mut writer = Writer::new(view);
    for token in candidates(view.text()) {
        for (at, byte) in view.text().as_bytes()[token.clone()].iter().enumerate().rev() {
            writer.push(char::from(*byte), token.start + at..token.start + at + 1);
        }
        writer.part();
    }
    writer.finish()
}

/// Returns the long tokens with the letters moved back.
pub fn rotated<'v>(view: &'v View<'v>) -> Option<View<'static>> {
    let mut writer = Writer::new(view);
    for token in candidates(view.text()) {
        for (at, byte) in view.text().as_bytes()[token.clone()].iter().enumerate() {
            let turned = match byte {
                b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
                b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
                _ => *byte,
            };
            writer.push(char::from(turned), token.start + at..token.start + at + 1);
        }
        writer.part();
    }
    writer.finish()
}

fn candidates(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let digit = |byte: u8| byte.is_ascii_digit();
    runs(text, 16).filter(move |run| text[run.clone()].bytes().any(digit))
}
