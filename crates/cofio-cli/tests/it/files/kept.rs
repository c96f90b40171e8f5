//! What a store has in the end, and whether files say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cofio::files::{Document, normal};
use cofio::model::{
    Caller, Criteria, Identifier, Identifiers, Layer, Memory, MemoryId, State, Timestamp,
};
use cofio::store::SqliteStore;
use cofio::{Engine, Selection};
use pollster::block_on;

use crate::machine::Machine;

/// Each memory of Alice's, with everything it was before.
pub struct Kept(pub Vec<(Memory, Vec<Memory>)>);

impl Kept {
    pub fn read(machine: &Machine) -> Self {
        let store = SqliteStore::open(&machine.home("cofio.db")).unwrap();
        let engine = Engine::new(store, Timestamp::now);
        let alice = Identifier::new("alice").unwrap();
        let caller = Caller::local(alice.clone());
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let identifiers = Identifiers::default().with(Layer::User, alice);
        let selection = Selection::with(identifiers, criteria);
        let memories = block_on(engine.list_all(&caller, &selection)).unwrap();
        let earlier = |id: &MemoryId| block_on(engine.history(&caller, id)).unwrap().earlier;
        Self(memories.into_iter().map(|memory| (memory.clone(), earlier(&memory.id))).collect())
    }

    /// Returns the memories that are in use.
    pub fn active(&self) -> impl Iterator<Item = &Memory> {
        self.0.iter().map(|(memory, _)| memory).filter(|memory| memory.state == State::Active)
    }

    /// Returns what memories in a state say, in the order of the alphabet.
    pub fn texts(&self, state: State) -> Vec<String> {
        let memories = self.0.iter().filter(|(memory, _)| memory.state == state);
        let mut texts: Vec<String> =
            memories.map(|(memory, _)| memory.content.as_str().to_owned()).collect();
        texts.sort();
        texts
    }

    /// Returns where they and the files of a folder do not agree: each active memory stands in one
    /// place with its text, and nothing else stands anywhere, except for copies without a marker.
    pub fn disagreements(&self, folder: &Path) -> Vec<String> {
        let mut wanted: BTreeMap<String, String> = self
            .active()
            .map(|memory| (memory.id.to_string(), normal(memory.content.as_str())))
            .collect();
        let texts: BTreeSet<String> = wanted.values().cloned().collect();
        let mut problems = Vec::new();
        for file in files(folder) {
            let document = Document::parse(&fs::read_to_string(&file).unwrap());
            for entry in document.entries() {
                let place = format!("{}:{}", file.display(), entry.line());
                let id = entry.marker().map(|marker| marker.id.to_string());
                match id.as_ref().and_then(|id| wanted.remove(id)) {
                    Some(text) if text == entry.text() => {}
                    None if id.is_none() && texts.contains(&entry.text()) => {}
                    Some(text) => {
                        problems.push(format!("{place} says {:?}, not {text:?}", entry.text()));
                    }
                    None => problems.push(format!("{place} is no memory: {:?}", entry.raw())),
                }
            }
        }
        problems.extend(wanted.iter().map(|(id, text)| format!("{id} is in no file: {text:?}")));
        problems
    }
}

/// Returns every file of markdown in a folder, in the order of the alphabet.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    files.sort();
    files
}
