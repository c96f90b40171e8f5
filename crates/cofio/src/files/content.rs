//! What a text looks like in a file, and what it is without that.

use super::lines::{is_blank, is_space, lines};

/// What a marker begins with, behind the sign of a comment and spaces.
const NAME: &str = "cofio";

/// Returns a text in the form in which a file gives it back.
///
/// No line ends in a carriage return, and the text ends with something to be seen: lines of nothing
/// but spaces at the end go. Everything else is kept. Doing it twice changes nothing more.
pub fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut end = 0;
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            normal.push('\n');
        }
        normal.push_str(line.trim_end_matches('\r'));
        if !is_blank(line) {
            end = normal.len();
        }
    }
    normal.truncate(end);
    normal
}

/// Makes sure that nothing in a text is taken for a marker: another backslash before each `cofio`
/// that begins a comment.
pub(super) fn escape(text: &str) -> String {
    rewritten(text, |out, backslashes| {
        out.push('\\');
        out.push_str(backslashes);
    })
}

/// Takes away what [`escape`] added.
pub(super) fn unescape(text: &str) -> String {
    rewritten(text, |out, backslashes| {
        out.push_str(backslashes.strip_prefix('\\').unwrap_or_default());
    })
}

/// Writes a text with other backslashes wherever a comment begins like a marker.
fn rewritten(text: &str, write: impl Fn(&mut String, &str)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<!--") {
        let behind = &rest[at + 4..];
        let word = behind.trim_start_matches(is_space);
        let name = word.trim_start_matches('\\');
        out.push_str(&rest[..rest.len() - word.len()]);
        rest = word;
        if name.starts_with(NAME) {
            write(&mut out, &word[..word.len() - name.len()]);
            rest = name;
        }
    }
    out.push_str(rest);
    out
}

/// Returns whether two texts have the same normal form.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || normal(one) == normal(other)
}

/// Returns lines without their ends, one below the other.
pub(super) fn joined<'a>(text: &'a str, mut line: impl FnMut(&'a str) -> &'a str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, one) in lines(text).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(line(one));
    }
    out
}
