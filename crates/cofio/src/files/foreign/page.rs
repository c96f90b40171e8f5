//! What all notes of one file have in common.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::fields::Fields;
use super::note::Note;
use super::pieces::Piece;
use super::{File, day, tags};
use crate::files::{Document, Value};
use crate::model::{Kind, Timestamp};

/// Fields that say what labels a file has.
const TAGS: [&str; 3] = ["tags", "tag", "keywords"];

/// Fields that say when a file was written; the earlier ones count first.
const WRITTEN: [&str; 9] = [
    "created",
    "created_at",
    "date",
    "creation date",
    "date created",
    "updated",
    "updated_at",
    "modified",
    "date modified",
];

/// Fields that say what is kept elsewhere, or how a page is shown.
const UNDERSTOOD: [&str; 11] = [
    "title",
    "name",
    "description",
    "type",
    "aliases",
    "alias",
    "permalink",
    "metadata",
    "cssclass",
    "cssclasses",
    "publish",
];

/// A file that is being read.
pub(super) struct Page<'a> {
    pub(super) file: &'a File,
    pub(super) document: Document,
    pub(super) fields: Fields,
    /// The day that it is about, if its name tells one.
    pub(super) day: Option<Date>,
    /// When it was written.
    written: Option<Timestamp>,
    tags: Vec<String>,
    /// Fields that mean nothing here.
    others: Arc<[(String, Value)]>,
    zone: &'a TimeZone,
}

impl<'a> Page<'a> {
    /// Reads a file that says `text`, which may be less than all of it.
    pub(super) fn new(file: &'a File, text: &str, zone: &'a TimeZone) -> Self {
        let document = Document::parse(text);
        let fields = Fields::of(&document);
        let listed = fields.list(&TAGS, &[',', ' ']);
        let known = [&UNDERSTOOD[..], &TAGS, &WRITTEN].concat();
        Self {
            file,
            day: day::day(file.stem()),
            written: fields.moment(&WRITTEN, zone).or(file.modified),
            tags: listed.iter().flat_map(|tag| tags::nested(tag)).map(str::to_owned).collect(),
            others: fields.others(&known).into(),
            document,
            fields,
            zone,
        }
    }

    /// Returns the note that a piece of the file is.
    pub(super) fn note(&self, piece: Piece) -> Note {
        let Piece { line, headings, text, .. } = piece;
        let (kind, event_at) = match self.day {
            Some(day) => (Kind::Episode, day::on(day, &headings, self.zone)),
            None => (Kind::Fact, self.written),
        };
        let mut note = Note {
            path: self.file.path.clone(),
            line,
            kind,
            text,
            about: None,
            headings,
            description: None,
            tags: Vec::new(),
            event_at,
            statement: None,
            fields: Arc::clone(&self.others),
            ambiguous: false,
        };
        let own = tags::tags(&note.text);
        self.tags.iter().chain(&own).for_each(|tag| note.tag(tag));
        note
    }

    /// Returns everything behind the fields, and the line that it begins on.
    pub(super) fn body(&self) -> (usize, &str) {
        let text = self.document.as_str();
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let start = mark + self.document.front_matter_length().unwrap_or_default();
        let body = text[start..].trim_start_matches(['\n', '\r']);
        let line = text[..text.len() - body.len()].matches('\n').count() + 1;
        (line, body)
    }
}
