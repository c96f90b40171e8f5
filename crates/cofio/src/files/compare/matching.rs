//! Which entry of a file is which memory.
//!
//! A marker says so, wherever the entry stands. Where markers were lost, as when somebody wrote the
//! whole file anew, an entry is the memory that said the same, and failing that the one most like it
//! between the same neighbours.

use std::collections::{HashMap, HashSet, VecDeque};

use super::plan::Added;
use super::{Said, by_id};
use crate::files::{Document, Place};
use crate::model::MemoryId;

/// How much of their words two texts need to share for one to be a new wording of the other.
const ALIKE: f64 = 0.6;

/// How many pairs of texts between two neighbours are compared at most.
const MOST_PAIRS: usize = 1_000_000;

/// What the entries of a file are.
pub(super) struct Matched<'a> {
    /// Entries that are memories, and what they say.
    pub(super) known: Vec<(Place, MemoryId, String)>,
    /// Entries that are new.
    pub(super) new: Vec<Added>,
    /// The memories of the base that are no longer there.
    pub(super) vanished: Vec<&'a MemoryId>,
    /// The memories that are there.
    pub(super) seen: HashSet<MemoryId>,
}

/// An entry, with the memory that it is as far as that is known.
struct Candidate {
    place: Place,
    text: String,
    id: Option<MemoryId>,
}

impl<'a> Matched<'a> {
    pub(super) fn new(base: &'a [Said], file: &Document, store: &[Said]) -> Self {
        let mut entries = by_marker(&by_id(base), file);
        let mut seen: HashSet<MemoryId> =
            entries.iter().filter_map(|entry| entry.id.clone()).collect();
        by_text(&mut entries, &mut seen, base);
        by_text(&mut entries, &mut seen, store);
        by_likeness(&mut entries, &mut seen, base);
        let mut matched = Self { known: Vec::new(), new: Vec::new(), vanished: Vec::new(), seen };
        for Candidate { place, text, id } in entries {
            match id {
                Some(id) => matched.known.push((place, id, text)),
                None if text.is_empty() => {}
                None => matched.new.push(Added { place, path: Vec::new(), text, claimed: None }),
            }
        }
        let ids = base.iter().map(|(id, _)| id);
        matched.vanished = ids.filter(|id| !matched.seen.contains(*id)).collect();
        matched
    }
}

/// Goes by markers; of several entries with the same one, the first that says what was last written
/// keeps it, or else the first.
fn by_marker(base: &HashMap<&MemoryId, &str>, file: &Document) -> Vec<Candidate> {
    let mut keepers: HashMap<MemoryId, (usize, bool)> = HashMap::new();
    let mut entries = Vec::new();
    for (number, entry) in file.entries().enumerate() {
        let text = entry.text();
        if let Some(marker) = entry.marker() {
            let same = base.get(&marker.id) == Some(&&*text);
            let keeper = keepers.entry(marker.id.clone()).or_insert((number, same));
            if same && !keeper.1 {
                *keeper = (number, same);
            }
        }
        entries.push(Candidate { place: entry.place(), text, id: None });
    }
    for (id, (number, _)) in keepers {
        entries[number].id = Some(id);
    }
    entries
}

/// Goes by what entries say, where memories are missing.
fn by_text(entries: &mut [Candidate], seen: &mut HashSet<MemoryId>, said: &[Said]) {
    let mut missing: HashMap<&str, VecDeque<&MemoryId>> = HashMap::new();
    for (id, text) in said.iter().filter(|(id, _)| !seen.contains(id)) {
        missing.entry(text).or_default().push_back(id);
    }
    for entry in entries.iter_mut().filter(|entry| entry.id.is_none() && !entry.text.is_empty()) {
        let found = missing.get_mut(&*entry.text).and_then(VecDeque::pop_front);
        seen.extend(found.cloned());
        entry.id = found.cloned();
    }
}

/// Goes by likeness, between neighbours that are known.
fn by_likeness(entries: &mut [Candidate], seen: &mut HashSet<MemoryId>, base: &[Said]) {
    let positions: HashMap<&MemoryId, usize> =
        base.iter().enumerate().map(|(position, (id, _))| (id, position)).collect();
    let mut start = 0;
    while start < entries.len() {
        let unknown = entries[start..].iter().take_while(|entry| entry.id.is_none()).count();
        let (before, rest) = entries.split_at_mut(start);
        let (gap, after) = rest.split_at_mut(unknown);
        let position = |entry: Option<&Candidate>| {
            entry.and_then(|entry| entry.id.as_ref()).and_then(|id| positions.get(id).copied())
        };
        let from = position(before.last()).map_or(0, |position| position + 1);
        let to = position(after.first()).unwrap_or(base.len());
        if from < to {
            let missing: Vec<&Said> =
                base[from..to].iter().filter(|(id, _)| !seen.contains(id)).collect();
            seen.extend(most_alike(gap, &missing));
        }
        start += unknown + 1;
    }
}

/// Pairs entries with memories, the most alike first, and returns the memories.
fn most_alike(gap: &mut [Candidate], missing: &[&Said]) -> Vec<MemoryId> {
    if gap.len() * missing.len() > MOST_PAIRS {
        return Vec::new();
    }
    let words: Vec<HashSet<&str>> = missing.iter().map(|(_, text)| words(text)).collect();
    let mut pairs = Vec::new();
    for (number, entry) in gap.iter().enumerate() {
        let entry = self::words(&entry.text);
        let alike = words.iter().map(|other| likeness(&entry, other)).enumerate();
        pairs.extend(
            alike.filter(|(_, alike)| *alike >= ALIKE).map(|(other, alike)| (alike, number, other)),
        );
    }
    // Those that are equally alike go by their order.
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut taken = vec![false; missing.len()];
    let mut found = Vec::new();
    for (_, number, other) in pairs {
        if gap[number].id.is_none() && !taken[other] {
            taken[other] = true;
            gap[number].id = Some(missing[other].0.clone());
            found.push(missing[other].0.clone());
        }
    }
    found
}

fn words(text: &str) -> HashSet<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Returns the share of words that two texts have in common.
fn likeness(one: &HashSet<&str>, other: &HashSet<&str>) -> f64 {
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { 2.0 * one.intersection(other).count() as f64 / all as f64 }
}
