//! The sign in front of an item of a list.

use super::lines::{indentation, is_space, width};

/// Where an item of a list begins, and where its text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bullet {
    /// How many columns the sign is indented.
    pub(super) indent: usize,
    /// How many bytes the indentation and the sign take.
    pub(super) sign: usize,
    /// How many bytes stand before the text.
    pub(super) prefix: usize,
    /// The column under which the following lines of the text are put.
    pub(super) column: usize,
    /// Whether such an item may follow a paragraph directly.
    pub(super) interrupts: bool,
}

impl Bullet {
    /// How much deeper than the sign a line has to be indented to belong to the item.
    pub(super) const DEEPER: usize = 2;

    /// Returns the sign that a line begins with.
    pub(super) fn of(line: &str) -> Option<Self> {
        let (indent, rest) = indentation(line);
        let length = sign(rest)?;
        let behind = &rest[length..];
        if indent >= 4 || !(behind.is_empty() || behind.starts_with(is_space)) {
            return None;
        }
        let text = behind.trim_start_matches(is_space);
        let sign = line.len() - behind.len();
        let prefix = line.len() - text.len();
        Some(Self {
            indent,
            sign,
            prefix,
            column: column(indent + length, &line[sign..prefix], text),
            interrupts: !text.is_empty() && first_of_its_kind(&rest[..length]),
        })
    }

    /// Returns the column of a text that begins on the line after the sign.
    pub(super) fn column_below(self, line: &str) -> usize {
        let (indent, rest) = indentation(line);
        indent + (self.sign - (line.len() - rest.len())) + 1
    }
}

/// Returns how long the sign is that a text begins with.
fn sign(rest: &str) -> Option<usize> {
    if rest.starts_with(['-', '*', '+']) {
        return Some(1);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).take(10).count();
    let numbered = (1..=9).contains(&digits) && rest[digits..].starts_with(['.', ')']);
    numbered.then_some(digits + 1)
}

/// Returns the column of a text behind a sign that ends at a column.
fn column(end: usize, spaces: &str, text: &str) -> usize {
    let column = width(spaces, end);
    // More than four spaces are the indentation of code, and none are an item without a first line.
    if text.is_empty() || column > end + 4 { end + 1 } else { column }
}

/// Returns whether a sign begins a list wherever it stands, as a number such as 1986 does not.
fn first_of_its_kind(sign: &str) -> bool {
    match sign.strip_suffix(['.', ')']) {
        Some(number) => number.trim_start_matches('0') == "1",
        None => true,
    }
}
