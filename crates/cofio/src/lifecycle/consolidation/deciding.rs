//! Decides what becomes of facts that were found, and of those that are known.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::timeline::Item;
use super::{CONTRADICTS, Fact, Owner, doubted, supported};
use crate::model::{Memory, MemoryId, State, Timestamp, Trust};

/// What becomes of one fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// A known fact was said again.
    Support {
        /// Which fact.
        known: MemoryId,
        /// The turns in which it was said.
        evidence: Vec<MemoryId>,
        /// When it was said last.
        said_at: Timestamp,
    },
    /// A known fact is over, because another one took its place.
    End {
        /// Which fact.
        known: MemoryId,
        /// The one in its place.
        by: MemoryId,
        /// Since when.
        at: Timestamp,
    },
    /// A fact is learnt, perhaps as one that is over already.
    Learn {
        /// The fact as it is to be kept.
        memory: Box<Memory>,
    },
}

/// Decides what facts that were found mean for those that are known in the same scope.
///
/// Known facts that were replaced are known too: without them it would be forgotten that something
/// was over. In which order the facts are given makes no difference.
pub fn decide(facts: Vec<Fact>, known: &[Memory], owner: &Owner) -> Vec<Decision> {
    let mut known: Vec<Item> = known.iter().map(|memory| Item::known(memory, owner)).collect();
    let mut decisions = Vec::new();
    // What is trusted less changes nothing that is trusted more, so that is settled first.
    for equals in by_trust(facts) {
        let mut round = Round { known, ..Round::default() };
        for item in equals {
            round.admit(item);
        }
        let learnt = round.fates();
        let ended = round.ended(&learnt);
        decisions.extend(round.supports());
        decisions.extend(ended.iter().map(|(&index, ending)| Decision::End {
            known: round.known[index].memory.id.clone(),
            by: learnt[ending.by].item.memory.id.clone(),
            at: ending.at,
        }));
        known = round.settle(learnt, &ended, &mut decisions);
    }
    decisions
}

/// Parts facts by how far they are trusted, the most trusted first, each part as it was said.
fn by_trust(facts: Vec<Fact>) -> Vec<Vec<Item>> {
    let attribute =
        |item: &Item| item.memory.triple.as_ref().map(|triple| triple.predicate.clone());
    let mut parts: BTreeMap<Reverse<Trust>, Vec<Item>> = BTreeMap::new();
    for item in facts.into_iter().map(Item::new) {
        parts.entry(Reverse(item.memory.source.trust())).or_default().push(item);
    }
    for part in parts.values_mut() {
        part.sort_by_cached_key(|item| {
            (item.moment(), attribute(item), item.memory.content.as_str().to_owned())
        });
    }
    parts.into_values().collect()
}

/// What is known, and what came so far of facts that are all trusted equally.
#[derive(Default)]
struct Round {
    known: Vec<Item>,
    new: Vec<Item>,
    /// Which known facts were said again, with the evidence.
    repeated: BTreeMap<usize, Vec<MemoryId>>,
    /// Known facts that wait, and the id of the new fact that says the same on better authority.
    confirmed: BTreeMap<usize, MemoryId>,
}

/// A new fact that is learnt.
struct Learnt {
    item: Item,
    /// What took its place already, and when.
    over: Option<(MemoryId, Timestamp)>,
}

/// That a known fact is over.
struct Ending {
    /// Which of the facts that are learnt took its place.
    by: usize,
    at: Timestamp,
}

impl Round {
    /// Takes a fact in, unless it says what is known.
    fn admit(&mut self, item: Item) {
        let same = |known: &&Item| known.repeats(&item).is_some();
        let told = |known: &Item| known.has_evidence_of(&item) || known.held(item.said_at);
        if self.known.iter().filter(same).any(told) {
            return;
        }
        let Some(index) = self.repeated_by(&item) else { return self.merge(item) };
        let known = &mut self.known[index];
        if known.memory.state == State::Pending && item.memory.state == State::Active {
            self.confirmed.insert(index, item.memory.id.clone());
            return self.merge(item);
        }
        if item.memory.source.trust() >= known.memory.source.trust() {
            known.said_at = known.said_at.max(item.said_at);
            let evidence = item.memory.provenance.derived_from;
            self.repeated.entry(index).or_default().extend(evidence);
        }
    }

    /// Returns which known fact, not replaced yet, a fact says again; the most similar one.
    fn repeated_by(&self, item: &Item) -> Option<usize> {
        let in_force = |(_, known): &(usize, &Item)| known.memory.state != State::Superseded;
        let alike = self.known.iter().enumerate().filter(in_force).filter_map(|(index, known)| {
            Some((known.repeats(item)?, Reverse(&known.memory.id), index))
        });
        let best = alike.max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        best.map(|(.., index)| index)
    }

    /// Adds a new fact, or its evidence to one that says the same.
    fn merge(&mut self, item: Item) {
        let Some(same) = self.new.iter_mut().find(|new| new.repeats(&item).is_some()) else {
            return self.new.push(item);
        };
        for id in self.confirmed.values_mut().filter(|id| **id == item.memory.id) {
            *id = same.memory.id.clone();
        }
        let evidence = &item.memory.provenance.derived_from;
        same.memory = supported(&same.memory, evidence, item.said_at);
        same.said_at = same.said_at.max(item.said_at);
    }

    /// Returns the new facts that are learnt, as they were said, each with what took its place.
    ///
    /// A fact that was over as soon as it was said is not learnt, nor one that would have to be
    /// confirmed first and is over by now.
    fn fates(&mut self) -> Vec<Learnt> {
        let mut new = std::mem::take(&mut self.new);
        new.sort_by_key(|item| Reverse(item.moment()));
        let mut learnt: Vec<Learnt> = Vec::new();
        for item in new {
            let later = self.known.iter().chain(learnt.iter().map(|learnt| &learnt.item));
            let next = later.filter(|later| later.replaces(&item)).min_by_key(|next| next.moment());
            let over = next.map(|next| (next.memory.id.clone(), next.ends_at(&item)));
            let held = over.as_ref().is_none_or(|(_, at)| {
                *at > item.memory.event_at && item.memory.state == State::Active
            });
            if held {
                learnt.push(Learnt { item, over });
            }
        }
        learnt.reverse();
        learnt
    }

    /// Returns which known facts are over.
    fn ended(&self, learnt: &[Learnt]) -> BTreeMap<usize, Ending> {
        let mut ended = BTreeMap::new();
        for (index, known) in self.known.iter().enumerate() {
            if known.memory.state == State::Superseded {
                continue;
            }
            let new = || learnt.iter().enumerate();
            let confirmed = self.confirmed.get(&index);
            let same = new().find(|(_, new)| confirmed == Some(&new.item.memory.id));
            let next = new()
                .filter(|(_, new)| new.item.replaces(known))
                .min_by_key(|(_, new)| new.item.moment());
            if let Some((by, new)) = same.or(next) {
                ended.insert(index, Ending { by, at: new.item.ends_at(known) });
            }
        }
        ended
    }

    fn supports(&self) -> Vec<Decision> {
        let supports = self.repeated.iter().filter_map(|(&index, evidence)| {
            let Item { memory, said_at, .. } = &self.known[index];
            let changed = supported(memory, evidence, *said_at) != *memory;
            let (known, evidence, said_at) = (memory.id.clone(), evidence.clone(), *said_at);
            changed.then_some(Decision::Support { known, evidence, said_at })
        });
        supports.collect()
    }

    /// Decides to learn facts, and returns everything that is known from then on.
    fn settle(
        mut self,
        learnt: Vec<Learnt>,
        ended: &BTreeMap<usize, Ending>,
        decisions: &mut Vec<Decision>,
    ) -> Vec<Item> {
        let memories: Vec<Memory> =
            (0..learnt.len()).map(|index| self.memory(&learnt, ended, index)).collect();
        for (&index, ending) in ended {
            self.known[index].memory.state = State::Superseded;
            self.known[index].memory.valid_until = Some(ending.at);
        }
        for (Learnt { mut item, .. }, memory) in learnt.into_iter().zip(memories) {
            decisions.push(Decision::Learn { memory: Box::new(memory.clone()) });
            item.memory = memory;
            self.known.push(item);
        }
        self.known
    }

    /// Returns a fact that is learnt as it is to be kept.
    fn memory(&self, learnt: &[Learnt], ended: &BTreeMap<usize, Ending>, index: usize) -> Memory {
        let Learnt { item, over } = &learnt[index];
        let mut memory = item.memory.clone();
        let replaced = ended.iter().filter(|(_, ending)| ending.by == index);
        let replaced = replaced.map(|(&known, _)| &self.known[known]);
        let before = learnt.iter().filter(|other| is_over_by(other, &memory.id));
        let all = replaced.chain(before.map(|other| &other.item));
        let last = all.max_by_key(|replaced| replaced.moment());
        memory.provenance.supersedes = last.map(|last| last.memory.id.clone());
        if let Some((by, at)) = over {
            memory.state = State::Superseded;
            memory.valid_until = Some(*at);
            memory.metadata.confidence = Some(doubted(&memory));
            memory.provenance.superseded_by = Some(by.clone());
            return memory;
        }
        let contradicted = self.contradicted(learnt, item);
        if !contradicted.is_empty() {
            memory.metadata.custom.insert(CONTRADICTS.to_owned(), contradicted.into());
        }
        memory
    }

    /// Returns what a fact contradicts whose place it cannot take.
    fn contradicted(&self, learnt: &[Learnt], item: &Item) -> Vec<String> {
        let new = learnt.iter().filter(|other| other.over.is_none()).map(|other| &other.item);
        let others = self.known.iter().chain(new);
        let active = others.filter(|other| other.memory.state == State::Active);
        let stay = active.filter(|other| item.contradicts(other) && !item.replaces(other));
        stay.map(|other| other.memory.id.to_string()).collect()
    }
}

fn is_over_by(learnt: &Learnt, id: &MemoryId) -> bool {
    learnt.over.as_ref().is_some_and(|(by, _)| by == id)
}
