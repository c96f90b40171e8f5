//! Memories as a folder of files: what stands in each, and what stood there when the two last agreed.
//!
//! Files are read and written here; what becomes of a memory is the engine's to say.

mod follow;
mod head;
mod layout;
mod notes;
mod registered;
mod sheet;
mod traces;
mod workspace;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};

pub use follow::{Followed, is_ours, marker, stands, trust};
pub use head::Span;
pub use layout::{Layout, Spot, Text};
pub use registered::registered;
pub use sheet::{Sheet, sheets};
pub use workspace::Workspace;

use self::notes::{Noted, Notes, Reader, Writing};
use super::compare::Said;
use super::folder::{Folder, Locked, Relative, Seen, Stamp};
use super::{Document, Form};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Memory, MemoryId, Timestamp};
use crate::text::hex;

/// How long a file may be changed again without its time being another: some systems count it in
/// whole seconds.
const COARSE: SignedDuration = SignedDuration::from_secs(2);

/// How long an editor may take to fill a file that it has emptied.
const SAVING: Duration = Duration::from_millis(100);

/// A folder that is kept in step with a store.
#[derive(Debug)]
pub struct Mirror {
    folder: Folder,
    notes: Notes,
    layout: Layout,
}

/// What a folder says, as far as that is another thing than what both sides last agreed on.
#[derive(Debug, Default)]
pub struct Look {
    /// The files that somebody changed, or that were asked for.
    pub pages: Vec<Page>,
    /// What could not be read, and why; what it says is left as it was.
    pub unread: Vec<Unread>,
    /// How far the store's changes are in the files, if they ever were.
    pub sequence: Option<u64>,
    /// How many memories stood in files.
    pub count: usize,
}

/// A file, or the place of one that is not there.
#[derive(Debug, Clone)]
pub struct Page {
    /// Where it is.
    pub path: Relative,
    /// What it says.
    pub document: Document,
    /// What it was when it was read, unless it is not there.
    pub stamp: Option<Stamp>,
    /// What it said of memories when both sides last agreed.
    pub base: Vec<Said>,
    /// The number of the note of that; zero if there is none.
    revision: i64,
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
    /// What both sides agree on once it is written.
    pub said: Vec<Said>,
    /// What both sides agree on as long as it is not.
    pub taken: Vec<Said>,
}

impl Mirror {
    /// Opens a folder, and makes it first if it is not there.
    ///
    /// What both sides last agreed on is kept below the folder `notes`, so that what people
    /// version is theirs alone. Fails if that is about other memories.
    pub fn open(folder: &Path, notes: &Path, layout: Layout) -> Result<Self> {
        let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
        Self::with_notes(folder, &notes.join(hex(&digest[..16])).join(registered::NOTES), layout)
    }

    /// Opens a folder for the memories that it has notes of, or for others if it has none.
    pub fn open_as_noted(folder: &Path, notes: &Path, layout: Layout) -> Result<Self> {
        let known = registered(notes)?.into_iter().find(|mirror| mirror.path() == folder);
        known.map_or_else(|| Self::open(folder, notes, layout), Ok)
    }

    fn with_notes(folder: &Path, notes: &Path, mut layout: Layout) -> Result<Self> {
        if let Layout::Workspace(workspace) = &mut layout {
            workspace.look_into(folder);
        }
        let mirror = Self { folder: Folder::open(folder)?, notes: Notes::at(notes), layout };
        if let Some(notes) = mirror.notes.reading()? {
            mirror.check_layout(notes.fact(registered::LAYOUT)?)?;
        }
        Ok(mirror)
    }

    /// Returns where the folder is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns whose memories it has.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Forgets what both sides last agreed on; the files stay as they are, and follow nothing.
    pub fn stop(self) -> Result<()> {
        let _locked = self.folder.lock()?;
        self.notes.remove()
    }

    /// Looks for files that somebody changed, and reads those.
    pub fn look(&self, now: Timestamp) -> Result<Look> {
        let notes = self.notes.reading()?;
        let mut noted: BTreeMap<String, Noted> = match &notes {
            Some(notes) => notes.pages()?.into_iter().collect(),
            None => BTreeMap::new(),
        };
        let mut look = Self::nothing(notes.as_ref())?;
        let listing = self.folder.list()?;
        // What is hidden is nobody's.
        let skipped = listing.skipped.into_iter().filter(|one| !is_hidden(&one.path));
        look.unread.extend(skipped.map(|one| Unread { path: one.path, why: one.why.to_owned() }));
        for (path, seen) in listing.files {
            let known = noted.remove(path.as_str());
            if !known.as_ref().is_some_and(|known| is_same(known, seen, now)) {
                self.read(&mut look, notes.as_ref(), path, known.as_ref())?;
            }
        }
        noted.retain(|path, _| !look.is_unread(path));
        for (path, known) in noted {
            self.read(&mut look, notes.as_ref(), Relative::new(&path)?, Some(&known))?;
        }
        Ok(look)
    }

    /// Reads the files as well that some memories stand in or belong to.
    pub fn look_for(
        &self,
        look: &mut Look,
        ids: &[MemoryId],
        memories: &[Memory],
        zone: &TimeZone,
    ) -> Result<()> {
        let notes = self.notes.reading()?;
        let spots: HashMap<&MemoryId, String> = memories
            .iter()
            .filter_map(|memory| Some((&memory.id, self.layout.spot(memory, zone)?.path)))
            .collect();
        let missing = look.missing(ids, &spots, |id| match &notes {
            Some(notes) => notes.path_of(id),
            None => Ok(None),
        })?;
        let known: HashMap<String, Noted> = match &notes {
            Some(notes) if !missing.is_empty() => notes.pages()?.into_iter().collect(),
            _ => HashMap::new(),
        };
        for path in missing {
            let known = known.get(path.as_str());
            self.read(look, notes.as_ref(), path, known)?;
        }
        Ok(())
    }

    /// Writes files that are to say something else, and what both sides agree on; `sequence` says how
    /// far the store's changes are in them, if all of them are.
    ///
    /// Fails with `Conflict` if somebody changed one of them since it was read. The others are
    /// written then, and what the store has taken in is agreed on all the same.
    pub fn write(
        &self,
        written: &[Written],
        memories: &[Memory],
        sequence: Option<u64>,
    ) -> Result<()> {
        let locked = self.folder.lock()?;
        self.notes.write(|notes| {
            registered::note(notes, self)?;
            let mut outcome = Ok(());
            for one in written {
                if let Err(error) = write_one(&locked, notes, one) {
                    outcome = Err(error);
                }
            }
            if outcome.is_ok() {
                for memory in memories {
                    notes.follow(&memory.id, Some(memory))?;
                }
                if let Some(sequence) = sequence {
                    notes.set_fact(registered::SEQUENCE, &sequence.to_string())?;
                }
            }
            Ok(outcome)
        })?
    }

    /// Makes sure that every file is still what was read.
    ///
    /// An editor that saves a file in place empties it first, and has a moment to fill it again.
    pub fn check(&self, look: &Look) -> Result<()> {
        let emptied = |page: &Page| page.document.as_str().is_empty() && !page.base.is_empty();
        if look.pages.iter().any(emptied) {
            sleep(SAVING);
        }
        for page in &look.pages {
            let seen = page.stamp.as_ref().map(|stamp| stamp.seen);
            if self.folder.seen(&page.path)? != seen {
                return Err(meanwhile(&page.path));
            }
        }
        Ok(())
    }

    /// Removes what processes left behind that were ended while they wrote before a moment.
    pub fn clean_up(&self, before: Timestamp) -> Result<usize> {
        self.folder.lock()?.clean_up(before)
    }

    fn nothing(notes: Option<&Reader>) -> Result<Look> {
        let Some(notes) = notes else { return Ok(Look::default()) };
        let sequence = notes.fact(registered::SEQUENCE)?;
        let sequence = sequence.and_then(|sequence| sequence.parse().ok());
        Ok(Look { sequence, count: notes.count()?, ..Look::default() })
    }

    /// Reads a file that may not be there.
    fn read(
        &self,
        look: &mut Look,
        notes: Option<&Reader>,
        path: Relative,
        known: Option<&Noted>,
    ) -> Result<()> {
        let usual = self.layout.form(path.as_str());
        // Nobody's files are left alone.
        let Some(form) = known.map(|known| known.form).or(usual) else { return Ok(()) };
        let base = match notes {
            Some(notes) if known.is_some() => notes.said(path.as_str())?,
            _ => Vec::new(),
        };
        let revision = known.map_or(0, |known| known.revision);
        let (text, stamp) = match self.folder.read(&path) {
            Ok(Some(content)) => (content.text, Some(content.stamp)),
            Ok(None) => (String::new(), None),
            Err(error) if is_unreadable(&error) => {
                if !look.is_unread(path.as_str()) {
                    let path = path.as_str().to_owned();
                    look.unread.push(Unread { path, why: error.to_string() });
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let document = read_as(form, &text, &base);
        look.pages.push(Page { path, document, stamp, base, revision });
        Ok(())
    }
}

/// Returns whether it is the file that cannot be read, whoever tries.
fn is_unreadable(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Invalid | ErrorKind::ContentTooLong | ErrorKind::Refused)
}

fn is_hidden(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with('.'))
}

/// Reads a text in a form; entries without a marker that say what a memory said are that memory.
fn read_as(form: Form, text: &str, base: &[Said]) -> Document {
    if form == Form::Page {
        return Document::page(text, base.first().map(|(id, _)| id.clone()));
    }
    let document = Document::parse(text);
    let marked: HashSet<&MemoryId> =
        document.entries().filter_map(|entry| entry.marker()).map(|marker| &marker.id).collect();
    let mut missing: HashMap<&str, VecDeque<&MemoryId>> = HashMap::new();
    for (id, text) in base.iter().filter(|(id, _)| !marked.contains(id)) {
        missing.entry(text).or_default().push_back(id);
    }
    document.named(|text| missing.get_mut(text).and_then(VecDeque::pop_front))
}

/// Returns whether a file is what it was when both sides last agreed.
fn is_same(noted: &Noted, seen: Seen, now: Timestamp) -> bool {
    let settled = now.checked_sub(COARSE).unwrap_or(now).as_nanosecond();
    let stamp = noted.stamp.as_ref();
    stamp.is_some_and(|stamp| stamp.seen == seen) && seen.modified < settled
}

/// Writes a file, and what both sides agree on.
fn write_one(locked: &Locked<'_>, notes: &Writing<'_>, written: &Written) -> Result<()> {
    let Written { before, document, said, taken } = written;
    let (path, form) = (&before.path, document.form());
    if notes.page(path)?.map_or(0, |noted| noted.revision) != before.revision {
        return Err(meanwhile(path));
    }
    match put(locked, before, document) {
        Ok(Some(stamp)) => notes.set(path, form, Some(&stamp), said),
        Ok(None) => notes.remove(path),
        Err(error) => {
            notes.set(path, form, None, taken)?;
            Err(error)
        }
    }
}

/// Puts a file into the form it is to have, and returns what it is then.
fn put(locked: &Locked<'_>, before: &Page, document: &Document) -> Result<Option<Stamp>> {
    let Page { path, document: earlier, stamp, .. } = before;
    if document.as_str() == earlier.as_str() {
        return Ok(stamp.clone());
    }
    match stamp {
        Some(stamp) if document.form() == Form::Page && document.as_str().is_empty() => {
            locked.remove(path, stamp)?;
            Ok(None)
        }
        stamp => locked.replace(path, document.as_str(), stamp.as_ref()).map(Some),
    }
}

/// Returns the error for a file that others wrote to meanwhile.
fn meanwhile(path: &Relative) -> Error {
    let message = format!("{:?} was written to meanwhile", path.as_str());
    Error::new(ErrorKind::Conflict, message)
}

impl Look {
    /// Returns whether a file, or a folder that it is in, could not be read.
    fn is_unread(&self, path: &str) -> bool {
        self.unread.iter().any(|unread| {
            path.strip_prefix(unread.path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Page {
    /// Returns which memories stand in it.
    pub fn ids(&self) -> impl Iterator<Item = &MemoryId> {
        self.document.entries().filter_map(|entry| entry.marker()).map(|marker| &marker.id)
    }
}
