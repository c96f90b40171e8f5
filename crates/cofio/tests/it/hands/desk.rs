//! A folder in step with what Alice knows, a person and an agent, and what each of them wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cofio::Selection;
use cofio::engine::Syncing;
use cofio::files::mirror::Layout;
use cofio::files::{Document, Mirror};
use cofio::model::{Criteria, Layer, Memory, MemoryId, Patch, Scope, State};
use pollster::block_on;
use tempfile::TempDir;

use super::deeds::{Deed, FILES, SAID, TYPED};
use crate::fixture::{fact, identifiers, keeper, local, named};
use crate::life::Life;
use crate::mirrored::{crashing, files};

/// What is known of a word of which there is only one.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// Whether the store has taken it in.
    pub read: bool,
    /// Whether it may be gone: forgotten, or taken back before anybody read it.
    pub gone: bool,
    /// Whether an agent put something else in its place.
    pub replaced: bool,
    /// Whether the person did anything with it, beside moving it.
    pub touched: bool,
}

/// A desk at which two take turns.
pub struct Desk<'a> {
    pub life: &'a Life,
    pub mirror: Mirror,
    folder: TempDir,
    pub words: BTreeMap<String, Word>,
    /// Whether something was cut short, after which texts may stand twice.
    pub cut_short: bool,
}

/// An entry of a file.
struct Item {
    file: PathBuf,
    raw: String,
}

impl<'a> Desk<'a> {
    pub fn new(life: &'a Life) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (files, notes) = (folder.path().join("memory"), folder.path().join("notes"));
        let mirror = Mirror::open(&files, &notes, Layout::Scope(scope())).unwrap();
        Self { life, mirror, folder, words: BTreeMap::new(), cut_short: false }
    }

    pub fn perform(&mut self, deed: &Deed) {
        match deed {
            Deed::Remember { said } => self.remember(*said),
            Deed::Edit { which, said } => self.edit(*which, *said),
            Deed::Forget { which } => self.forget(*which),
            Deed::Add { file, before, typed } => self.add(*file, *before, *typed),
            Deed::Change { which } => self.change(*which),
            Deed::Delete { which } => self.delete(*which),
            Deed::Move { which, file, before } => self.move_to(*which, *file, *before),
            Deed::LoseMarkers { file } => self.lose_markers(*file),
            Deed::Sync => self.sync(),
            Deed::SyncWithoutFiles => self.sync_without_files(),
            Deed::SyncWithoutNotes => self.sync_without_notes(),
        }
    }

    /// Makes up a word, and says something with it.
    fn fresh(&mut self, around: &str) -> (String, String) {
        let word = format!("word{}", self.words.len());
        self.words.insert(word.clone(), Word::default());
        (around.replace("WORD", &word), word)
    }

    fn word(&mut self, word: &str) -> &mut Word {
        self.words.get_mut(word).expect("nobody else makes up words")
    }

    fn remember(&mut self, said: usize) {
        let (text, word) = self.fresh(SAID[said]);
        self.life.keep(fact("alice", &text));
        self.word(&word).read = true;
    }

    fn edit(&mut self, which: usize, said: usize) {
        let Some(memory) = self.pick(which) else { return };
        let (text, word) = self.fresh(SAID[said]);
        let patch = Patch { content: Some(text), ..Patch::default() };
        block_on(self.life.engine.update(&local("alice"), &memory.id, patch)).unwrap();
        self.word(&word).read = true;
        for word in words(memory.content.as_str()) {
            self.word(&word).replaced = true;
        }
    }

    fn forget(&mut self, which: usize) {
        let Some(memory) = self.pick(which) else { return };
        for text in self.versions(&memory.id) {
            for word in words(&text) {
                self.word(&word).gone = true;
            }
        }
        block_on(self.life.engine.forget(&local("alice"), &[memory.id])).unwrap();
    }

    fn pick(&self, which: usize) -> Option<Memory> {
        let mut memories = self.memories(&[State::Active]);
        memories.sort_by(|one, other| one.id.cmp(&other.id));
        (!memories.is_empty()).then(|| memories.swap_remove(which % memories.len()))
    }

    fn add(&mut self, file: usize, before: usize, typed: usize) {
        let (text, _) = self.fresh(TYPED[typed]);
        insert(&self.file(file), before, &text);
    }

    fn change(&mut self, which: usize) {
        let Some(item) = self.item(which) else { return };
        let Some(old) = words(&item.raw).into_iter().next() else { return };
        let (_, new) = self.fresh("");
        self.take_out(&item.raw);
        let changed = item.raw.replacen(&old, &new, 1);
        rewrite(&item.file, |text| text.replacen(&item.raw, &changed, 1));
        self.touch(&changed);
    }

    fn delete(&mut self, which: usize) {
        let Some(item) = self.item(which) else { return };
        self.take_out(&item.raw);
        rewrite(&item.file, |text| text.replacen(&item.raw, "", 1));
    }

    fn move_to(&mut self, which: usize, file: usize, before: usize) {
        let Some(item) = self.item(which) else { return };
        // Whoever reads the file at that moment may take it for another one, unless it has a marker.
        if !item.raw.contains("<!-- cofio:") {
            self.touch(&item.raw);
        }
        rewrite(&item.file, |text| text.replacen(&item.raw, "", 1));
        insert(&self.file(file), before, &item.raw);
    }

    fn lose_markers(&mut self, file: usize) {
        let file = self.file(file);
        self.touch(&fs::read_to_string(&file).unwrap_or_default());
        rewrite(&file, |text| {
            let bare = |line: &str| {
                let kept = line.split_once("<!-- cofio:").map(|(kept, _)| kept.trim_end());
                kept.unwrap_or(line).to_owned()
            };
            text.lines().map(|line| bare(line) + "\n").collect()
        });
    }

    /// Notes that the person does something with a text.
    fn touch(&mut self, text: &str) {
        for word in words(text) {
            self.word(&word).touched = true;
        }
    }

    /// Notes that the person takes a text out of a file, which nobody may have read yet.
    fn take_out(&mut self, text: &str) {
        self.touch(text);
        for word in words(text) {
            let word = self.word(&word);
            word.gone |= !word.read;
        }
    }

    fn file(&self, file: usize) -> PathBuf {
        self.mirror.path().join(FILES[file])
    }

    fn item(&self, which: usize) -> Option<Item> {
        let mut items = Vec::new();
        for file in (0..FILES.len()).map(|file| self.file(file)) {
            let document = Document::parse(&fs::read_to_string(&file).unwrap_or_default());
            let raws = document.entries().map(|entry| entry.raw().to_owned());
            items.extend(raws.map(|raw| Item { file: file.clone(), raw }));
        }
        (!items.is_empty()).then(|| items.swap_remove(which % items.len()))
    }

    /// Brings both together.
    pub fn sync(&mut self) {
        let said = self.typed();
        self.bring_together();
        for word in said {
            self.word(&word).read = true;
        }
    }

    fn bring_together(&self) {
        let syncing = Syncing { agreed: true, ..Syncing::default() };
        let alice = local("alice");
        block_on(self.life.engine.sync_files(&alice, &self.mirror, syncing)).unwrap();
    }

    fn sync_without_files(&mut self) {
        self.cut_short_in(&[self.mirror.path().to_owned(), self.folder.path().join("notes")]);
    }

    fn sync_without_notes(&mut self) {
        self.cut_short_in(&[self.folder.path().join("notes")]);
    }

    /// Brings both together, and puts some folders back to what they were.
    fn cut_short_in(&mut self, folders: &[PathBuf]) {
        let said = self.typed();
        crashing(folders, || self.bring_together());
        for word in said {
            self.word(&word).read = true;
        }
        self.cut_short = true;
    }

    /// Returns the words that stand in files.
    fn typed(&self) -> BTreeSet<String> {
        let texts = files(self.mirror.path()).into_values();
        let texts = texts.map(|bytes| String::from_utf8(bytes).unwrap());
        texts.flat_map(|text| words(&text)).collect()
    }

    /// Returns what is kept in some states.
    pub fn memories(&self, states: &[State]) -> Vec<Memory> {
        let criteria = Criteria { states: states.to_vec(), ..Criteria::default() };
        let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
        block_on(self.life.engine.list_all(&local("alice"), &selection)).unwrap()
    }

    /// Returns what a memory says and ever said.
    pub fn versions(&self, id: &MemoryId) -> Vec<String> {
        let history = block_on(self.life.engine.history(&keeper(), id)).unwrap();
        let versions = history.earlier.iter().chain([&history.current]);
        versions.map(|memory| memory.content.as_str().to_owned()).collect()
    }
}

/// Puts a text before an entry of a file, or at the end of it, with room around it, so that
/// nothing becomes part of something else.
fn insert(file: &Path, before: usize, raw: &str) {
    rewrite(file, |text| {
        let document = Document::parse(&text);
        let entries: Vec<&str> = document.entries().map(|entry| entry.raw()).collect();
        let at = entries.get(before % (entries.len() + 1)).and_then(|raw| text.find(raw));
        let at = at.unwrap_or(text.len());
        format!("{}\n\n{raw}\n\n{}", &text[..at], &text[at..])
    });
}

fn rewrite(file: &Path, edit: impl Fn(String) -> String) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = fs::read_to_string(file).unwrap_or_default();
    fs::write(file, edit(before)).unwrap();
}

pub fn scope() -> Scope {
    Scope::user(named("alice"))
}

/// Returns the words in a text of which there is only one each.
pub fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let single = |part: &&str| part.strip_prefix("word").is_some_and(|n| n.parse::<u32>().is_ok());
    parts.filter(single).map(str::to_owned).collect()
}
