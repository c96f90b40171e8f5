//! Folders of other programs, and what each of them means by a file of markdown.
//!
//! Pure: texts in, [`Note`]s out, each of which may be a memory. Whatever the text, reading it does
//! not fail, and leaves nothing out that says something.

mod basic_memory;
mod claude;
mod day;
mod detect;
mod fields;
mod note;
mod obsidian;
mod page;
mod pieces;
mod plain;
mod tags;
mod unite;

use std::fmt;

use jiff::tz::TimeZone;

use crate::model::Timestamp;
use crate::model::names::names;
use crate::processors::share;

pub use detect::{Detected, detect};
pub use note::Note;

/// What wrote a folder of markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Anybody.
    Markdown,
    /// The memory that Claude Code keeps of a project.
    Claude,
    /// basic-memory.
    BasicMemory,
    /// Obsidian.
    Obsidian,
}

names!(Format, "format", Invalid, {
    Markdown => "markdown",
    Claude => "claude" | "claude-code",
    BasicMemory => "basic-memory",
    Obsidian => "obsidian",
});

/// A file of a folder.
#[derive(Clone)]
pub struct File {
    /// Where it is in the folder, with `/` between names.
    pub path: String,
    /// What it says.
    pub text: String,
    /// When it was last written to, if that is known.
    pub modified: Option<Timestamp>,
}

impl File {
    /// Returns what it is called, without what its name ends with.
    fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// Prints sizes only: nobody has taken secrets out of a file.
impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

/// What files say.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// Everything they say, once.
    pub notes: Vec<Note>,
    /// How often something was said once more.
    pub repeated: usize,
}

/// Reads files as the program meant them that wrote them; days are those of a time zone.
pub fn read(format: Format, files: &[File], zone: &TimeZone) -> Notes {
    let read: Vec<Vec<Note>> = match format {
        Format::Markdown => share(files, |file| plain::notes(file, zone)),
        Format::Claude => {
            let index = claude::Index::of(files);
            share(files, |file| claude::notes(file, &index, zone))
        }
        Format::BasicMemory => {
            let titles = basic_memory::Titles::of(files);
            share(files, |file| basic_memory::notes(file, &titles, zone))
        }
        Format::Obsidian => share(files, |file| obsidian::notes(file, zone)),
    };
    unite::unite(read.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
