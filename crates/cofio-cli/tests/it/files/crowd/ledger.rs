//! What everybody wrote and took away, by words of which there is only one each.
//!
//! A line that somebody writes begins with a word that no other line has, so that it can be found
//! wherever it gets to. The ledger decides nothing; [`super::verdict`] compares it with what is left.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use crate::random::Random;

/// Words that fill lines; no two lines share enough of them to be taken for one another.
const FILLERS: [&str; 16] = [
    "harbour", "lamp", "biscuit", "ladder", "meadow", "copper", "violin", "gravel", "anchor",
    "saddle", "pepper", "canvas", "orchard", "thimble", "glacier", "lantern",
];

/// Who wrote a word first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    Agent,
    Person,
}

/// What is known of a word.
#[derive(Debug, Clone)]
pub struct Word {
    pub author: Author,
    /// When somebody thought of it.
    pub begun: u64,
    /// Whether it was written, as far as whoever wrote it was told.
    pub written: bool,
    /// The memories that it was seen in.
    pub memories: BTreeSet<String>,
    /// Whether an agent put another text in its place.
    pub replaced: bool,
    /// Whether the person changed, moved or deleted what it stands in, or an agent used it again.
    pub handled: bool,
    /// Whether the person took out what they had written themselves.
    pub withdrawn: bool,
}

/// All that was noted.
#[derive(Debug, Default)]
pub struct Notes {
    moment: u64,
    pub words: BTreeMap<String, Word>,
    /// Memories that are likely to be there, with their texts.
    known: Vec<(String, String)>,
    /// When memories were forgotten at the latest.
    pub forgotten: BTreeMap<String, u64>,
    /// Memories whose lines the person handled.
    pub handled: BTreeSet<String>,
    /// What happened, in order.
    pub events: Vec<String>,
}

/// The notes, shared by all who write.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Notes>);

impl Ledger {
    /// Notes something that happened, to be read if the run fails.
    pub fn note(&self, event: impl FnOnce() -> String) {
        let mut notes = self.notes();
        let moment = notes.tick();
        notes.events.push(format!("{moment}: {}", event()));
    }

    /// Makes up a line that nobody has written yet.
    pub fn fresh(&self, author: Author, random: &mut Random) -> String {
        let mut notes = self.notes();
        let begun = notes.tick();
        let word = format!("word{begun}");
        let memories = BTreeSet::new();
        let (written, replaced, handled, withdrawn) = Default::default();
        let note = Word { author, begun, written, memories, replaced, handled, withdrawn };
        notes.words.insert(word.clone(), note);
        format!("{word} {} {}", random.one_of(&FILLERS), random.one_of(&FILLERS))
    }

    /// Notes that somebody wrote a text, and that it is in a memory as far as that is known.
    pub fn wrote(&self, text: &str, id: Option<&str>) {
        let mut notes = self.notes();
        notes.each(text, |word| word.written = true);
        if let Some(id) = id {
            notes.stands_in(text, id);
        }
    }

    /// Notes that a text was seen in a memory.
    pub fn saw(&self, text: &str, id: &str) {
        self.notes().stands_in(text, id);
    }

    /// Notes that an agent put another text in the place of one; what both have may come back.
    pub fn replaced(&self, before: &str, after: &str) {
        let mut notes = self.notes();
        let kept: BTreeSet<&str> = words(after).collect();
        for word in words(before) {
            notes.word(word, |note| {
                note.replaced |= !kept.contains(word);
                note.handled |= kept.contains(word);
            });
        }
    }

    /// Notes that the person changed or moved something.
    pub fn handled(&self, text: &str, id: Option<&str>) {
        let mut notes = self.notes();
        notes.each(text, |word| word.handled = true);
        notes.handled.extend(id.map(str::to_owned));
    }

    /// Notes that the person took a text out of a file: what they wrote themselves may be gone, as
    /// nobody else may have read it.
    pub fn withdrew(&self, text: &str) {
        self.notes().each(text, |word| word.withdrawn |= word.author == Author::Person);
    }

    /// Notes that a memory has just been forgotten.
    pub fn forgot(&self, id: &str) {
        let mut notes = self.notes();
        let moment = notes.tick();
        notes.forgotten.insert(id.to_owned(), moment);
        notes.known.retain(|(known, _)| known != id);
    }

    /// Notes that a memory is not there to be changed.
    pub fn missed(&self, id: &str) {
        self.notes().known.retain(|(known, _)| known != id);
    }

    /// Picks a memory that is likely to be there, with its text.
    pub fn pick(&self, random: &mut Random) -> Option<(String, String)> {
        let notes = self.notes();
        (!notes.known.is_empty()).then(|| notes.known[random.below(notes.known.len())].clone())
    }

    /// Returns how many memories there are likely to be.
    pub fn count(&self) -> usize {
        self.notes().known.len()
    }

    /// Returns everything that was noted.
    pub fn into_notes(self) -> Notes {
        self.0.into_inner().unwrap()
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap()
    }
}

impl Notes {
    fn tick(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    fn word(&mut self, word: &str, note: impl FnOnce(&mut Word)) {
        note(self.words.get_mut(word).expect("nobody else makes up words"));
    }

    fn each(&mut self, text: &str, mut note: impl FnMut(&mut Word)) {
        for word in words(text) {
            self.word(word, &mut note);
        }
    }

    fn stands_in(&mut self, text: &str, id: &str) {
        self.each(text, |word| {
            word.memories.insert(id.to_owned());
        });
        match self.known.iter_mut().find(|(known, _)| known == id) {
            Some((_, known)) => text.clone_into(known),
            None if self.forgotten.contains_key(id) => {}
            None => self.known.push((id.to_owned(), text.to_owned())),
        }
    }
}

/// Returns the words in a text of which there is only one each.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let single = |word: &&str| {
        let digits = word.strip_prefix("word");
        digits.is_some_and(|digits| digits.parse::<u64>().is_ok())
    };
    text.split_whitespace().filter(single)
}
