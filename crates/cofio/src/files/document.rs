//! A file of markdown as a sequence of blocks, from which every byte can be told.

use std::fmt;
use std::ops::Range;

use super::bullet::Bullet;
use super::content::{joined, normal, unescape};
use super::edit::Edit;
use super::front_matter::FrontMatter;
use super::lines::{Opening, dedent, indentation, is_space, line_at, lines, opening, underline};
use super::marker::Marker;
use super::parse;
use crate::model::MemoryId;

/// A file of markdown.
///
/// Any text is one: there is nothing that cannot be read, and [`Document::as_str`] gives back what
/// was read. Reading takes time in proportion to the length of the text, whatever it says.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    text: String,
    blocks: Vec<Block>,
    form: Form,
}

/// How memories stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Each is an entry of its own.
    Entries,
    /// The file is one, whatever stands in it; which one stands nowhere in the file.
    Page,
}

/// Where an entry stands in one document: the first has the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub(super) usize);

/// A piece of a document; where one ends, the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    /// Where the text of an entry ends and a line with its marker may begin.
    pub(super) body: usize,
    /// The heading that it stands under, as the number of its block.
    pub(super) heading: Option<usize>,
    pub(super) marker: Option<Box<Marker>>,
    /// Whether the marker stands nowhere in the file.
    pub(super) named: bool,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    FrontMatter,
    Heading(u8),
    Break,
    Comment,
    /// A comment that nothing ends.
    OpenComment,
    Blank,
    Item,
    Prose,
    /// Code that its indentation makes code.
    Code,
    /// Code between fences, of which the second is missing.
    OpenFence,
    /// All of a file that is one memory.
    Page,
}

impl Kind {
    /// Returns whether a block of this kind may be a memory.
    pub(super) fn is_entry(self) -> bool {
        matches!(self, Self::Item | Self::Prose | Self::Code | Self::OpenFence | Self::Page)
    }

    /// Returns whether whatever follows such a block becomes part of it.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::OpenComment | Self::OpenFence)
    }
}

impl Document {
    /// Reads a text.
    pub fn parse(text: &str) -> Self {
        Self { text: text.to_owned(), blocks: parse::blocks(text), form: Form::Entries }
    }

    /// Reads a text that is one memory from beginning to end, and says which.
    pub fn page(text: &str, id: Option<MemoryId>) -> Self {
        let marker = id.map(|id| Box::new(Marker::new(id)));
        let range = 0..text.len();
        let (body, named) = (range.end, marker.is_some());
        let page = Block { kind: Kind::Page, body, range, heading: None, marker, named };
        let blocks = if normal(text).is_empty() { Vec::new() } else { vec![page] };
        Self { text: text.to_owned(), blocks, form: Form::Page }
    }

    /// Returns a page with another text, whose lines end as those of this one; without a text,
    /// nothing is left of it.
    pub(super) fn other_page(&self, text: Option<&str>, id: Option<MemoryId>) -> Self {
        let lines = |text: &str| format!("{}\n", normal(text)).replace('\n', self.line_end());
        Self::page(&text.map(lines).unwrap_or_default(), id)
    }

    /// Returns the same document, in which it is known of entries which memories they are though
    /// nothing in the file says so: each takes the first that is not taken.
    pub(super) fn named<'a>(mut self, mut name: impl FnMut(&str) -> Option<&'a MemoryId>) -> Self {
        for number in 0..self.blocks.len() {
            let block = &self.blocks[number];
            if block.kind.is_entry() && block.marker.is_none() {
                let id = name(&self.text(block)).cloned();
                let block = &mut self.blocks[number];
                block.named = id.is_some();
                block.marker = id.map(|id| Box::new(Marker::new(id)));
            }
        }
        self
    }

    /// Returns how memories stand in it.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the text, byte for byte.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the entries from top to bottom.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> {
        let entry =
            |(place, block): (usize, _)| Entry { document: self, block, place: Place(place) };
        let blocks = self.blocks.iter().enumerate();
        blocks.filter(|(_, block)| block.kind.is_entry()).map(entry)
    }

    /// Returns the entry at a place.
    pub fn entry(&self, place: Place) -> Option<Entry<'_>> {
        let block = self.blocks.get(place.0).filter(|block| block.kind.is_entry())?;
        Some(Entry { document: self, block, place })
    }

    /// Returns the fields at the top of the file, if it begins with any.
    pub fn front_matter(&self) -> Option<FrontMatter<'_>> {
        let block = self.blocks.iter().find(|block| block.kind == Kind::FrontMatter)?;
        Some(FrontMatter::new(&self.text[block.range.clone()]))
    }

    /// Returns how many bytes the fields at the top take, with their rules.
    pub(super) fn front_matter_length(&self) -> Option<usize> {
        let block = self.blocks.iter().find(|block| block.kind == Kind::FrontMatter)?;
        Some(block.range.len())
    }

    /// Begins to make another document out of this one.
    pub fn edit(&self) -> Edit<'_> {
        Edit::new(self)
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the bytes of a block.
    pub(super) fn raw(&self, block: &Block) -> &str {
        &self.text[block.range.clone()]
    }

    /// Returns what the heading of a block says.
    pub(super) fn title(&self, heading: &Block) -> String {
        title(self.raw(heading))
    }

    /// Returns what the entry of a block says.
    pub(super) fn text(&self, block: &Block) -> String {
        let body = &self.text[block.range.start..block.body];
        let text = match block.kind {
            Kind::Item => item_text(body),
            Kind::Code => joined(body, |line| line),
            Kind::Page => return normal(body.trim_start_matches('\u{feff}')),
            _ => {
                let (columns, _) = indentation(body);
                joined(body, |line| dedent(line, columns))
            }
        };
        normal(&unescape(&text))
    }

    /// Returns how the lines of this file end.
    pub(super) fn line_end(&self) -> &'static str {
        let first = self.text.find('\n').map(|at| &self.text[..at]);
        if first.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
    }

    /// Returns the titles of a heading and of those above it, the topmost first.
    pub(super) fn titles(&self, heading: Option<usize>) -> Vec<String> {
        let mut titles = Vec::new();
        let mut at = heading;
        while let Some(block) = at.and_then(|at| self.blocks.get(at)) {
            titles.push(self.title(block));
            at = block.heading;
        }
        titles.reverse();
        titles
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Prints sizes only: nobody has taken secrets out of a file.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, blocks) = (self.text.len(), self.blocks.len());
        let mut shown = f.debug_struct("Document");
        shown.field("form", &self.form).field("bytes", &bytes).field("blocks", &blocks).finish()
    }
}

/// One item of a list, with everything indented beneath it, or one piece of prose.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    document: &'a Document,
    block: &'a Block,
    place: Place,
}

impl<'a> Entry<'a> {
    /// Returns where it stands.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns which memory it is, if a marker says so.
    pub fn marker(&self) -> Option<&'a Marker> {
        self.block.marker.as_deref()
    }

    /// Returns whether nothing in the file says which memory it is.
    pub fn is_bare(&self) -> bool {
        self.block.marker.is_none() || self.block.named
    }

    /// Returns the titles of the headings above it, the topmost first.
    pub fn path(&self) -> Vec<String> {
        self.document.titles(self.block.heading)
    }

    /// Returns what it says: no sign of a list, no indentation, no marker; in the form of [`normal`].
    pub fn text(&self) -> String {
        self.document.text(self.block)
    }

    /// Returns whether it is an item of a list.
    pub fn is_item(&self) -> bool {
        self.block.kind == Kind::Item
    }

    /// Returns the line that it begins on, counted from 1.
    pub fn line(&self) -> usize {
        self.document.text[..self.block.range.start].matches('\n').count() + 1
    }

    /// Returns its bytes, its marker among them.
    pub fn raw(&self) -> &'a str {
        self.document.raw(self.block)
    }
}

/// Returns what an item says, with what is escaped in it.
fn item_text(body: &str) -> String {
    let first = line_at(body, 0).map_or("", |line| line.text);
    let Some(bullet) = Bullet::of(first) else { return body.to_owned() };
    // A marker inside is one of an item that somebody has put beneath this one.
    let bare = |line| Marker::at_end(line).0;
    let head = bare(&first[bullet.prefix..]);
    let rest = &body[line_at(body, 0).map_or(body.len(), |line| line.end)..];
    let rest = joined(rest, |line| bare(dedent(line, bullet.column)));
    match (head.is_empty(), rest.is_empty()) {
        (true, _) => rest,
        (false, true) => head.to_owned(),
        (false, false) => format!("{head}\n{rest}"),
    }
}

/// Returns what a heading says.
fn title(raw: &str) -> String {
    let first = lines(raw).next().unwrap_or_default();
    if !matches!(opening(first), Opening::Heading(_)) {
        let said = lines(raw).filter(|line| underline(line).is_none()).map(str::trim);
        return said.collect::<Vec<_>>().join(" ");
    }
    let said = first.trim_start_matches(is_space).trim_start_matches('#').trim();
    let open = said.trim_end_matches('#');
    let closed = open.is_empty() || open.ends_with(is_space);
    (if closed { open.trim_end() } else { said }).to_owned()
}
