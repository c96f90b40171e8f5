//! What has to be done on both sides so that they agree again.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::Said;
use crate::files::{Document, Entry, Form, Marker, Place, Position, Shape};
use crate::model::MemoryId;

/// What has to be done on both sides.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// For the store: memories that people changed, or whose changes were merged.
    pub edited: Vec<Said>,
    /// For the store: entries that are new, from top to bottom.
    pub added: Vec<Added>,
    /// For the store: memories that people deleted.
    pub deleted: Vec<MemoryId>,
    /// For the file: entries with another text.
    pub written: Vec<(Place, String)>,
    /// For the file: memories that it does not have.
    pub arrived: Vec<Arrived>,
    /// For the file: entries of memories that are no longer there.
    pub removed: Vec<Place>,
    /// The entries that stay, and which memory each is.
    pub kept: Vec<(Place, MemoryId)>,
    /// Memories that both sides changed in different lines.
    pub merged: Vec<MemoryId>,
    /// What somebody has to look at.
    pub conflicts: Vec<Conflict>,
}

/// An entry that the store does not have.
#[derive(Clone, PartialEq, Eq)]
pub struct Added {
    /// Where it stands.
    pub place: Place,
    /// The titles of the headings above it, the topmost first.
    pub path: Vec<String>,
    /// What it says.
    pub text: String,
    /// The memory that its marker names, which is no longer in the store or never was.
    pub claimed: Option<MemoryId>,
}

/// A memory that the file does not have.
#[derive(Clone, PartialEq, Eq)]
pub struct Arrived {
    /// The memory.
    pub id: MemoryId,
    /// What it says.
    pub text: String,
    /// The entry that it is put after, if that matters.
    pub after: Option<Place>,
}

/// Something that the two sides see differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The memory.
    pub id: MemoryId,
    /// What they see differently.
    pub quarrel: Quarrel,
}

/// What two sides can see differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quarrel {
    /// Both changed the same lines: the store's text keeps the memory, the file's becomes a new one,
    /// and both stand in the file.
    BothChanged,
    /// People deleted what the store changed: it is written again.
    RemovedFromFile,
    /// The store removed what people changed: their text becomes a new memory.
    RemovedFromStore,
}

/// What becomes of entries that people wrote without a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// They get one.
    Marked,
    /// They stay as they are: the notes know which memories they are.
    Stays,
}

/// How a memory is written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What stands beside its text.
    pub marker: Marker,
    /// The headings that it is put under if it is new there; the end of the file without any.
    pub path: Option<Vec<String>>,
    /// What it looks like if it is new there.
    pub shape: Shape,
}

impl Plan {
    /// Returns whether the two sides agree already.
    pub fn is_empty(&self) -> bool {
        let nothing_for_the_store =
            self.edited.is_empty() && self.added.is_empty() && self.deleted.is_empty();
        let nothing_for_the_file =
            self.written.is_empty() && self.arrived.is_empty() && self.removed.is_empty();
        nothing_for_the_store && nothing_for_the_file && self.conflicts.is_empty()
    }

    /// Returns the file as it is to be.
    ///
    /// `added` are the markers of [`Plan::added`], one for each; an entry without one was not kept by
    /// the store, and stays in the file as one that is new. `known` tells how a memory is written, given the marker it has now; what
    /// it returns takes the place of that marker.
    /// With [`Bare::Stays`], what people wrote without a marker gets none.
    pub fn write(
        &self,
        file: &Document,
        added: &[Option<Marker>],
        bare: Bare,
        mut known: impl FnMut(&MemoryId, Option<&Marker>) -> Known,
    ) -> Document {
        if file.form() == Form::Page {
            return self.write_page(file, added);
        }
        let entries: HashMap<Place, Entry<'_>> =
            file.entries().map(|entry| (entry.place(), entry)).collect();
        let stays_bare =
            |place: &Place| bare == Bare::Stays && entries.get(place).is_some_and(Entry::is_bare);
        let mut edit = file.edit();
        for (place, id) in self.kept.iter().filter(|(place, _)| !stays_bare(place)) {
            let marker = entries.get(place).and_then(Entry::marker);
            let new = known(id, marker).marker;
            if marker != Some(&new) || entries.get(place).is_some_and(Entry::is_bare) {
                edit.mark(*place, new);
            }
        }
        for (place, text) in &self.written {
            edit.replace(*place, text);
        }
        for place in &self.removed {
            edit.remove(*place);
        }
        for (added, marker) in self.added.iter().zip(added) {
            match marker {
                Some(_) if stays_bare(&added.place) => {}
                Some(marker) => edit.mark(added.place, marker.clone()),
                // Its marker is another entry's.
                None => edit.unmark(added.place),
            }
        }
        for Arrived { id, text, after } in &self.arrived {
            let Known { marker, path, shape } = known(id, None);
            let position = match (after, &path) {
                (Some(place), _) => Position::After(*place),
                (None, Some(path)) => Position::Under(path),
                (None, None) => Position::End,
            };
            edit.add_shaped(position, shape, Some(marker), text);
        }
        let written = edit.finish();
        if bare == Bare::Stays { self.name(file, written, added) } else { written }
    }

    /// Says which memories entries without markers are, given the file as it was before.
    fn name(&self, file: &Document, written: Document, added: &[Option<Marker>]) -> Document {
        let kept = self.kept.iter().map(|(place, id)| (*place, id));
        let new = self.added.iter().zip(added);
        let new = new.filter_map(|(added, marker)| Some((added.place, &marker.as_ref()?.id)));
        let ids: HashMap<Place, &MemoryId> = kept.chain(new).collect();
        let written_to: HashSet<Place> = self.written.iter().map(|(place, _)| *place).collect();
        let removed: HashSet<Place> = self.removed.iter().copied().collect();
        let rewritten = |entry: &Entry<'_>| {
            let ours = entry.marker().is_some() && written_to.contains(&entry.place());
            ours || removed.contains(&entry.place())
        };
        let before = file.entries().filter(|entry| entry.is_bare() && !rewritten(entry));
        let names: Vec<Option<&MemoryId>> =
            before.map(|entry| ids.get(&entry.place()).copied()).collect();
        if written.entries().filter(Entry::is_bare).count() != names.len() {
            return written;
        }
        let mut names = names.into_iter();
        written.named(|_| names.next().flatten())
    }

    /// Returns a file that is one memory as it is to be.
    fn write_page(&self, file: &Document, added: &[Option<Marker>]) -> Document {
        let kept = self.kept.first().map(|(_, id)| id);
        let new = added.first().and_then(Option::as_ref).map(|marker| &marker.id);
        let written = self.written.first().map(|(_, text)| text);
        if let Some(Arrived { id, text, .. }) = self.arrived.first() {
            return file.other_page(Some(text), Some(id.clone()));
        }
        match (written, self.removed.is_empty()) {
            (Some(text), _) => file.other_page(Some(text), kept.or(new).cloned()),
            (None, false) => file.other_page(None, None),
            (None, true) => Document::page(file.as_str(), kept.or(new).cloned()),
        }
    }
}

/// Prints counts only: nobody has taken secrets out of what people write.
impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("edited", &self.edited.len())
            .field("added", &self.added.len())
            .field("deleted", &self.deleted.len())
            .field("written", &self.written.len())
            .field("arrived", &self.arrived.len())
            .field("removed", &self.removed.len())
            .field("conflicts", &self.conflicts)
            .finish_non_exhaustive()
    }
}

/// Prints the size only: nobody has taken secrets out of it.
impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, bytes) = (&self.place, &self.text.len());
        f.debug_struct("Added").field("place", place).field("bytes", bytes).finish_non_exhaustive()
    }
}

/// Prints the size only.
impl fmt::Debug for Arrived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, bytes) = (&self.id, &self.text.len());
        f.debug_struct("Arrived").field("id", id).field("bytes", bytes).finish_non_exhaustive()
    }
}
