//! What people did to a file and what happened in the store since the two last agreed.
//!
//! Pure. Both sides are compared, entry by entry, with what was last written, the base. Where one
//! side changed something, the other follows; where both did, their lines are merged; where that
//! cannot be done, both texts stand in the file and in the store, and the conflict is told. Nothing
//! that anybody wrote is lost without a word.

mod matching;
mod merge;
mod plan;

use std::collections::{HashMap, HashSet};

pub use plan::{Added, Arrived, Bare, Conflict, Known, Plan, Quarrel};

use self::matching::Matched;
use super::{Document, Form, Place, normal};
use crate::model::MemoryId;

/// What stands between two texts of a page that nobody could make into one.
const BETWEEN: &str =
    "<!-- changed on both sides: above as it is in the store, below as in the file -->";

/// A memory and what it says.
pub type Said = (MemoryId, String);

/// Compares a file and the store with what was last written.
///
/// `base` is in the order of the file then, and `store` in the order in which memories that are new
/// are added to the file. Texts are compared in the form of [`normal`].
pub fn compare(base: &[Said], file: &Document, store: &[Said]) -> Plan {
    let (base, store) = (normalised(base), normalised(store));
    let matched = Matched::new(&base, file, &store);
    let mut comparison = Comparison::new(file.form(), &base, &store);
    for (place, id, text) in matched.known {
        comparison.in_file(place, id, text);
    }
    for id in matched.vanished {
        comparison.vanished(id);
    }
    for (id, text) in &store {
        if !matched.seen.contains(id) && !comparison.base.contains_key(id) {
            comparison.plan.arrived.push(Arrived {
                id: id.clone(),
                text: text.clone(),
                after: None,
            });
        }
    }
    comparison.plan.added.extend(matched.new);
    let mut plan = comparison.plan;
    find_paths(&mut plan.added, file);
    plan
}

/// Puts new entries in order, and says what they stand under.
fn find_paths(added: &mut [Added], file: &Document) {
    added.sort_by_key(|added| added.place);
    let mut entries = file.entries();
    for added in added {
        let entry = entries.find(|entry| entry.place() == added.place);
        added.path = entry.map(|entry| entry.path()).unwrap_or_default();
    }
}

/// Returns what is compared with the next time: what a file that was written says of memories.
///
/// Of memories whose changes the store did not take, it is what it was, so that nobody's text is
/// taken for one that the store has replaced.
pub fn base(file: &Document, before: &[Said], refused: &[MemoryId]) -> Vec<Said> {
    let refused: HashSet<&MemoryId> = refused.iter().collect();
    let before = by_id(before);
    let mut seen = HashSet::new();
    let mut said = Vec::new();
    for entry in file.entries() {
        let Some(marker) = entry.marker().filter(|marker| seen.insert(marker.id.clone())) else {
            continue;
        };
        if !refused.contains(&marker.id) {
            said.push((marker.id.clone(), entry.text()));
        } else if let Some(text) = before.get(&marker.id) {
            said.push((marker.id.clone(), (*text).to_owned()));
        }
    }
    said
}

struct Comparison<'a> {
    plan: Plan,
    form: Form,
    base: HashMap<&'a MemoryId, &'a str>,
    store: HashMap<&'a MemoryId, &'a str>,
}

impl<'a> Comparison<'a> {
    fn new(form: Form, base: &'a [Said], store: &'a [Said]) -> Self {
        Self { plan: Plan::default(), form, base: by_id(base), store: by_id(store) }
    }

    /// Plans for a memory that stands in the file.
    fn in_file(&mut self, place: Place, id: MemoryId, text: String) {
        let (base, store) = (self.base.get(&id).copied(), self.store.get(&id).copied());
        let edited = base != Some(&*text);
        match store {
            _ if text.is_empty() => self.emptied(place, id),
            Some(store) if store == text => self.plan.kept.push((place, id)),
            Some(store) if !edited => {
                self.plan.written.push((place, store.to_owned()));
                self.plan.kept.push((place, id));
            }
            Some(store) if base == Some(store) => {
                self.plan.edited.push((id.clone(), text));
                self.plan.kept.push((place, id));
            }
            Some(store) => self.both(place, id, base, text, store.to_owned()),
            None if !edited => self.plan.removed.push(place),
            None => {
                if base.is_some() {
                    self.conflict(&id, Quarrel::RemovedFromStore);
                }
                self.plan.added.push(Added { place, path: Vec::new(), text, claimed: Some(id) });
            }
        }
    }

    /// Plans for a memory that both sides changed.
    fn both(
        &mut self,
        place: Place,
        id: MemoryId,
        base: Option<&str>,
        text: String,
        store: String,
    ) {
        let merged = base.and_then(|base| merge::merged(base, &text, &store));
        if let Some(merged) = merged.or_else(|| self.both_on_page(&id, &text, &store)) {
            if merged != text {
                self.plan.written.push((place, merged.clone()));
            }
            if merged != store {
                self.plan.edited.push((id.clone(), merged));
            }
            self.plan.merged.push(id.clone());
            return self.plan.kept.push((place, id));
        }
        self.conflict(&id, Quarrel::BothChanged);
        self.plan.added.push(Added { place, path: Vec::new(), text, claimed: None });
        self.plan.arrived.push(Arrived { id, text: store, after: Some(place) });
    }

    /// Returns what a file that is one memory says if both sides changed the same lines of it: first
    /// what the store has, then what the file has.
    fn both_on_page(&mut self, id: &MemoryId, text: &str, store: &str) -> Option<String> {
        if self.form == Form::Entries {
            return None;
        }
        self.conflict(id, Quarrel::BothChanged);
        Some(format!("{store}\n\n{BETWEEN}\n\n{text}"))
    }

    /// Plans for a memory of whose text nothing is left but its marker.
    fn emptied(&mut self, place: Place, id: MemoryId) {
        match (self.base.get(&id).copied(), self.store.get(&id).copied()) {
            (Some(base), Some(store)) if base == store => {
                self.plan.deleted.push(id);
                self.plan.removed.push(place);
            }
            (_, Some(store)) => {
                self.plan.written.push((place, store.to_owned()));
                self.conflict(&id, Quarrel::RemovedFromFile);
                self.plan.kept.push((place, id));
            }
            (_, None) => self.plan.removed.push(place),
        }
    }

    /// Plans for a memory that was in the file, and is no longer.
    fn vanished(&mut self, id: &MemoryId) {
        match self.store.get(id).copied() {
            None => {}
            Some(store) if self.base.get(id).copied() == Some(store) => {
                self.plan.deleted.push(id.clone());
            }
            Some(store) => {
                self.conflict(id, Quarrel::RemovedFromFile);
                let text = store.to_owned();
                self.plan.arrived.push(Arrived { id: id.clone(), text, after: None });
            }
        }
    }

    fn conflict(&mut self, id: &MemoryId, quarrel: Quarrel) {
        self.plan.conflicts.push(Conflict { id: id.clone(), quarrel });
    }
}

fn normalised(said: &[Said]) -> Vec<Said> {
    said.iter().map(|(id, text)| (id.clone(), normal(text))).collect()
}

fn by_id(said: &[Said]) -> HashMap<&MemoryId, &str> {
    said.iter().map(|(id, text)| (id, text.as_str())).collect()
}

#[cfg(test)]
mod tests;
