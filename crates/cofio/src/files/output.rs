//! Putting blocks together so that each is read as the block it was.

use super::bullet::Bullet;
use super::document::{Block, Kind};
use super::lines::{Opening, indentation, is_blank, line_at, lines, opening, underline};
use super::marker::Marker;

/// A comment that says nothing, and separates what would otherwise be read as one.
const SEPARATOR: &str = "<!-- -->";

/// A text that grows by blocks.
#[derive(Debug)]
pub(super) struct Output {
    text: String,
    line_end: &'static str,
    last: Last,
    /// How far the last block is indented, blank lines aside, if it takes what is indented beneath.
    reach: Option<usize>,
    /// Whether the next comment would be taken for the marker of the last entry.
    unmarked: bool,
    /// Whether the last block stood before the next one all along.
    intact: bool,
    removed: bool,
}

/// What the text ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Blank,
    Heading,
    Closed,
    Item,
    Prose,
}

impl Output {
    pub(super) fn new(capacity: usize, line_end: &'static str) -> Self {
        let text = String::with_capacity(capacity);
        let last = Last::Nothing;
        Self { text, line_end, last, reach: None, unmarked: false, intact: true, removed: false }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Adds a block of the old text as it stands.
    pub(super) fn keep(&mut self, block: &Block, raw: &str) {
        if block.kind == Kind::Blank {
            self.keep_blank(raw);
        } else {
            if !self.intact {
                self.separate(raw);
            }
            self.text.push_str(raw);
            self.ended(block.kind, raw, block.marker.is_some() && !block.named);
            self.intact = true;
        }
        self.removed = false;
    }

    /// Leaves a block of the old text out.
    pub(super) fn skip(&mut self) {
        self.intact = false;
        self.removed = true;
    }

    /// Adds an entry in the place of one of the old text.
    pub(super) fn replace(&mut self, raw: &str) {
        self.separate(raw);
        self.push_entry(raw);
    }

    /// Adds an entry that is new.
    pub(super) fn insert(&mut self, raw: &str) {
        if matches!(self.last, Last::Heading | Last::Closed | Last::Prose) {
            self.blank_line();
        }
        self.separate(raw);
        self.push_entry(raw);
    }

    /// Adds a heading that is new.
    pub(super) fn heading(&mut self, level: u8, title: &str) {
        if !matches!(self.last, Last::Nothing | Last::Blank) {
            self.blank_line();
        }
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        // A title that ends in number signs needs others that are not part of it.
        let close = if title.ends_with('#') { " #" } else { "" };
        let signs = "#".repeat(usize::from(level));
        self.push_line(&format!("{signs} {title}{close}"));
        (self.last, self.reach, self.unmarked) = (Last::Heading, None, false);
        self.intact = false;
    }

    /// Makes room between what was inserted and a block that follows it.
    pub(super) fn before_heading(&mut self) {
        if matches!(self.last, Last::Item | Last::Prose | Last::Heading) && !self.intact {
            self.blank_line();
        }
    }

    /// Adds blank lines, one less if what stood between them and others was left out.
    fn keep_blank(&mut self, raw: &str) {
        let first = line_at(raw, 0).map_or(0, |line| line.end);
        let doubled = self.removed && self.last == Last::Blank;
        let kept = if doubled { &raw[first..] } else { raw };
        self.complete();
        self.text.push_str(kept);
        // An entry may be one blank line away from its marker.
        self.unmarked = self.unmarked && lines(raw).count() < 2;
        self.last = Last::Blank;
    }

    fn push_entry(&mut self, raw: &str) {
        self.text.push_str(raw);
        let kind = match line_at(raw, 0).map(|line| opening(line.text)) {
            Some(Opening::Item(_)) => Kind::Item,
            Some(Opening::Indented) => Kind::Code,
            _ => Kind::Prose,
        };
        let marked = line_at(raw, 0).is_some_and(|line| Marker::at_end(line.text).1.is_some())
            || lines(raw).last().is_some_and(|line| Marker::parse(line).is_some());
        self.ended(kind, raw, marked);
        (self.intact, self.removed) = (false, false);
    }

    /// Notes what the text ends with.
    fn ended(&mut self, kind: Kind, raw: &str, marked: bool) {
        let below = marked && lines(raw).last().is_some_and(|line| Marker::parse(line).is_some());
        self.last = match kind {
            Kind::Blank => Last::Blank,
            Kind::Heading(_) => Last::Heading,
            _ if below => Last::Closed,
            Kind::Item => Last::Item,
            Kind::Prose | Kind::Code | Kind::OpenFence | Kind::Page => Last::Prose,
            _ => Last::Closed,
        };
        self.reach = match kind {
            _ if below => None,
            Kind::Item => Some(indentation(raw).0 + Bullet::DEEPER),
            Kind::Code => Some(4),
            _ => None,
        };
        self.unmarked = kind.is_entry() && !marked;
    }

    /// Makes sure that what begins with `raw` is not read as part of what stands before it.
    fn separate(&mut self, raw: &str) {
        self.complete();
        let first = line_at(raw, 0).map_or("", |line| line.text);
        let opening = opening(first);
        let beneath = self.reach.is_some_and(|reach| indentation(first).0 >= reach);
        if beneath || (self.unmarked && Marker::parse(first).is_some()) {
            return self.push_line_closed(SEPARATOR);
        }
        let goes_on = match self.last {
            Last::Item => opening == Opening::Plain,
            Last::Prose => {
                !opening.interrupts() || opening == Opening::Quote || underline(first).is_some()
            }
            // At the top of a file, a rule would begin fields, and a mark would be one of byte order.
            Last::Nothing | Last::Blank => {
                let top = self.text.trim_start_matches('\u{feff}').is_empty();
                top && (opening == Opening::Break || first.starts_with('\u{feff}'))
            }
            Last::Heading | Last::Closed => false,
        };
        if goes_on {
            self.blank_line();
        }
    }

    /// Ends the last line.
    fn complete(&mut self) {
        let empty = self.text.is_empty() || self.text == "\u{feff}";
        if !empty && !self.text.ends_with('\n') {
            self.text.push_str(self.line_end);
        }
    }

    fn blank_line(&mut self) {
        self.push_line("");
        self.last = Last::Blank;
    }

    fn push_line_closed(&mut self, line: &str) {
        self.push_line(line);
        (self.last, self.reach, self.unmarked) = (Last::Closed, None, false);
    }

    fn push_line(&mut self, line: &str) {
        self.complete();
        self.text.push_str(line);
        self.text.push_str(self.line_end);
        debug_assert!(is_blank(line) || line.starts_with(['<', '#']), "a separator or a heading");
    }
}
