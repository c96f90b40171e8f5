//! Where blocks begin and end.
//!
//! Each line is looked at a fixed number of times: once where a block is looked for, at most once
//! more where an item looks past blank lines for what is indented beneath it, and once where prose
//! looks for its marker.

use super::bullet::Bullet;
use super::document::{Block, Kind};
use super::lines::{Fence, Line, Opening, indentation, is_blank, line_at, opening, underline};
use super::marker::Marker;

/// Cuts a text into blocks, which leave nothing out.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut parser = Parser { text, at: 0, blocks: Vec::new(), headings: Vec::new() };
    if text.starts_with('\u{feff}') {
        parser.push(Kind::Blank, '\u{feff}'.len_utf8());
    }
    if let Some(end) = parser.front_matter() {
        parser.push(Kind::FrontMatter, end);
    }
    while let Some(line) = parser.line(parser.at) {
        let (kind, end) = parser.block(line);
        parser.push(kind, end);
    }
    parser.blocks
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    blocks: Vec<Block>,
    /// The headings that are open, with their levels.
    headings: Vec<(u8, usize)>,
}

impl<'a> Parser<'a> {
    fn line(&self, start: usize) -> Option<Line<'a>> {
        line_at(self.text, start)
    }

    /// Adds a block that ends at a place, with the marker on the line after it.
    fn push(&mut self, kind: Kind, body: usize) {
        if let Kind::Heading(level) = kind {
            while self.headings.pop_if(|(open, _)| *open >= level).is_some() {}
        }
        let heading = self.headings.last().map(|(_, block)| *block);
        if let Kind::Heading(level) = kind {
            self.headings.push((level, self.blocks.len()));
        }
        let inside = if kind == Kind::Item { self.item_marker() } else { None };
        let (marker, end) = match inside {
            None if kind.is_entry() => self.marker_below(kind, body),
            marker => (marker, body),
        };
        let marker = marker.map(Box::new);
        self.blocks.push(Block { kind, range: self.at..end, body, heading, marker, named: false });
        self.at = end;
    }

    /// Returns where the fields at the top end, if there are any.
    fn front_matter(&self) -> Option<usize> {
        let is_rule = |line: &Line<'_>| line.text.trim_end_matches([' ', '\t']) == "---";
        let mut line = self.line(self.at).filter(is_rule)?;
        loop {
            line = self.line(line.end)?;
            if is_rule(&line) {
                return Some(line.end);
            }
        }
    }

    /// Returns what begins with a line, and where it ends.
    fn block(&self, line: Line<'a>) -> (Kind, usize) {
        match opening(line.text) {
            Opening::Blank => (Kind::Blank, self.after(line, |line| is_blank(line.text))),
            Opening::Indented => (Kind::Code, self.code(line)),
            Opening::Heading(level) => (Kind::Heading(level), line.end),
            Opening::Fence(fence) => self.fenced(line, fence),
            Opening::Break => (Kind::Break, line.end),
            Opening::Comment(true) => (Kind::Comment, line.end),
            Opening::Comment(false) => self.comment(line),
            Opening::Item(bullet) => (Kind::Item, self.item(line, bullet)),
            Opening::Quote => (Kind::Prose, self.quote(line)),
            Opening::Plain => self.paragraph(line),
        }
    }

    /// Returns where the lines end that go on with a block.
    fn after(&self, line: Line<'a>, goes_on: impl Fn(&Line<'a>) -> bool) -> usize {
        let mut end = line.end;
        while let Some(line) = self.line(end).filter(&goes_on) {
            end = line.end;
        }
        end
    }

    /// Returns where indented lines end; blank ones between them count.
    fn code(&self, first: Line<'a>) -> usize {
        let (mut at, mut end) = (first.end, first.end);
        while let Some(line) = self.line(at) {
            match opening(line.text) {
                Opening::Blank => {}
                Opening::Indented => end = line.end,
                _ => break,
            }
            at = line.end;
        }
        end
    }

    fn fenced(&self, first: Line<'a>, fence: Fence) -> (Kind, usize) {
        let mut at = first.end;
        while let Some(line) = self.line(at) {
            at = line.end;
            let (columns, rest) = indentation(line.text);
            if columns < 4 && fence.closed_by(rest) {
                return (Kind::Prose, at);
            }
        }
        (Kind::OpenFence, at)
    }

    /// Returns where a comment ends that goes beyond its first line.
    fn comment(&self, first: Line<'a>) -> (Kind, usize) {
        let mut at = first.end;
        while let Some(line) = self.line(at) {
            at = line.end;
            if line.text.contains("-->") {
                return (Kind::Comment, at);
            }
        }
        (Kind::OpenComment, at)
    }

    fn quote(&self, first: Line<'a>) -> usize {
        self.after(first, |line| {
            let opening = opening(line.text);
            opening == Opening::Quote || !opening.interrupts()
        })
    }

    /// Returns where a paragraph ends, or the heading that a line of signs makes of it.
    fn paragraph(&self, first: Line<'a>) -> (Kind, usize) {
        let mut end = first.end;
        while let Some(line) = self.line(end) {
            if let Some(level) = underline(line.text) {
                return (Kind::Heading(level), line.end);
            }
            if opening(line.text).interrupts() {
                break;
            }
            end = line.end;
        }
        (Kind::Prose, end)
    }

    /// Returns where an item ends: with the last line that is indented beneath it, or that goes on
    /// with its paragraph.
    fn item(&self, first: Line<'a>, bullet: Bullet) -> usize {
        let mut inside = Inside::new(Marker::at_end(&first.text[bullet.prefix..]).0);
        let (mut at, mut end) = (first.end, first.end);
        while let Some(line) = self.line(at) {
            at = line.end;
            if is_blank(line.text) {
                inside.paragraph = false;
                continue;
            }
            let (columns, rest) = indentation(line.text);
            let beneath = columns >= bullet.indent + Bullet::DEEPER;
            let goes_on = || inside.paragraph && opening(line.text) == Opening::Plain;
            if !beneath && !goes_on() {
                break;
            }
            inside.read(rest);
            end = at;
        }
        end
    }

    /// Returns the marker at the end of the first line of the item that begins here.
    fn item_marker(&self) -> Option<Marker> {
        let first = self.line(self.at)?.text;
        Marker::at_end(&first[Bullet::of(first)?.prefix..]).1
    }

    /// Returns the marker on a line after an entry, and where the entry ends with it.
    ///
    /// A tool that tidies markdown puts a blank line between prose and a comment.
    fn marker_below(&self, kind: Kind, body: usize) -> (Option<Marker>, usize) {
        let mut next = self.line(body);
        if kind != Kind::Item {
            next = match next {
                Some(line) if is_blank(line.text) => self.line(line.end),
                next => next,
            };
        }
        let marked = next.and_then(|line| Some((Marker::parse(line.text)?, line.end)));
        marked.map_or((None, body), |(marker, end)| (Some(marker), end))
    }
}

/// What the last line of an item was.
struct Inside {
    fence: Option<Fence>,
    paragraph: bool,
}

impl Inside {
    fn new(text: &str) -> Self {
        let mut inside = Self { fence: None, paragraph: false };
        inside.read(text);
        inside
    }

    fn read(&mut self, text: &str) {
        self.fence = match self.fence {
            Some(fence) if fence.closed_by(text) => None,
            Some(fence) => Some(fence),
            None => Fence::opened_by(text),
        };
        self.paragraph = self.fence.is_none() && !is_blank(text);
    }
}
