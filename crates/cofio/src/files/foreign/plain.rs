//! Markdown that anybody wrote: `MEMORY.md`, `notes.md`, `daily/2026-03-01.md`.

use jiff::tz::TimeZone;

use super::File;
use super::note::Note;
use super::page::Page;
use super::pieces::{Piece, pieces};

/// How many bytes a heading has at most that is a label too.
const LABEL: usize = 40;

/// Returns every item and every paragraph, labelled with the heading that it stands under.
pub(super) fn notes(file: &File, zone: &TimeZone) -> Vec<Note> {
    let page = Page::new(file, &file.text, zone);
    pieces(&page.document, |_| false).into_iter().map(|piece| note(&page, piece)).collect()
}

/// Returns the note that a piece of a file is, with its heading as a label.
pub(super) fn note(page: &Page<'_>, piece: Piece) -> Note {
    let heading = piece.headings.last().and_then(|heading| label(heading));
    let mut note = page.note(piece);
    if page.day.is_none() {
        note.tag(&heading.unwrap_or_default());
    }
    note
}

/// Returns a heading as a label: `Coding style` is `coding-style`.
fn label(heading: &str) -> Option<String> {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let label = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    (!label.is_empty() && label.len() <= LABEL).then_some(label)
}
