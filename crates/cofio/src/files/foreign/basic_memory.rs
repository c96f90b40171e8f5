//! Notes of basic-memory: what was observed of something, and how it relates to other things.
//!
//! `- [category] what was observed #tag (context)` and `- relation_type [[Target]] (context)` stand
//! anywhere in a note, whatever the heading.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use super::File;
use super::fields::Fields;
use super::note::{Note, link};
use super::page::Page;
use super::pieces::{Piece, pieces};
use crate::files::Document;
use crate::model::{Kind, Triple};
use crate::text::{fold, wikilinks};

/// What a link says that nobody has called otherwise.
const LINKS_TO: &str = "links_to";

/// What notes are called, by everything that links may say in place of that.
#[derive(Debug, Default)]
pub(super) struct Titles(HashMap<String, String>);

impl Titles {
    /// Reads what files are called.
    pub(super) fn of(files: &[File]) -> Self {
        let mut titles = HashMap::new();
        for file in files {
            let fields = Fields::of(&Document::parse(&file.text));
            let title = title(file, &fields);
            let path = file.path.rsplit_once('.').map_or(&*file.path, |(path, _)| path);
            let names = fields.text(&["permalink"]).into_iter();
            for name in names.chain([title.clone(), path.to_owned(), file.stem().to_owned()]) {
                titles.entry(fold(&name)).or_insert_with(|| title.clone());
            }
        }
        Self(titles)
    }

    /// Returns what the note is called that a link means.
    fn called(&self, target: &str, note: &str) -> String {
        let known = self.0.get(&fold(target)).or_else(|| self.0.get(&fold(note)));
        known.cloned().unwrap_or_else(|| note.to_owned())
    }
}

/// Returns observations, relations and what else a note says, each about the note.
pub(super) fn notes(file: &File, titles: &Titles, zone: &TimeZone) -> Vec<Note> {
    let page = Page::new(file, &file.text, zone);
    let title = title(file, &page.fields);
    let sort = page.fields.text(&["type"]).filter(|sort| sort != "note");
    let special = |text: &str| observation(text).is_some() || relation(text).is_some();
    let read = |piece: Piece| {
        let is_item = piece.is_item;
        let mut note = page.note(piece);
        note.about = Some(title.clone());
        if let Some((category, said)) = observation(&note.text) {
            let (category, said) = (category.to_owned(), said.to_owned());
            note.text = said;
            note.tag(&category);
        } else if let Some(relation) = relation(&note.text).filter(|_| is_item) {
            relate(&mut note, &relation, &title, titles);
        }
        note.tag(sort.as_deref().unwrap_or_default());
        note
    };
    pieces(&page.document, special).into_iter().map(read).collect()
}

/// Returns what a note is called.
fn title(file: &File, fields: &Fields) -> String {
    fields.text(&["title"]).unwrap_or_else(|| file.stem().to_owned())
}

/// Returns the category of an observation, and what was observed.
///
/// What is to be done (`[ ]`), what is quoted and the times of a transcript are none.
fn observation(text: &str) -> Option<(&str, &str)> {
    let (category, said) = text.strip_prefix('[')?.split_once(']')?;
    let category = category.trim();
    let mut signs = category.chars();
    let task = match (signs.next(), signs.next()) {
        (Some(sign), None) => matches!(sign, 'x' | 'X') || !sign.is_alphanumeric(),
        _ => false,
    };
    let clock = category.contains(':') && !category.contains(char::is_alphabetic);
    let named =
        !category.is_empty() && !category.contains(['[', '(', ')', '\n']) && !task && !clock;
    let apart = said.starts_with(char::is_whitespace) && !said.trim().is_empty();
    (named && apart).then(|| (category, said.trim()))
}

/// How a note relates to another.
struct Relation {
    how: String,
    target: String,
    note: String,
    /// What else is said of it, between brackets.
    context: String,
}

/// Returns the relation that an item states: a word, or several between quotes, and a link.
fn relation(text: &str) -> Option<Relation> {
    let link = wikilinks(text).next().filter(|link| !link.embedded)?;
    let how = text[..link.range.start].trim();
    let context = text[link.range.end..].trim();
    let how = match how.strip_prefix(['"', '\'']).and_then(|how| how.strip_suffix(['"', '\''])) {
        Some(quoted) => quoted.trim(),
        None if how.is_empty() => LINKS_TO,
        None => how,
    };
    let quoted = text.starts_with(['"', '\'']);
    let stated = !how.is_empty() && (quoted || !how.contains(char::is_whitespace));
    let plain = !how.starts_with('[') && (context.is_empty() || is_bracketed(context));
    (stated && plain).then(|| Relation {
        how: how.to_owned(),
        target: text[link.target].to_owned(),
        note: text[link.note].to_owned(),
        context: context.to_owned(),
    })
}

/// Returns whether a text is one pair of brackets and what is in them.
fn is_bracketed(text: &str) -> bool {
    let mut open = 0_usize;
    let closed = text.char_indices().find_map(|(at, c)| {
        open = match c {
            '(' => open + 1,
            ')' => open.saturating_sub(1),
            _ => open,
        };
        (open == 0).then_some(at + c.len_utf8())
    });
    text.starts_with('(') && closed == Some(text.len())
}

/// Makes a note the statement that something relates to something else.
fn relate(note: &mut Note, relation: &Relation, title: &str, titles: &Titles) {
    let object = titles.called(&relation.target, &relation.note);
    let sentence = format!("{} {} {}", link(title), relation.how, link(&object));
    note.kind = Kind::Procedure;
    note.text = match &*relation.context {
        "" => sentence,
        context => format!("{sentence} {context}"),
    };
    note.about = None;
    note.statement = Some(Triple {
        fact_type: "relation".to_owned(),
        subject: title.to_owned(),
        predicate: relation.how.clone(),
        object,
    });
}
