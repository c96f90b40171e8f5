//! Making another document out of one, in which everything that is not changed stays as it was.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::document::{Block, Document, Kind, Place};
use super::front_matter::{FrontMatter, Value};
use super::marker::Marker;
use super::output::Output;
use super::render;

/// Where a new entry is put.
#[derive(Debug, Clone, Copy)]
pub enum Position<'a> {
    /// After everything else.
    End,
    /// At the end of a section, before the headings in it; it is made if it is not there.
    Under(&'a [String]),
    /// Right after another entry.
    After(Place),
}

/// Changes of a document, all of which are meant for the document as it was.
///
/// Changing any number of entries takes time in proportion to the length of the text, and adding
/// the first one under some headings takes a look at each heading.
pub struct Edit<'a> {
    document: &'a Document,
    changes: BTreeMap<usize, Change>,
    /// What is new, by the number of the block that it comes before.
    insertions: BTreeMap<usize, Insertion>,
    fields: Vec<(String, Value)>,
    /// Where sections are, as far as somebody asked.
    places: HashMap<Vec<String>, SectionPlace>,
}

/// Where a section is, or would be.
#[derive(Clone, Copy)]
struct SectionPlace {
    /// How many of its titles are there.
    depth: usize,
    /// The level of the last of them.
    level: u8,
    /// The number of the block that something new comes before.
    end: usize,
}

/// What becomes of an entry.
#[derive(Default)]
struct Change {
    removed: bool,
    unmarked: bool,
    text: Option<String>,
    marker: Option<Marker>,
}

/// An entry that is new.
struct New {
    marker: Option<Marker>,
    text: String,
    shape: Shape,
}

/// What a new entry looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An item of a list.
    Item,
    /// Prose, if the text is one block of it, and else an item.
    Prose,
}

/// What is put between two blocks.
#[derive(Default)]
struct Insertion {
    entries: Vec<New>,
    sections: Vec<Section>,
}

/// A section that is new.
struct Section {
    level: u8,
    title: String,
    entries: Vec<New>,
    sections: Vec<Section>,
}

impl<'a> Edit<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let (changes, insertions) = (BTreeMap::new(), BTreeMap::new());
        Self { document, changes, insertions, fields: Vec::new(), places: HashMap::new() }
    }

    /// Gives an entry another text; its sign, its indentation and its marker stay.
    ///
    /// Prose becomes an item of a list if the text is more than one block.
    pub fn replace(&mut self, place: Place, text: &str) {
        self.changes.entry(place.0).or_default().text = Some(text.to_owned());
    }

    /// Says which memory an entry is.
    pub fn mark(&mut self, place: Place, marker: Marker) {
        self.changes.entry(place.0).or_default().marker = Some(marker);
    }

    /// Takes the marker of an entry away.
    pub fn unmark(&mut self, place: Place) {
        self.changes.entry(place.0).or_default().unmarked = true;
    }

    /// Takes an entry out, and a blank line with it if there would be two in a row.
    pub fn remove(&mut self, place: Place) {
        self.changes.entry(place.0).or_default().removed = true;
    }

    /// Adds an item, after those that were added at the same position.
    pub fn add(&mut self, position: Position<'_>, marker: Option<Marker>, text: &str) {
        self.add_shaped(position, Shape::Item, marker, text);
    }

    /// Adds an entry, after those that were added at the same position.
    pub fn add_shaped(
        &mut self,
        position: Position<'_>,
        shape: Shape,
        marker: Option<Marker>,
        text: &str,
    ) {
        let new = New { marker, text: text.to_owned(), shape };
        match position {
            Position::End => {
                let end = self.end_of(0, self.document.blocks().len());
                self.entries_at(end).push(new);
            }
            Position::After(place) => {
                let open = self.document.blocks().get(place.0).is_some_and(|b| b.kind.is_open());
                self.entries_at(place.0 + usize::from(!open)).push(new);
            }
            Position::Under(titles) => self.add_under(titles, new),
        }
    }

    /// Sets a field at the top of the file, and leaves the others as they are.
    pub fn set(&mut self, field: &str, value: Value) {
        self.fields.retain(|(name, _)| name != field);
        self.fields.push((field.to_owned(), value));
    }

    /// Returns the document with all changes made.
    pub fn finish(self) -> Document {
        let document = self.document;
        if self.changes.is_empty() && self.insertions.is_empty() && self.fields.is_empty() {
            return document.clone();
        }
        let line_end = document.line_end();
        let mut output = Output::new(document.as_str().len(), line_end);
        for (number, block) in document.blocks().iter().enumerate() {
            if let Some(insertion) = self.insertions.get(&number) {
                insertion.write(&mut output, line_end);
            }
            match self.changes.get(&number) {
                Some(Change { removed: true, .. }) => output.skip(),
                Some(change) => output.replace(&change.written(document, block, line_end)),
                None => keep(&mut output, document, block),
            }
        }
        if let Some(insertion) = self.insertions.get(&document.blocks().len()) {
            insertion.write(&mut output, line_end);
        }
        let made = output.finish();
        if self.fields.is_empty() {
            return Document::parse(&made);
        }
        Document::parse(&FrontMatter::set(&made, &self.fields, line_end))
    }

    fn add_under(&mut self, titles: &[String], new: New) {
        let known = self.places.get(titles).copied();
        let place = known.unwrap_or_else(|| self.section_place(titles));
        if known.is_none() {
            self.places.insert(titles.to_owned(), place);
        }
        let SectionPlace { depth, level, end } = place;
        if depth == titles.len() {
            return self.entries_at(end).push(new);
        }
        let sections = &mut self.insertions.entry(end).or_default().sections;
        section(sections, level + 1, &titles[depth], &titles[depth + 1..]).push(new);
    }

    /// Finds a section, or where it would be.
    fn section_place(&self, titles: &[String]) -> SectionPlace {
        let (depth, heading) = self.deepest(titles);
        let start = heading.map_or(0, |heading| heading + 1);
        let blocks = self.document.blocks();
        let level = heading.map_or(0, |heading| match blocks[heading].kind {
            Kind::Heading(level) => level,
            _ => 0,
        });
        let is_there = depth == titles.len();
        let next = |block: &Block| matches!(block.kind, Kind::Heading(other) if is_there || other <= level);
        let length = blocks[start..].iter().position(next);
        let end = self.end_of(start, length.map_or(blocks.len(), |length| start + length));
        SectionPlace { depth, level, end }
    }

    /// Returns the last heading that has the most of these titles above it, and how many it has.
    fn deepest(&self, titles: &[String]) -> (usize, Option<usize>) {
        let mut depths: Vec<(usize, usize)> = Vec::new();
        let mut best = (0, None);
        for (number, block) in self.document.blocks().iter().enumerate() {
            if !matches!(block.kind, Kind::Heading(_)) {
                continue;
            }
            let above = match block.heading {
                None => Some(0),
                Some(above) => {
                    let known = depths.binary_search_by_key(&above, |(number, _)| *number);
                    known.ok().map(|at| depths[at].1)
                }
            };
            let Some(depth) = above.filter(|&depth| depth < titles.len()) else { continue };
            if self.document.title(block) == titles[depth] {
                depths.push((number, depth + 1));
                if depth + 1 >= best.0 {
                    best = (depth + 1, Some(number));
                }
            }
        }
        best
    }

    /// Returns the place after the last block of some that is neither blank nor open.
    fn end_of(&self, start: usize, end: usize) -> usize {
        let blocks = &self.document.blocks()[start..end];
        let solid = |block: &Block| block.kind != Kind::Blank && !block.kind.is_open();
        let none = match start {
            // Nothing comes before the mark of a byte order.
            0 => blocks.iter().take_while(|block| block.kind == Kind::Blank).count(),
            _ => 0,
        };
        start + blocks.iter().rposition(solid).map_or(none, |last| last + 1)
    }

    fn entries_at(&mut self, number: usize) -> &mut Vec<New> {
        &mut self.insertions.entry(number).or_default().entries
    }
}

/// Prints counts only: nobody has taken secrets out of what is written.
impl fmt::Debug for Edit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (changes, insertions) = (self.changes.len(), self.insertions.len());
        f.debug_struct("Edit").field("changes", &changes).field("insertions", &insertions).finish()
    }
}

/// Adds a block as it stands, away from a heading before it.
fn keep(output: &mut Output, document: &Document, block: &Block) {
    if matches!(block.kind, Kind::Heading(_)) {
        output.before_heading();
    }
    output.keep(block, document.raw(block));
}

impl Change {
    /// Returns what stands in the place of an entry.
    fn written(&self, document: &Document, block: &Block, line_end: &str) -> String {
        let raw = document.raw(block);
        // What we write says which memory it is.
        let stays = !self.unmarked && (!block.named || self.text.is_some());
        let old = block.marker.as_deref().filter(|_| stays);
        let marker = self.marker.as_ref().or(old);
        let body = &raw[..block.body - block.range.start];
        if let (None, Some(marker)) = (&self.text, marker)
            && block.kind != Kind::OpenFence
            && let Some(marked) = render::marked(block.kind, body, marker, line_end)
        {
            return marked;
        }
        let text = self.text.clone().unwrap_or_else(|| document.text(block));
        render::rewritten(block.kind, raw, marker, &text, line_end)
    }
}

impl Insertion {
    fn write(&self, output: &mut Output, line_end: &str) {
        write_entries(output, &self.entries, line_end);
        let mut sections: Vec<&Section> = self.sections.iter().collect();
        // What stands deeper belongs to what is already open.
        sections.sort_by_key(|section| std::cmp::Reverse(section.level));
        for section in sections {
            section.write(output, line_end);
        }
    }
}

impl Section {
    fn write(&self, output: &mut Output, line_end: &str) {
        output.heading(self.level, &self.title);
        write_entries(output, &self.entries, line_end);
        for section in &self.sections {
            section.write(output, line_end);
        }
    }
}

fn write_entries(output: &mut Output, entries: &[New], line_end: &str) {
    for New { marker, text, shape } in entries {
        let marker = marker.as_ref();
        output.insert(&match shape {
            Shape::Item => render::new_item(marker, text, line_end),
            Shape::Prose => render::new_prose(marker, text, line_end),
        });
    }
}

/// Returns the entries of a section, which is made if it is not there.
fn section<'s>(
    sections: &'s mut Vec<Section>,
    level: u8,
    title: &str,
    titles: &[String],
) -> &'s mut Vec<New> {
    let level = level.min(6);
    let known = sections.iter().position(|one| one.title == title && one.level == level);
    let at = known.unwrap_or_else(|| {
        let (entries, below) = (Vec::new(), Vec::new());
        sections.push(Section { level, title: title.to_owned(), entries, sections: below });
        sections.len() - 1
    });
    match titles.split_first() {
        None => &mut sections[at].entries,
        Some((title, titles)) => section(&mut sections[at].sections, level + 1, title, titles),
    }
}
