//! How an entry is written.
//!
//! An item takes any text: what is indented beneath its sign belongs to it, whatever it looks like.
//! Prose takes what is one block of prose by itself.

use std::fmt::Write as _;

use super::bullet::Bullet;
use super::content::{escape, normal, same};
use super::document::{Document, Kind};
use super::lines::{indentation, is_break, is_space, line_at};
use super::marker::Marker;

/// The sign and the space that new items have.
const SIGN: &str = "- ";

/// Writes a text as an item of its own.
pub(super) fn new_item(marker: Option<&Marker>, text: &str, line_end: &str) -> String {
    item(SIGN, marker, text, line_end)
}

/// Writes a text as prose if it is one block of it, and else as an item.
pub(super) fn new_prose(marker: Option<&Marker>, text: &str, line_end: &str) -> String {
    prose("", marker, text, line_end).unwrap_or_else(|| new_item(marker, text, line_end))
}

/// Writes an entry anew with another text; what it looked like before is `raw`.
pub(super) fn rewritten(
    kind: Kind,
    raw: &str,
    marker: Option<&Marker>,
    text: &str,
    line_end: &str,
) -> String {
    let first = line_at(raw, 0).map_or("", |line| line.text);
    if kind == Kind::Item {
        return item(first, marker, text, line_end);
    }
    prose(first, marker, text, line_end).unwrap_or_else(|| new_item(marker, text, line_end))
}

/// Writes an entry with another marker and every other byte as it was.
pub(super) fn marked(kind: Kind, body: &str, marker: &Marker, line_end: &str) -> Option<String> {
    let first = line_at(body, 0)?;
    let marked = if kind == Kind::Item {
        let bullet = Bullet::of(first.text)?;
        let text = Marker::at_end(&first.text[bullet.prefix..]).0;
        let text = if text.is_empty() {
            &first.text[..bullet.sign]
        } else {
            &first.text[..bullet.prefix + text.len()]
        };
        let (end, rest) = (&body[first.text.len()..first.end], &body[first.end..]);
        format!("{text} {marker}{}{rest}", if end.ends_with('\n') { end } else { line_end })
    } else {
        let end = if body.ends_with('\n') { "" } else { line_end };
        format!("{body}{end}{marker}{line_end}")
    };
    Some(marked)
}

/// Writes an item whose first line looks like another one's.
fn item(like: &str, marker: Option<&Marker>, text: &str, line_end: &str) -> String {
    let text = escape(&normal(text));
    let Some(bullet) = Bullet::of(like) else { return String::new() };
    let (head, below) =
        text.split_once('\n').map_or((&*text, None), |(head, below)| (head, Some(below)));
    let mut out = like[..bullet.sign].to_owned();
    let spaces = if like.len() > bullet.sign { &like[bullet.sign..bullet.prefix] } else { " " };
    let rule = marker.is_none() && is_break(&format!("{}{spaces}{head}", out.trim_start()));
    let beside = !head.is_empty() && !head.starts_with(is_space) && !rule;
    if beside {
        out.push_str(spaces);
        out.push_str(head);
    }
    if let Some(marker) = marker {
        let _ = write!(out, " {marker}");
    }
    out.push_str(line_end);
    let (column, below) = if beside {
        (Bullet::of(&out).map_or(bullet.column, |bullet| bullet.column), below)
    } else {
        (bullet.column_below(like), (!text.is_empty()).then_some(&*text))
    };
    for line in below.into_iter().flat_map(|below| below.split('\n')) {
        push_indented(&mut out, column, line, line_end);
    }
    out
}

/// Writes prose, if the text is one block of it.
fn prose(like: &str, marker: Option<&Marker>, text: &str, line_end: &str) -> Option<String> {
    const ANOTHER: &str = "# Another block";
    let (columns, _) = indentation(like);
    let columns = if columns < 4 { columns } else { 0 };
    let mut out = String::new();
    for line in escape(&normal(text)).split('\n') {
        push_indented(&mut out, columns, line, line_end);
    }
    if let Some(marker) = marker {
        let _ = write!(out, "{marker}{line_end}");
    }
    let read = Document::parse(&format!("{out}{ANOTHER}"));
    let entry = read.entries().next()?;
    let whole = entry.raw() == out && !entry.is_item();
    (whole && entry.marker() == marker && same(&entry.text(), text)).then_some(out)
}

fn push_indented(out: &mut String, columns: usize, line: &str, line_end: &str) {
    if !line.is_empty() {
        out.extend(std::iter::repeat_n(' ', columns));
        out.push_str(line);
    }
    out.push_str(line_end);
}
