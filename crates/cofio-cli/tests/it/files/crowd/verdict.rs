//! Whether anything is lost, and whether anything is there that should not be.

use std::collections::BTreeSet;

use cofio::model::{Memory, State};

use super::ledger::{Author, Notes, Word, words};
use crate::files::kept::Kept;

/// Returns what somebody wrote and nobody took away, and that is nowhere any more, not even in the
/// history of a memory or among what was put away.
pub fn lost(kept: &Kept, notes: &Notes) -> Vec<String> {
    let versions = kept.0.iter().flat_map(|(memory, earlier)| earlier.iter().chain([memory]));
    let anywhere: BTreeSet<&str> =
        versions.flat_map(|memory| words(memory.content.as_str())).collect();
    let lost = |(name, word): &(&String, &Word)| {
        word.written && !anywhere.contains(name.as_str()) && !may_be_gone(notes, word)
    };
    let lost = notes.words.iter().filter(lost);
    lost.map(|(name, word)| format!("{name} is lost: {word:?}")).collect()
}

/// Returns what is in use again though agents replaced or forgot it.
pub fn back(kept: &Kept, notes: &Notes) -> Vec<String> {
    let active = kept.active().flat_map(|memory| words(memory.content.as_str()));
    let active: BTreeSet<&str> = active.collect();
    let gone = notes.words.iter().filter(|(_, word)| is_gone_for_good(notes, word));
    let back = gone.filter(|(name, _)| active.contains(name.as_str()));
    back.map(|(name, word)| format!("{name} is back: {word:?}")).collect()
}

/// Returns memories that were put away though the person never touched their lines.
pub fn put_away_by_nobody(kept: &Kept, notes: &Notes) -> Vec<String> {
    let handled =
        |memory: &Memory| words(memory.content.as_str()).any(|word| notes.words[word].handled);
    let away = kept.0.iter().filter(|(memory, earlier)| {
        memory.state == State::Archived
            && !notes.handled.contains(memory.id.as_str())
            && !earlier.iter().chain([memory]).any(handled)
    });
    let told = |(memory, _): &(Memory, Vec<Memory>)| {
        format!("{} was put away by nobody: {:?}", memory.id, memory.content.as_str())
    };
    away.map(told).collect()
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
    let gone = word.replaced || forgotten;
    word.author == Author::Agent && word.written && !word.handled && gone
}
