//! Whether both sides agree in the end, and whether anything is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cofio::files::{Document, normal};
use cofio::model::State;

use super::desk::{Desk, words};
use crate::mirrored::files;

/// How often both are brought together before there has to be nothing to do.
const MOST_ROUNDS: usize = 4;

/// Every file, by where it is.
type Files = BTreeMap<PathBuf, Vec<u8>>;

impl Desk<'_> {
    /// Brings both together until nothing changes, and returns what is wrong then.
    pub fn finish(mut self) -> Vec<String> {
        let mut before = None;
        for _ in 0..MOST_ROUNDS {
            self.sync();
            let now = self.everything();
            if before.as_ref() == Some(&now) {
                let mut problems = self.disagreements();
                problems.extend(self.lost());
                if !self.cut_short {
                    problems.extend(self.back());
                    problems.extend(self.put_away_by_nobody());
                }
                return problems;
            }
            before = Some(now);
        }
        vec![format!("after {MOST_ROUNDS} rounds there is still something to do: {before:?}")]
    }

    /// Returns all files and all memories.
    fn everything(&self) -> (Files, Vec<(String, u64)>) {
        let files = files(self.mirror.path());
        let memories = self.memories(State::ALL);
        let mut versions: Vec<(String, u64)> =
            memories.iter().map(|memory| (memory.id.to_string(), memory.version)).collect();
        versions.sort();
        (files, versions)
    }

    /// Returns where the two do not agree: every active memory stands in one place with its text, and
    /// nothing else stands anywhere, except for copies without a marker.
    fn disagreements(&self) -> Vec<String> {
        let active = self.memories(&[State::Active]);
        let said = active.iter().map(|memory| normal(memory.content.as_str()));
        let texts: BTreeSet<String> = said.collect();
        let mut wanted: BTreeMap<&str, String> = active
            .iter()
            .map(|memory| (memory.id.as_str(), normal(memory.content.as_str())))
            .collect();
        let mut problems = Vec::new();
        for bytes in files(self.mirror.path()).into_values() {
            let document = Document::parse(&String::from_utf8(bytes).unwrap());
            for entry in document.entries() {
                let id = entry.marker().map(|marker| marker.id.as_str());
                match id.and_then(|id| wanted.remove(id)) {
                    Some(text) if text == entry.text() => {}
                    None if id.is_none() && texts.contains(&entry.text()) => {}
                    expected => problems.push(format!("{:?} is {expected:?}", entry.raw())),
                }
            }
        }
        problems.extend(wanted.iter().map(|(id, text)| format!("{id} is in no file: {text:?}")));
        problems
    }

    /// Returns what somebody wrote and is nowhere any more, not even in the history of a memory.
    fn lost(&self) -> Vec<String> {
        let memories = self.memories(State::ALL);
        let versions = memories.iter().flat_map(|memory| self.versions(&memory.id));
        let anywhere: BTreeSet<String> = versions.flat_map(|text| words(&text)).collect();
        let lost = self.words.iter().filter(|(name, word)| !word.gone && !anywhere.contains(*name));
        lost.map(|(name, word)| format!("{name} is lost: {word:?}")).collect()
    }

    /// Returns what is in use again though an agent replaced it, and the person did nothing with it.
    fn back(&self) -> Vec<String> {
        let active = self.memories(&[State::Active]);
        let said = active.iter().flat_map(|memory| words(memory.content.as_str()));
        let said: BTreeSet<String> = said.collect();
        let back = self.words.iter().filter(|(name, word)| {
            (word.replaced || word.gone) && !word.touched && said.contains(*name)
        });
        back.map(|(name, word)| format!("{name} is back: {word:?}")).collect()
    }

    /// Returns what was put away though the person did not take it out.
    fn put_away_by_nobody(&self) -> Vec<String> {
        let away = self.memories(&[State::Archived]);
        let touched = |text: &String| words(text).iter().any(|word| self.words[word].touched);
        let away = away.iter().filter(|memory| !self.versions(&memory.id).iter().any(touched));
        away.map(|memory| format!("{} was put away: {:?}", memory.id, memory.content.as_str()))
            .collect()
    }
}
