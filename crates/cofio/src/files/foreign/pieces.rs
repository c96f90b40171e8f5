//! What of a file says something by itself.
//!
//! An item of a list does, with everything beneath it, and so does a paragraph. A paragraph that
//! ends with a colon does not: what it leads up to is part of it, if that is a short list or one
//! block of code.

use std::ops::Range;
use std::sync::Arc;

use crate::files::document::{Block, Kind};
use crate::files::lines::{Opening, opening};
use crate::files::{Document, normal};

/// How many bytes a list may have to be one with what leads up to it.
const SHORT: usize = 2_000;

/// Something that a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The line that it begins on, counted from 1.
    pub(super) line: usize,
    /// The headings above it, the topmost first.
    pub(super) headings: Arc<[String]>,
    pub(super) text: String,
    pub(super) is_item: bool,
}

/// Returns everything that a file says, from top to bottom; an item that stands `alone` is part of
/// nothing.
pub(super) fn pieces(document: &Document, alone: impl Fn(&str) -> bool) -> Vec<Piece> {
    let entries = entries(document);
    let mut pieces = Vec::new();
    let mut rest = &entries[..];
    // Whatever stands under one heading shares it, however long it is.
    let (mut under, mut headings): (_, Arc<[String]>) = (None, Arc::default());
    while let [first, behind @ ..] = rest {
        let led = if first.leads() { led(first, behind, &alone) } else { 0 };
        let text = match led {
            0 => first.text.clone(),
            _ => raw(document, first.range.start..behind[led - 1].range.end),
        };
        rest = &behind[led..];
        if !text.trim().is_empty() {
            if first.heading != under {
                (under, headings) = (first.heading, document.titles(first.heading).into());
            }
            let headings = Arc::clone(&headings);
            pieces.push(Piece { line: first.line, headings, text, is_item: first.is_item() });
        }
    }
    pieces
}

/// An entry of a document.
struct Entry {
    kind: Kind,
    range: Range<usize>,
    heading: Option<usize>,
    line: usize,
    text: String,
    is_marked: bool,
    /// Whether nothing but blank lines stands between it and the one before.
    follows: bool,
}

impl Entry {
    fn is_item(&self) -> bool {
        self.kind == Kind::Item
    }

    /// Returns whether it says what comes next rather than something by itself.
    fn leads(&self) -> bool {
        self.kind == Kind::Prose && self.text.ends_with(':') && !self.is_marked
    }

    /// Returns whether it is code, a table or something quoted.
    fn is_shown(&self) -> bool {
        let first = self.text.split('\n').next().unwrap_or_default();
        matches!(self.kind, Kind::Code | Kind::OpenFence)
            || matches!(opening(first), Opening::Fence(_) | Opening::Quote)
            || first.starts_with('|')
    }
}

/// Returns how many entries belong to the one that leads up to them.
fn led(first: &Entry, behind: &[Entry], alone: impl Fn(&str) -> bool) -> usize {
    let belongs = |entry: &&Entry| entry.follows && !entry.is_marked;
    if behind.first().filter(belongs).is_some_and(Entry::is_shown) {
        return 1;
    }
    let item = |entry: &&Entry| belongs(entry) && entry.is_item() && !alone(&entry.text);
    let items = behind.iter().take_while(item).count();
    let end = items.checked_sub(1).map_or(first.range.end, |last| behind[last].range.end);
    if end - first.range.start <= SHORT { items } else { 0 }
}

fn entries(document: &Document) -> Vec<Entry> {
    let mut entries = Vec::new();
    let (mut line, mut counted, mut follows) = (1, 0, false);
    for block in document.blocks() {
        if !block.kind.is_entry() {
            follows &= block.kind == Kind::Blank;
            continue;
        }
        line += document.as_str()[counted..block.range.start].matches('\n').count();
        counted = block.range.start;
        entries.push(entry(document, block, line, follows));
        follows = true;
    }
    entries
}

fn entry(document: &Document, block: &Block, line: usize, follows: bool) -> Entry {
    Entry {
        kind: block.kind,
        range: block.range.clone(),
        heading: block.heading,
        line,
        text: document.text(block),
        is_marked: block.marker.is_some(),
        follows,
    }
}

/// Returns a part of a file as it is written.
fn raw(document: &Document, range: Range<usize>) -> String {
    normal(document.as_str()[range].trim_start_matches(['\n', '\r']))
}
