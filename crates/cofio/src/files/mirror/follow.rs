//! Files that follow the store: what was committed stands in them at once.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::tz::TimeZone;

use super::notes::Writing;
use super::{Mirror, Span, Spot, is_unreadable, read_as, registered};
use crate::error::Result;
use crate::files::compare::Said;
use crate::files::folder::{Content, Locked, Relative, Stamp};
use crate::files::{Document, Form, Marker, Place, Position, normal};
use crate::model::{Kind, Memory, MemoryId, State, Trust};

/// The attribute of a marker that says how far its memory is trusted.
const TRUST: &str = "trust";

/// A memory that was changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Followed {
    /// It is this from now on.
    Kept(Box<Memory>),
    /// It is gone for good.
    Gone(MemoryId),
}

impl Followed {
    fn id(&self) -> &MemoryId {
        match self {
            Self::Kept(memory) => &memory.id,
            Self::Gone(id) => id,
        }
    }

    /// Returns the memory, if it is to stand in files.
    fn standing(&self) -> Option<&Memory> {
        match self {
            Self::Kept(memory) if stands(memory) => Some(memory),
            _ => None,
        }
    }
}

/// Returns whether a memory stands in files: what waits, was put away or is only at hand does not.
pub fn stands(memory: &Memory) -> bool {
    memory.state == State::Active && memory.kind != Kind::Working
}

/// Returns what stands beside the text of a memory: its id, and how far it is trusted if that is not
/// as far as a person's word.
pub fn marker(memory: &Memory) -> Marker {
    let (marker, trust) = (Marker::new(memory.id.clone()), memory.source.trust());
    if trust == Trust::High { marker } else { marker.with(TRUST, trust.as_str()) }
}

/// Returns how far an entry with a marker is trusted.
pub fn trust(marker: Option<&Marker>) -> Trust {
    let told = marker.and_then(|marker| marker.get(TRUST)).and_then(|trust| trust.parse().ok());
    told.unwrap_or(Trust::High)
}

/// Returns whether an attribute of a marker is one that we write.
pub fn is_ours(attribute: &str) -> bool {
    attribute == TRUST
}

impl Mirror {
    /// Writes what was committed to the files, as far as they are what both sides last agreed on.
    ///
    /// What somebody has changed since is left for the engine to compare.
    pub fn follow(&self, followed: &[Followed], zone: &TimeZone) -> Result<()> {
        let own = |one: &&Followed| match one {
            Followed::Kept(memory) => self.layout.has(&memory.scope),
            Followed::Gone(_) => true,
        };
        let followed: Vec<&Followed> = followed.iter().filter(own).collect();
        if followed.is_empty() {
            return Ok(());
        }
        let locked = self.folder.lock()?;
        self.notes.write(|notes| {
            registered::note(notes, self)?;
            let mut files: BTreeMap<String, Vec<(&Followed, Option<Spot>)>> = BTreeMap::new();
            for one in followed {
                let memory = match one {
                    Followed::Kept(memory) => Some(&**memory),
                    Followed::Gone(_) => None,
                };
                if !notes.follow(one.id(), memory)? {
                    continue;
                }
                let spot = one.standing().and_then(|memory| self.layout.spot(memory, zone));
                let usual = spot.as_ref().map(|spot| spot.path.clone());
                if let Some(path) = notes.path_of(one.id())?.or(usual) {
                    files.entry(path).or_default().push((one, spot));
                }
            }
            for (path, changes) in files {
                self.follow_in(&locked, notes, &Relative::new(&path)?, &changes)?;
            }
            Ok(())
        })
    }

    /// Writes to one file.
    fn follow_in(
        &self,
        locked: &Locked<'_>,
        notes: &Writing<'_>,
        path: &Relative,
        changes: &[(&Followed, Option<Spot>)],
    ) -> Result<()> {
        let noted = notes.page(path)?;
        let spotted = changes.iter().find_map(|(_, spot)| spot.as_ref().map(|spot| spot.form));
        let Some(form) = noted.as_ref().map(|noted| noted.form).or(spotted) else { return Ok(()) };
        let content = match self.folder.read(path) {
            // The next comparison tells of it.
            Err(error) if is_unreadable(&error) => return Ok(()),
            content => content?,
        };
        let stamp = content.as_ref().map(|content| &content.stamp);
        let agreed = noted.as_ref().and_then(|noted| noted.stamp.as_ref());
        let untouched = stamp.map(|stamp| &stamp.sha256) == agreed.map(|stamp| &stamp.sha256);
        let mut following = Following::new(form, content.as_ref(), notes.said(path)?);
        for (one, spot) in changes {
            following.plan(one, spot.as_ref());
        }
        if following.is_idle() {
            return Ok(());
        }
        let span =
            changes.iter().filter_map(|(one, _)| one.standing()).fold(Span::default(), Span::with);
        let (before, (document, said)) = (following.document.clone(), following.finish());
        let document = self.layout.headed(path.as_str(), &before, document, span);
        match write(locked, path, content.as_ref(), &document)? {
            After::Gone => notes.remove(path),
            After::Known(stamp) if untouched => notes.set(path, form, Some(&stamp), &said),
            // What somebody else wrote has still to be compared.
            After::Known(_) | After::Unknown => notes.set(path, form, None, &said),
        }
    }
}

/// What became of a file.
enum After {
    Gone,
    Known(Stamp),
    /// Somebody else changed it at the same time.
    Unknown,
}

/// Puts a file into its new form: adds to its end where that is all, so that nothing can be lost that
/// others add.
fn write(
    locked: &Locked<'_>,
    path: &Relative,
    before: Option<&Content>,
    document: &Document,
) -> Result<After> {
    let stamp = before.map(|before| &before.stamp);
    let earlier = before.map_or("", |before| &before.text);
    let text = document.as_str();
    match stamp {
        _ if text == earlier => Ok(stamp.cloned().map_or(After::Gone, After::Known)),
        Some(stamp) if text.is_empty() => {
            locked.remove(path, stamp)?;
            Ok(After::Gone)
        }
        Some(_) if earlier.ends_with('\n') && text.starts_with(earlier) => {
            locked.append(path, "", &text[earlier.len()..])?;
            Ok(locked.stamp(path, text)?.map_or(After::Unknown, After::Known))
        }
        stamp => locked.replace(path, text, stamp).map(After::Known),
    }
}

/// A file that follows.
struct Following {
    document: Document,
    base: Vec<Said>,
    /// What the file said of each memory when both sides last agreed.
    agreed: HashMap<MemoryId, String>,
    /// Where each memory stands, and what the file says of it.
    standing: HashMap<MemoryId, (Place, String)>,
    /// What entries say that are nobody's.
    loose: HashSet<String>,
    changes: Vec<Change>,
    /// What becomes of a file that is one memory.
    page: Page,
}

/// What becomes of a file that is one memory.
enum Page {
    Stays,
    Says(Said),
    Goes,
}

/// What becomes of an entry.
enum Change {
    Replace(MemoryId, Place, String),
    Remove(MemoryId, Place),
    Add(Marker, String, Spot),
}

impl Following {
    fn new(form: Form, content: Option<&Content>, base: Vec<Said>) -> Self {
        let document = read_as(form, content.map_or("", |content| &content.text), &base);
        let (mut standing, mut loose) = (HashMap::new(), HashSet::new());
        for entry in document.entries() {
            match entry.marker() {
                Some(marker) => {
                    let known = standing.entry(marker.id.clone());
                    known.or_insert_with(|| (entry.place(), entry.text()));
                }
                None => _ = loose.insert(entry.text()),
            }
        }
        let agreed = base.iter().cloned().collect();
        Self { document, base, agreed, standing, loose, changes: Vec::new(), page: Page::Stays }
    }

    /// Plans for a memory, unless somebody changed what the file says of it.
    fn plan(&mut self, one: &Followed, spot: Option<&Spot>) {
        let id = one.id();
        let text = one.standing().map(|memory| normal(memory.content.as_str()));
        let agreed = self.agreed.get(id);
        if self.document.form() == Form::Page {
            return self.plan_page(id, text);
        }
        let change = match (self.standing.get(id), agreed, text, spot) {
            (Some((place, said)), Some(agreed), Some(text), _)
                if said == agreed && *said != text =>
            {
                Change::Replace(id.clone(), *place, text)
            }
            (Some((place, said)), Some(agreed), None, _) if said == agreed => {
                Change::Remove(id.clone(), *place)
            }
            (None, None, Some(text), Some(spot)) if !self.loose.contains(&text) => {
                let marker = one.standing().map_or_else(|| Marker::new(id.clone()), marker);
                Change::Add(marker, text, spot.clone())
            }
            _ => return,
        };
        self.changes.push(change);
    }

    fn plan_page(&mut self, id: &MemoryId, text: Option<String>) {
        let said = self.document.entries().next().map(|entry| entry.text());
        if said.as_ref() == self.agreed.get(id) {
            self.page = text.map_or(Page::Goes, |text| Page::Says((id.clone(), text)));
        }
    }

    /// Returns whether nothing is to be done.
    fn is_idle(&self) -> bool {
        self.changes.is_empty() && matches!(self.page, Page::Stays)
    }

    /// Returns the file as it is to be, and what both sides agree on then.
    fn finish(self) -> (Document, Vec<Said>) {
        let Self { document, mut base, mut agreed, changes, page, .. } = self;
        match page {
            Page::Stays => {}
            Page::Says(said) => {
                return (document.other_page(Some(&said.1), None), vec![said]);
            }
            Page::Goes => return (document.other_page(None, None), Vec::new()),
        }
        let mut edit = document.edit();
        for change in changes {
            match change {
                Change::Replace(id, place, text) => {
                    edit.replace(place, &text);
                    agreed.insert(id, text);
                }
                Change::Remove(id, place) => {
                    edit.remove(place);
                    agreed.remove(&id);
                }
                Change::Add(marker, text, Spot { titles, shape, .. }) => {
                    let id = marker.id.clone();
                    edit.add_shaped(Position::Under(&titles), shape, Some(marker), &text);
                    base.push((id.clone(), String::new()));
                    agreed.insert(id, text);
                }
            }
        }
        let said = |(id, _): Said| agreed.remove(&id).map(|text| (id, text));
        (edit.finish(), base.into_iter().filter_map(said).collect())
    }
}
