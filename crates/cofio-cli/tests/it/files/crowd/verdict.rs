//! Whether both sides agree in the end, and whether anything is lost.

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

use super::ledger::{Author, Notes, Word, words};

/// What a store has in the end: each memory, with everything it was before.
pub struct Kept(Vec<(Memory, Vec<Memory>)>);

impl Kept {
    /// Reads everything that Alice has.
    pub fn read(store: &Path) -> Self {
        let engine = Engine::new(SqliteStore::open(store).unwrap(), Timestamp::now);
        let alice = Identifier::new("alice").unwrap();
        let caller = Caller::local(alice.clone());
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let identifiers = Identifiers::default().with(Layer::User, alice);
        let selection = Selection::with(identifiers, criteria);
        let memories = block_on(engine.list_all(&caller, &selection)).unwrap();
        let earlier = |id: &MemoryId| block_on(engine.history(&caller, id)).unwrap().earlier;
        Self(memories.into_iter().map(|memory| (memory.clone(), earlier(&memory.id))).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn active(&self) -> impl Iterator<Item = &Memory> {
        self.0.iter().map(|(memory, _)| memory).filter(|memory| memory.state == State::Active)
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

    /// Returns what somebody wrote and nobody took away, and that is nowhere any more, not even in the
    /// history of a memory or among what was put away.
    pub fn lost(&self, notes: &Notes) -> Vec<String> {
        let versions = self.0.iter().flat_map(|(memory, earlier)| earlier.iter().chain([memory]));
        let anywhere: BTreeSet<&str> =
            versions.flat_map(|memory| words(memory.content.as_str())).collect();
        let lost = |(name, word): &(&String, &Word)| {
            word.written && !anywhere.contains(name.as_str()) && !may_be_gone(notes, word)
        };
        let lost = notes.words.iter().filter(lost);
        lost.map(|(name, word)| format!("{name} is lost: {word:?}")).collect()
    }

    /// Returns what is in use again though agents replaced or forgot it.
    pub fn back(&self, notes: &Notes) -> Vec<String> {
        let active = self.active().flat_map(|memory| words(memory.content.as_str()));
        let active: BTreeSet<&str> = active.collect();
        let gone = notes.words.iter().filter(|(_, word)| is_gone_for_good(notes, word));
        let back = gone.filter(|(name, _)| active.contains(name.as_str()));
        back.map(|(name, word)| format!("{name} is back: {word:?}")).collect()
    }

    /// Returns memories that were put away though the person never touched their lines.
    pub fn put_away_by_nobody(&self, notes: &Notes) -> Vec<String> {
        let handled =
            |memory: &Memory| words(memory.content.as_str()).any(|word| notes.words[word].handled);
        let away = self.0.iter().filter(|(memory, earlier)| {
            memory.state == State::Archived
                && !notes.handled.contains(memory.id.as_str())
                && !earlier.iter().chain([memory]).any(handled)
        });
        away.map(|(memory, _)| {
            format!("{} was put away by nobody: {:?}", memory.id, memory.content.as_str())
        })
        .collect()
    }
}

/// Returns whether a word may be nowhere: a memory that had it was forgotten after it was written, or
/// the person took it back before anybody read it.
fn may_be_gone(notes: &Notes, word: &Word) -> bool {
    let forgotten = |id: &String| notes.forgotten.get(id).is_some_and(|at| *at > word.begun);
    word.withdrawn || word.memories.iter().any(forgotten)
}

/// Returns whether a word is in use no longer, whatever happened at the same time: agents replaced
/// or forgot it, and the person did nothing with it.
fn is_gone_for_good(notes: &Notes, word: &Word) -> bool {
    let forgotten = word.memories.iter().all(|id| notes.forgotten.contains_key(id));
    word.author == Author::Agent && word.written && !word.handled && (word.replaced || forgotten)
}

/// Returns every file of markdown in a folder.
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
    files
}
