//! What belongs to each file, on both sides.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::tz::TimeZone;

use super::layout::Section;
use super::{Look, Page};
use crate::error::Result;
use crate::files::compare::{Plan, Said, compare};
use crate::files::folder::Relative;
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

/// Returns every file with what belongs into it.
///
/// A memory belongs to the file that it stands in; else to the one where it stood, so that it can be
/// missed there; else to the one that is made for its kind. What belongs to a file that could not be
/// read is left out.
pub fn sheets(look: &Look, memories: &[Memory], zone: &TimeZone) -> Result<Vec<Sheet>> {
    let places = Places::new(look);
    let mut sheets: BTreeMap<String, Sheet> = BTreeMap::new();
    for page in &look.pages {
        let sheet = Sheet { page: page.clone(), base: Vec::new(), store: Vec::new() };
        sheets.insert(page.path.as_str().to_owned(), sheet);
    }
    for (path, said) in look.agreed.files().filter(|(path, _)| !places.is_unread(path)) {
        for one in said {
            let path = places.standing.get(&one.0).copied().unwrap_or(path);
            sheet(&mut sheets, path)?.base.push(one.clone());
        }
    }
    // The oldest comes first in a file.
    for memory in memories.iter().rev() {
        let said = (memory.id.clone(), memory.content.as_str().to_owned());
        let usual = || Section::of(memory, zone).path;
        let path = places.of(&memory.id).map_or_else(usual, str::to_owned);
        if !places.is_unread(&path) {
            sheet(&mut sheets, &path)?.store.push(said);
        }
    }
    Ok(sheets.into_values().collect())
}

/// Where memories stand, and where they stood.
struct Places<'a> {
    standing: HashMap<&'a MemoryId, &'a str>,
    stood: HashMap<&'a MemoryId, &'a str>,
    unread: HashSet<&'a str>,
}

impl<'a> Places<'a> {
    fn new(look: &'a Look) -> Self {
        let stood: HashMap<&MemoryId, &str> = look
            .agreed
            .files()
            .flat_map(|(path, said)| said.iter().map(move |(id, _)| (id, path)))
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
        let unread = look.unread.iter().map(|unread| unread.path.as_str()).collect();
        Self { standing, stood, unread }
    }

    fn of(&self, id: &MemoryId) -> Option<&'a str> {
        self.standing.get(id).or_else(|| self.stood.get(id)).copied()
    }

    /// Returns whether a file, or a folder that it is in, could not be read.
    fn is_unread(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        folders.chain([path]).any(|path| self.unread.contains(path))
    }
}

fn sheet<'a>(sheets: &'a mut BTreeMap<String, Sheet>, path: &str) -> Result<&'a mut Sheet> {
    if !sheets.contains_key(path) {
        let page = Page::absent(Relative::new(path)?);
        let new = Sheet { page, base: Vec::new(), store: Vec::new() };
        sheets.insert(path.to_owned(), new);
    }
    Ok(sheets.get_mut(path).expect("it was just put there"))
}
