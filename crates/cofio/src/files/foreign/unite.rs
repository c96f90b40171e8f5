//! What is said more than once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{Note, Notes};
use crate::model::{Kind, Timestamp};

/// Two notes of which this is the same would be one memory.
type Said = (Kind, String, Option<Timestamp>);

/// Brings notes together that say the same of the same thing, with the labels of all.
///
/// Where the same is said of different things, as "likes tea" under two names, each note says of
/// what.
pub(super) fn unite(mut notes: Vec<Note>) -> Notes {
    mark_ambiguous(&mut notes);
    let mut united = Notes::default();
    let mut places: HashMap<Said, usize> = HashMap::new();
    for note in notes {
        let said = said(&note);
        if let Some(&place) = places.get(&said) {
            united.repeated += 1;
            let known: &mut Note = &mut united.notes[place];
            note.tags.iter().for_each(|tag| known.tag(tag));
        } else {
            places.insert(said, united.notes.len());
            united.notes.push(note);
        }
    }
    united
}

fn mark_ambiguous(notes: &mut [Note]) {
    let mut places: HashMap<Said, HashSet<u64>> = HashMap::new();
    for note in notes.iter() {
        places.entry(said(note)).or_default().insert(place(note));
    }
    for note in notes.iter_mut() {
        let several = places.get(&said(note)).is_some_and(|places| places.len() > 1);
        note.ambiguous = several && note.statement.is_none();
    }
}

/// Returns what is the same for notes that stand in the same place; titles may be long.
fn place(note: &Note) -> u64 {
    let mut hash = DefaultHasher::new();
    let titles: Vec<&str> = note.place().collect();
    titles.hash(&mut hash);
    if titles.is_empty() {
        note.path.hash(&mut hash);
    }
    hash.finish()
}

/// Returns what a note says; when facts were written makes no difference.
fn said(note: &Note) -> Said {
    let at = note.event_at.filter(|_| note.kind == Kind::Episode);
    (note.kind, note.content(), at)
}
