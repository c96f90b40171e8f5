//! What belongs to each file, on both sides.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::tz::TimeZone;

use super::{Layout, Look, Page};
use crate::error::Result;
use crate::files::compare::{Plan, Said, compare};
use crate::files::folder::Relative;
use crate::files::{Document, Form};
use crate::model::{Memory, MemoryId};

/// A file, and what belongs into it.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// The file.
    pub page: Page,
    /// What it said of memories when both sides last agreed.
    pub base: Vec<Said>,
    /// The memories that the store has for it.
    pub store: Vec<Said>,
}

impl Sheet {
    /// Returns what has to be done on both sides so that they agree.
    pub fn plan(&self) -> Plan {
        compare(&self.base, &self.page.document, &self.store)
    }
}

/// Returns every file that was looked at with what belongs into it.
///
/// A memory belongs to the file that it stands in; else to the one where it stood, so that it can be
/// missed there; else to the one that is made for its kind. What belongs to a file that was not
/// looked at is left out.
pub fn sheets(look: &Look, memories: &[Memory], layout: &Layout, zone: &TimeZone) -> Vec<Sheet> {
    let places = Places::new(look);
    let mut sheets: BTreeMap<&str, Sheet> = BTreeMap::new();
    for page in &look.pages {
        let sheet = Sheet { page: page.clone(), base: Vec::new(), store: Vec::new() };
        sheets.insert(page.path.as_str(), sheet);
    }
    for page in &look.pages {
        for one in &page.base {
            let path = places.standing.get(&one.0).copied().unwrap_or(page.path.as_str());
            sheets.entry(path).and_modify(|sheet| sheet.base.push(one.clone()));
        }
    }
    for memory in memories {
        let path = match places.of(&memory.id) {
            Some(path) => Some(path.to_owned()),
            None => layout.spot(memory, zone).map(|spot| spot.path),
        };
        let sheet = path.and_then(|path| sheets.get_mut(path.as_str()));
        if let Some(sheet) = sheet {
            sheet.store.push((memory.id.clone(), memory.content.as_str().to_owned()));
        }
    }
    let mut sheets: Vec<Sheet> = sheets.into_values().collect();
    sheets.iter_mut().for_each(name_page);
    sheets
}

/// Says which memory a whole file is: the one that it was, or else the one that belongs there.
fn name_page(sheet: &mut Sheet) {
    let Sheet { page, base, store } = sheet;
    if page.document.form() == Form::Page {
        let id = base.first().or(store.first()).map(|(id, _)| id.clone());
        page.document = Document::page(page.document.as_str(), id);
    }
}

/// Where memories stand, and where they stood.
struct Places<'a> {
    standing: HashMap<&'a MemoryId, &'a str>,
    stood: HashMap<&'a MemoryId, &'a str>,
}

impl<'a> Places<'a> {
    fn new(look: &'a Look) -> Self {
        let stood: HashMap<&MemoryId, &str> = look
            .pages
            .iter()
            .flat_map(|page| page.base.iter().map(|(id, _)| (id, page.path.as_str())))
            .collect();
        let mut standing: HashMap<&MemoryId, &str> = HashMap::new();
        for page in &look.pages {
            for id in page.ids() {
                // A copy in another file does not take it away from where it was.
                let path = page.path.as_str();
                if !standing.contains_key(id) || stood.get(id) == Some(&path) {
                    standing.insert(id, path);
                }
            }
        }
        Self { standing, stood }
    }

    fn of(&self, id: &MemoryId) -> Option<&'a str> {
        self.standing.get(id).or_else(|| self.stood.get(id)).copied()
    }
}

impl Look {
    /// Returns the files that some memories stand in, stood in or belong to, and that were not looked
    /// at.
    ///
    /// `stood` says where a memory stood when both sides last agreed.
    pub(super) fn missing(
        &self,
        ids: &[MemoryId],
        spots: &HashMap<&MemoryId, String>,
        stood: impl Fn(&MemoryId) -> Result<Option<String>>,
    ) -> Result<Vec<Relative>> {
        let places = Places::new(self);
        let mut missing = BTreeSet::new();
        for id in ids.iter().filter(|id| places.of(id).is_none()) {
            missing.extend(stood(id)?.or_else(|| spots.get(id).cloned()));
        }
        let known: HashSet<&str> = self.pages.iter().map(|page| page.path.as_str()).collect();
        let unknown =
            missing.iter().filter(|path| !known.contains(path.as_str()) && !self.is_unread(path));
        unknown.map(|path| Relative::new(path)).collect()
    }
}
