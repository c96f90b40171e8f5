use super::*;
use crate::files::Document;
use crate::model::Kind;

mod basic_memory;
mod claude;
mod detection;
mod obsidian;
mod plain;
mod properties;

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned(), modified: None }
}

/// Returns what one file says.
fn notes(format: Format, path: &str, text: &str) -> Vec<Note> {
    read(format, &[file(path, text)], &TimeZone::UTC).notes
}

/// Checks what is kept of a file, and with which labels.
#[track_caller]
fn check(format: Format, path: &str, text: &str, expected: &[(&str, &str)]) {
    let notes = notes(format, path, text);
    let kept: Vec<(String, String)> =
        notes.iter().map(|note| (note.content(), note.tags.join(" "))).collect();
    let kept: Vec<(&str, &str)> = kept.iter().map(|(text, tags)| (&**text, &**tags)).collect();
    assert_eq!(kept, expected);
}
