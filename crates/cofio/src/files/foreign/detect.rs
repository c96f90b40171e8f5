//! Telling what wrote a folder.

use std::collections::HashSet;

use super::claude::{self, Index};
use super::fields::Fields;
use super::{File, Format};
use crate::files::Document;
use crate::text::wikilinks;

/// What wrote a folder, and what speaks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// What wrote it.
    pub format: Format,
    /// What speaks for that, as in "looks like obsidian: it has .obsidian".
    pub why: &'static str,
}

/// Tells what wrote a folder by its files and the names of what is hidden in it.
pub fn detect(files: &[File], hidden: &[&str]) -> Detected {
    let found = |format, why| Detected { format, why };
    if hidden.contains(&".obsidian") {
        return found(Format::Obsidian, "it has .obsidian");
    }
    let fields: Vec<Fields> =
        files.iter().map(|file| Fields::of(&Document::parse(&file.text))).collect();
    if fields.iter().any(|fields| fields.has("permalink") && fields.has("type")) {
        return found(Format::BasicMemory, "its notes have permalinks and types");
    }
    if Index::of(files).len() > 0 {
        return found(Format::Claude, "MEMORY.md lists its files");
    }
    if fields.iter().any(claude::is_memory) {
        return found(Format::Claude, "its files are memories with types");
    }
    if link_to_each_other(files) {
        return found(Format::Obsidian, "its notes link to each other");
    }
    found(Format::Markdown, "nothing speaks for anything else")
}

fn link_to_each_other(files: &[File]) -> bool {
    let notes: HashSet<&str> = files.iter().map(File::stem).collect();
    files.iter().any(|file| {
        wikilinks(&file.text).any(|link| {
            let note = &file.text[link.note];
            note != file.stem() && notes.contains(note)
        })
    })
}
