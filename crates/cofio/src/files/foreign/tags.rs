//! Labels within a text: `#garden`, `#project/apollo`.

use crate::files::lines::{Fence, indentation, lines};

/// How many bytes a label has at most, as one of a memory does.
pub(super) const LONGEST: usize = 256;

/// Returns the labels of a text in their order, each nested one after those that it belongs to.
///
/// Code has none, and neither have numbers: `#12` is something else.
pub(super) fn tags(text: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut fence: Option<Fence> = None;
    for line in lines(text) {
        let (_, rest) = indentation(line);
        match fence {
            Some(open) if open.closed_by(rest) => fence = None,
            Some(_) => {}
            None => match Fence::opened_by(rest) {
                Some(open) => fence = Some(open),
                None => in_line(line, &mut tags),
            },
        }
    }
    tags
}

/// Returns a label and those that it belongs to: `a/b` belongs to `a`. One that is too long is none.
pub(super) fn nested(tag: &str) -> impl Iterator<Item = &str> {
    let tag = tag.trim_matches(|c: char| c == '#' || c == '/' || c.is_whitespace());
    let tag = if tag.len() <= LONGEST { tag } else { "" };
    tag.match_indices('/').map(|(end, _)| &tag[..end]).chain([tag]).filter(|tag| !tag.is_empty())
}

fn in_line(line: &str, tags: &mut Vec<String>) {
    // Every other piece is code, unless nothing ends it.
    let pieces: Vec<&str> = line.split('`').collect();
    let last = pieces.len() - 1;
    for (number, piece) in pieces.into_iter().enumerate() {
        if number % 2 == 0 || number == last {
            for (at, _) in piece.match_indices('#') {
                if piece[..at].is_empty() || piece[..at].ends_with([' ', '\t', '(', ',', ';']) {
                    tags.extend(nested(label(&piece[at + 1..])).map(str::to_owned));
                }
            }
        }
    }
}

/// Returns the label that a text begins with, or nothing.
fn label(text: &str) -> &str {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let end = text.find(|c| !part(c)).unwrap_or(text.len());
    let label = &text[..end];
    if label.chars().all(char::is_numeric) { "" } else { label }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tags(text), expected, "{text:?}");
    }

    #[test]
    fn labels_stand_apart_and_nest() {
        check("plant #garden, #project/apollo.", &["garden", "project", "project/apollo"]);
        check("#Größe (#v2) #a-b_c", &["Größe", "v2", "a-b_c"]);
        check("#a/ #/b", &["a", "b"]);
        check(&format!("#{}", "a/".repeat(1_000_000)), &[]);
    }

    #[test]
    fn code_numbers_headings_and_addresses_have_none() {
        check("fix #12, see x#y and https://a.example/#top", &[]);
        check("run `a #b` and\n```\n#c\n```\n# d ##", &[]);
        check("an open ` sign #e", &["e"]);
    }
}
