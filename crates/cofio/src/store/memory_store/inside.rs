//! The memories of a scope, and what is known of all of them together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::glance::Glance;
use super::kept::Kept;
use crate::model::{Embedding, Fingerprint};
use crate::store::kit::Count;

/// The memories of a scope, by their numbers.
#[derive(Default)]
pub(super) struct Inside {
    members: BTreeMap<u64, Member>,
    terms: HashMap<String, Having>,
    /// The models that vectors are of.
    models: Vec<Fingerprint>,
    authors: BTreeMap<String, u64>,
    /// How many passages there are.
    pub passages: u64,
}

/// A memory, and what is seen of it at a glance.
pub(super) struct Member {
    pub kept: Arc<Kept>,
    pub glance: Glance,
}

/// The memories that have a term.
#[derive(Default)]
pub(super) struct Having {
    /// By their numbers.
    pub memories: BTreeMap<u64, Has>,
    /// How many of them ever write it with a capital letter.
    pub capitalised: u64,
}

/// How a memory has a term.
pub(super) struct Has {
    /// How often each passage has it that does.
    pub counts: Vec<Count>,
    /// Whether it is ever written with a capital letter.
    pub capital: bool,
}

impl Inside {
    pub fn len(&self) -> u64 {
        self.members.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn get(&self, number: u64) -> Option<&Arc<Kept>> {
        self.members.get(&number).map(|member| &member.kept)
    }

    /// Gives a memory to change; what is known of it at a glance or of all together must not follow
    /// from the change.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut Arc<Kept>> {
        self.members.get_mut(&number).map(|member| &mut member.kept)
    }

    /// Returns the memories in the order of their numbers.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// Returns their numbers, in order.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.members.keys().copied()
    }

    /// Returns the same without what is seen of them at a glance.
    pub fn all(&self) -> impl Iterator<Item = &Kept> {
        self.members().map(|member| &*member.kept)
    }

    pub fn members_mut(&mut self) -> impl Iterator<Item = &mut Arc<Kept>> {
        self.members.values_mut().map(|member| &mut member.kept)
    }

    /// Returns the place of a model, if vectors are of it.
    pub fn model(&self, fingerprint: &Fingerprint) -> Option<usize> {
        self.models.iter().position(|known| known == fingerprint)
    }

    /// Returns who wrote or said memories, with how many.
    pub fn authors(&self) -> impl Iterator<Item = (&str, u64)> {
        self.authors.iter().map(|(name, memories)| (name.as_str(), *memories))
    }

    /// Returns the memories that have a term.
    pub fn having(&self, term: &str) -> Option<&Having> {
        self.terms.get(term)
    }

    pub fn insert(&mut self, kept: Arc<Kept>) {
        for (term, counts) in terms(&kept) {
            let capital = kept.capitals.contains(term);
            let having = self.terms.entry(term.to_owned()).or_default();
            having.capitalised += u64::from(capital);
            having.memories.insert(kept.number, Has { counts, capital });
        }
        if let Some(author) = kept.memory.author() {
            *self.authors.entry(author.to_owned()).or_default() += 1;
        }
        self.passages += kept.analysed.passages.len() as u64;
        let model = self.number_model(&kept.memory.embedding);
        let glance = Glance::of(&kept, model);
        self.members.insert(kept.number, Member { kept, glance });
    }

    fn number_model(&mut self, embedding: &Embedding) -> Option<usize> {
        let Embedding::Ready(fingerprint) = embedding else { return None };
        Some(self.model(fingerprint).unwrap_or_else(|| {
            self.models.push(fingerprint.clone());
            self.models.len() - 1
        }))
    }

    pub fn remove(&mut self, number: u64) -> Option<Arc<Kept>> {
        let Member { kept, .. } = self.members.remove(&number)?;
        let terms: BTreeSet<&String> =
            kept.analysed.passages.iter().flat_map(|passage| passage.terms.keys()).collect();
        for term in terms {
            if let Some(having) = self.terms.get_mut(term) {
                let has = having.memories.remove(&number);
                having.capitalised -= u64::from(has.is_some_and(|has| has.capital));
                if having.memories.is_empty() {
                    self.terms.remove(term);
                }
            }
        }
        if let Some(memories) = kept.memory.author().and_then(|name| self.authors.get_mut(name)) {
            *memories -= 1;
        }
        self.authors.retain(|_, memories| *memories > 0);
        self.passages -= kept.analysed.passages.len() as u64;
        Some(kept)
    }
}

/// Returns the terms of a memory, with how often each passage has them that does.
fn terms(kept: &Kept) -> BTreeMap<&str, Vec<Count>> {
    let mut terms: BTreeMap<&str, Vec<Count>> = BTreeMap::new();
    for passage in &kept.analysed.passages {
        for (term, count) in &passage.terms {
            terms.entry(term).or_default().push(*count);
        }
    }
    terms
}
