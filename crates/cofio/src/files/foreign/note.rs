use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use super::tags::LONGEST;
use crate::files::Value;
use crate::model::{Draft, Kind, Scope, Source, Timestamp, Triple};
use crate::text::wikilinks;

/// What stands between the titles of a place, from the widest to the narrowest.
const BENEATH: &str = " › ";

/// How many tags a note has at most, as a memory does.
const MOST_TAGS: usize = 64;

/// Something that a file says.
#[derive(Clone, PartialEq)]
pub struct Note {
    /// The file.
    pub path: String,
    /// The line that it begins on, counted from 1.
    pub line: usize,
    /// What it is.
    pub kind: Kind,
    /// What it says, in the file's own words.
    pub text: String,
    /// What the whole file is about, where files are about something.
    pub about: Option<String>,
    /// The headings that it stands under, the topmost first.
    pub headings: Arc<[String]>,
    /// A sentence about it.
    pub description: Option<String>,
    /// Labels, each once.
    pub tags: Vec<String>,
    /// When it happened or was written, if that is known.
    pub event_at: Option<Timestamp>,
    /// Subject, predicate and object, if it states something of the kind.
    pub statement: Option<Triple>,
    /// Fields of the file that mean nothing here.
    pub fields: Arc<[(String, Value)]>,
    /// Whether the same is said of something else, so that only its place tells what is meant.
    pub(super) ambiguous: bool,
}

impl Note {
    /// Returns what is kept of it: its text, after what it is about.
    pub fn content(&self) -> String {
        let mut place: Vec<String> = self.about.iter().map(|about| link(about)).collect();
        if let Some(about) = &self.about
            && names(&self.text, about)
        {
            place.clear();
        }
        if self.ambiguous {
            place.extend(self.headings.iter().cloned());
            if place.is_empty() {
                place.push(self.path.clone());
            }
        }
        if place.is_empty() {
            self.text.clone()
        } else {
            format!("{}: {}", place.join(BENEATH), self.text)
        }
    }

    /// Returns where it stands: what it is about, and the headings above it.
    pub fn title(&self) -> Option<String> {
        let place: Vec<&str> = self.place().collect();
        (!place.is_empty()).then(|| place.join(BENEATH))
    }

    /// Returns the titles of where it stands.
    pub(super) fn place(&self) -> impl Iterator<Item = &str> {
        let about = self.about.as_deref();
        // A note often begins with its own name.
        let repeated = self.headings.first().map(String::as_str) == about;
        let headings = self.headings.iter().skip(usize::from(repeated && about.is_some()));
        about.into_iter().chain(headings.map(String::as_str))
    }

    /// Adds a label, unless it has it, or it cannot be one.
    pub(super) fn tag(&mut self, tag: &str) {
        let tag = tag.trim();
        let fits = (1..=LONGEST).contains(&tag.len()) && self.tags.len() < MOST_TAGS;
        if fits && !self.tags.iter().any(|known| known == tag) {
            self.tags.push(tag.to_owned());
        }
    }

    /// Returns what is to be remembered of it.
    pub fn draft(&self, scope: Scope, source: Source) -> Draft {
        let mut draft = Draft::new(scope, self.kind, self.content(), source);
        draft.metadata.title = self.title();
        draft.metadata.description.clone_from(&self.description);
        draft.metadata.tags.clone_from(&self.tags);
        let fields = self.fields.iter().map(|(name, value)| (name.clone(), json(value)));
        draft.metadata.custom.extend(fields);
        draft.event_at = self.event_at;
        draft.triple.clone_from(&self.statement);
        draft
    }
}

/// Prints where it stands only: nobody has taken secrets out of it.
impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Note");
        shown.field("line", &self.line).field("kind", &self.kind);
        shown.field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

/// Writes a name as a link, so that it is found by it; or as it is, if a link would mean another.
pub(super) fn link(name: &str) -> String {
    if is_linkable(name) { format!("[[{name}]]") } else { name.to_owned() }
}

/// Returns whether a name between brackets is read as that name.
fn is_linkable(name: &str) -> bool {
    let link = format!("[[{name}]]");
    wikilinks(&link).any(|found| link[found.note] == *name)
}

/// Returns whether a text has a link to a note.
fn names(text: &str, note: &str) -> bool {
    wikilinks(text).any(|link| text[link.note] == *note)
}

fn json(value: &Value) -> Json {
    match value {
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => Json::from(items.clone()),
    }
}
