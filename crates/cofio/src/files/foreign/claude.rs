//! The memory that Claude Code keeps of a project: `~/.claude/projects/<project>/memory`.
//!
//! A file is one memory, with its name, a sentence about it and its type at its top; `MEMORY.md`
//! lists the files. Earlier versions wrote notes without fields, into `MEMORY.md` too.

use std::collections::{HashMap, HashSet};

use jiff::tz::TimeZone;

use super::fields::Fields;
use super::note::Note;
use super::page::Page;
use super::pieces::{Piece, pieces};
use super::{File, plain};
use crate::files::{Document, Entry, normal};

/// What memories are, as Claude Code has it.
const TYPES: [&str; 4] = ["user", "feedback", "project", "reference"];

/// What `MEMORY.md` says of the files beside it.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// What is said of each file that is there.
    hooks: HashMap<String, String>,
}

impl Index {
    /// Reads the files that list others.
    pub(super) fn of(files: &[File]) -> Self {
        let paths: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let mut index = Self::default();
        for file in files.iter().filter(|file| is_index(file)) {
            for entry in Document::parse(&file.text).entries().filter(Entry::is_item) {
                if let Some((path, hook)) = listed(file, &entry.text())
                    && paths.contains(&*path)
                {
                    index.hooks.insert(path, hook);
                }
            }
        }
        index
    }

    /// Returns how many files are listed.
    pub(super) fn len(&self) -> usize {
        self.hooks.len()
    }

    /// Returns whether an item of a file only says which other file to read.
    fn lists(&self, file: &File, text: &str) -> bool {
        is_index(file) && listed(file, text).is_some_and(|(path, _)| self.hooks.contains_key(&path))
    }
}

/// Returns what a file says: one memory, if it has fields, and else what plain markdown would.
pub(super) fn notes(file: &File, index: &Index, zone: &TimeZone) -> Vec<Note> {
    let page = Page::new(file, &file.text, zone);
    if is_memory(&page.fields) {
        return memory(&page, index).into_iter().collect();
    }
    let lists = |text: &str| index.lists(file, text);
    pieces(&page.document, lists)
        .into_iter()
        .filter(|piece| !(piece.is_item && lists(&piece.text)))
        .map(|piece| plain::note(&page, piece))
        .collect()
}

/// Returns whether fields are those of a memory.
pub(super) fn is_memory(fields: &Fields) -> bool {
    let typed = kind(fields).is_some_and(|kind| TYPES.contains(&&*kind));
    typed || (fields.has("name") && fields.has("description"))
}

fn kind(fields: &Fields) -> Option<String> {
    fields.text(&["type", "metadata.type"]).map(|kind| kind.to_lowercase())
}

fn memory(page: &Page<'_>, index: &Index) -> Option<Note> {
    let (line, body) = page.body();
    let described = page.fields.text(&["description"]);
    let hook = index.hooks.get(&page.file.path).filter(|hook| !hook.is_empty()).cloned();
    let description = described.or(hook);
    let (text, description) = match normal(body) {
        body if body.trim().is_empty() => (description?, None),
        body => (body, description),
    };
    let headings = page.fields.text(&["name", "title"]).into_iter().collect();
    let mut note = page.note(Piece { line, headings, text, is_item: false });
    note.description = description;
    note.tag(&kind(&page.fields).unwrap_or_default());
    Some(note)
}

fn is_index(file: &File) -> bool {
    file.stem().eq_ignore_ascii_case("MEMORY")
}

/// Returns the file that an item points at, and what it says of it:
/// `[Title](file.md) — what it is about`.
fn listed(file: &File, text: &str) -> Option<(String, String)> {
    let (_, behind) = text.trim_start_matches(['*', '_']).strip_prefix('[')?.split_once("](")?;
    let (target, hook) = behind.split_once(')')?;
    let target = target.split('#').next()?.trim_start_matches("./").replace("%20", " ");
    let folder = file.path.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
    let sign = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '-' | '–' | '—' | ':');
    let hook = hook.trim_start_matches(sign).trim_end();
    Some((folder.unwrap_or_default() + &target, hook.to_owned()))
}
