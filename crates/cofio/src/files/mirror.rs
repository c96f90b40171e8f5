//! A scope as a folder of files: what stands in each, and what stood there when the two last agreed.
//!
//! Files are read and written here; what becomes of a memory is the engine's to say.

mod agreed;
mod layout;
mod sheet;

use std::path::Path;

pub use agreed::Agreed;
pub use layout::{Section, written};
pub use sheet::{Sheet, sheets};

use super::folder::{Folder, Relative, Stamp};
use super::{Document, compare};
use crate::error::{ErrorKind, Result};
use crate::model::{MemoryId, Scope};

/// The most bytes of what both sides last agreed on.
const MOST_NOTES: u64 = 1024 * 1024 * 1024;

/// A folder that is kept in step with a scope.
#[derive(Debug)]
pub struct Mirror {
    folder: Folder,
    notes: Folder,
    note: Relative,
    scope: Scope,
}

/// What a folder says.
#[derive(Debug, Default)]
pub struct Look {
    /// The files that could be read.
    pub pages: Vec<Page>,
    /// What could not be read, and why; what it says is left as it was.
    pub unread: Vec<Unread>,
    /// What both sides last agreed on.
    pub agreed: Agreed,
    /// What the notes of that were when they were read.
    noted: Option<Stamp>,
}

/// A file, or the place of one that is not there yet.
#[derive(Debug, Clone)]
pub struct Page {
    /// Where it is.
    pub path: Relative,
    /// What it says.
    pub document: Document,
    /// What it was when it was read, unless it is not there.
    pub stamp: Option<Stamp>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Where it is.
    pub path: String,
    /// Why not.
    pub why: String,
}

/// A file as it is to be.
#[derive(Debug)]
pub struct Written {
    /// The file as it was read.
    pub before: Page,
    /// What it says from now on.
    pub document: Document,
    /// What both sides agree on from now on.
    pub said: Vec<compare::Said>,
}

impl Mirror {
    /// Opens a folder for a scope, and makes it first if it is not there.
    ///
    /// What both sides last agreed on is kept in the file `note` of the folder `notes`, so that what
    /// people version is theirs alone.
    pub fn open(folder: &Path, notes: &Path, note: &str, scope: Scope) -> Result<Self> {
        let mut notes = Folder::open(notes)?;
        notes.limit = MOST_NOTES;
        Ok(Self { folder: Folder::open(folder)?, notes, note: Relative::new(note)?, scope })
    }

    /// Returns where the folder is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns whose memories it is in step with.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Reads every file, and what both sides last agreed on.
    ///
    /// Fails if they agreed for another scope.
    pub fn look(&self) -> Result<Look> {
        let listing = self.folder.list()?;
        let skipped = listing.skipped.into_iter();
        let unread = skipped.map(|one| Unread { path: one.path, why: one.why.to_owned() });
        let (mut agreed, noted) = self.agreed()?;
        agreed.claim(&self.scope)?;
        let mut look = Look { pages: Vec::new(), unread: unread.collect(), agreed, noted };
        for (path, _) in listing.files {
            match self.folder.read(&path) {
                Ok(Some(content)) => {
                    let document = Document::parse(&content.text);
                    look.pages.push(Page { path, document, stamp: Some(content.stamp) });
                }
                // Somebody has just removed it.
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::Invalid => {
                    let path = path.as_str().to_owned();
                    look.unread.push(Unread { path, why: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(look)
    }

    /// Writes files that are to say something else, and what both sides agree on.
    ///
    /// Fails with `Conflict` if somebody changed one of them since it was read. Those before it are
    /// written then; that is no harm, as every entry says by itself which memory it is.
    pub fn write(&self, look: &Look, written: Vec<Written>) -> Result<()> {
        let mut agreed = look.agreed.clone();
        let locked = self.folder.lock()?;
        for Written { before, document, said } in written {
            let Page { path, document: earlier, stamp } = before;
            if document != earlier {
                locked.replace(&path, document.as_str(), stamp.as_ref())?;
            }
            agreed.set(&path, said);
        }
        drop(locked);
        if agreed != look.agreed || look.noted.is_none() {
            self.notes.replace(&self.note, &agreed.to_json(), look.noted.as_ref())?;
        }
        Ok(())
    }

    fn agreed(&self) -> Result<(Agreed, Option<Stamp>)> {
        match self.notes.read(&self.note)? {
            Some(content) => Ok((Agreed::from_json(&content.text)?, Some(content.stamp))),
            None => Ok((Agreed::default(), None)),
        }
    }
}

impl Page {
    /// Returns the place of a file that is not there.
    fn absent(path: Relative) -> Self {
        Self { path, document: Document::parse(""), stamp: None }
    }

    /// Returns which memories stand in it.
    fn ids(&self) -> impl Iterator<Item = &MemoryId> {
        self.document.entries().filter_map(|entry| entry.marker()).map(|marker| &marker.id)
    }
}
