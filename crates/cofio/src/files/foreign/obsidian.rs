//! Vaults of Obsidian: notes that link to each other, each about what it is called.
//!
//! What Obsidian does not show is left out: `%% comments %%` and the signs by which blocks are
//! linked to (`^block`). A line that only shows another note or a picture says nothing.

use jiff::tz::TimeZone;

use super::File;
use super::note::{Note, link};
use super::page::Page;
use super::pieces::{Piece, pieces};
use crate::files::lines::{Fence, indentation, line_at};
use crate::model::{Kind, Triple};
use crate::text::wikilinks;

/// The sign that begins and ends a comment.
const COMMENT: &str = "%%";

/// Returns every item and every paragraph, about the note, and what else the note is called.
pub(super) fn notes(file: &File, zone: &TimeZone) -> Vec<Note> {
    let page = Page::new(file, &without_comments(&file.text), zone);
    let about = page.day.is_none().then(|| file.stem().to_owned());
    let mut notes = aliases(&page, about.as_deref());
    for mut piece in pieces(&page.document, |_| false) {
        piece.text = without_block_ids(&piece.text, piece.is_item);
        if says_something(&piece.text) {
            notes.push(Note { about: about.clone(), ..page.note(piece) });
        }
    }
    notes
}

/// Returns that a note has other names.
fn aliases(page: &Page<'_>, about: Option<&str>) -> Vec<Note> {
    let Some(about) = about else { return Vec::new() };
    let names = page.fields.list(&["aliases", "alias"], &[',']);
    let others = names.into_iter().filter(|name| name != about);
    let called = |name: String| {
        const CALLED: &str = "is also called";
        let text = format!("{} {CALLED} {}", link(about), shown(about, &name));
        let piece = Piece { line: 1, headings: [about.to_owned()].into(), text, is_item: false };
        let statement = Some(Triple {
            fact_type: "alias".to_owned(),
            subject: about.to_owned(),
            predicate: CALLED.to_owned(),
            object: name,
        });
        Note { kind: Kind::Procedure, statement, ..page.note(piece) }
    };
    others.map(called).collect()
}

/// Writes another name of a note, so that it is found by it.
fn shown(about: &str, name: &str) -> String {
    let alone = link(name);
    // What begins with a small letter is not taken for a name where it is shown.
    match link(about).strip_suffix("]]") {
        Some(open) if alone != name && !name.starts_with(char::is_lowercase) => {
            format!("{open}|{name}]]")
        }
        _ => alone,
    }
}

/// Returns whether anything is left of a text without what it shows from elsewhere.
fn says_something(text: &str) -> bool {
    let mut rest = String::new();
    let mut at = 0;
    for shown in wikilinks(text).filter(|link| link.embedded) {
        rest.push_str(&text[at..shown.range.start]);
        at = shown.range.end;
    }
    rest.push_str(&text[at..]);
    // Signs of lists and quotes say nothing either.
    !rest.trim().is_empty() && (at == 0 || rest.contains(char::is_alphanumeric))
}

/// Takes comments out of a text, except in code; lines stay where they are.
///
/// A comment that nothing ends is text.
fn without_comments(text: &str) -> String {
    let signs = signs(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for pair in signs.chunks_exact(2) {
        out.push_str(&text[at..pair[0]]);
        at = pair[1] + COMMENT.len();
        out.extend(text[pair[0]..at].chars().filter(|c| matches!(c, '\n' | '\r')));
    }
    out.push_str(&text[at..]);
    out
}

/// Returns where comments begin and end.
fn signs(text: &str) -> Vec<usize> {
    let mut signs = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut at = 0;
    while let Some(line) = line_at(text, at) {
        let (_, rest) = indentation(line.text);
        let inside = signs.len() % 2 == 1;
        match fence {
            Some(open) if open.closed_by(rest) => fence = None,
            Some(_) => {}
            // A comment may have code in it, which does not keep it from ending.
            None if inside => in_line(line.text, at, &mut signs),
            None => match Fence::opened_by(rest) {
                Some(open) => fence = Some(open),
                None => in_line(line.text, at, &mut signs),
            },
        }
        at = line.end;
    }
    signs
}

fn in_line(line: &str, start: usize, signs: &mut Vec<usize>) {
    signs.extend(line.match_indices(COMMENT).map(|(at, _)| start + at));
}

/// Takes away the signs by which blocks are linked to, at the end of a text and of each line of an
/// item.
fn without_block_ids(text: &str, is_item: bool) -> String {
    let last = text.split('\n').count() - 1;
    let mut fence: Option<Fence> = None;
    let mut lines = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        let (_, rest) = indentation(line);
        fence = match fence {
            Some(open) if open.closed_by(rest) => None,
            Some(open) => Some(open),
            None => Fence::opened_by(rest),
        };
        let may_have = fence.is_none() && (is_item || number == last);
        lines.push(if may_have { without_block_id(line) } else { line });
    }
    lines.join("\n").trim_end().to_owned()
}

fn without_block_id(line: &str) -> &str {
    let line = line.trim_end();
    let (before, id) = line.rsplit_once('^').unwrap_or((line, ""));
    let named = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let apart = before.is_empty() || before.ends_with([' ', '\t']);
    if named && apart { before.trim_end() } else { line }
}
