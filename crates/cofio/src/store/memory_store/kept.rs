//! A memory with everything that is kept beside it, all of which goes when it goes.

use std::collections::{BTreeMap, BTreeSet};

use super::embedding::Claim;
use super::vectors::Vectors;
use crate::model::{
    Accesses, Embedding, EntityType, Filter, Inherited, JobId, Memory, Stage, Unshelved,
};
use crate::store::kit::Analysed;
use crate::text::fold;

/// A memory with everything that is kept beside it.
#[derive(Clone)]
pub(super) struct Kept {
    /// The memory as it is now.
    pub memory: Memory,
    /// What makes two memories the same one.
    pub identity: Option<[u8; 32]>,
    /// The earlier versions, the oldest first.
    pub history: Vec<Memory>,
    /// Tells it from all others, those that came before having smaller ones.
    pub number: u64,
    /// The terms by which words find it.
    pub analysed: Analysed,
    /// The words that it ever writes with a capital letter.
    pub capitals: BTreeSet<String>,
    /// What it names, folded for comparison.
    pub mentions: Vec<FoldedMention>,
    /// The vectors of its passages, once it has them.
    pub vectors: Vectors,
    /// Who is embedding it.
    pub claim: Claim,
    /// What it came through, and in which job.
    pub stages: BTreeMap<Stage, JobId>,
}

/// A mention, as names are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoldedMention {
    /// Which entity.
    pub entity: EntityKey,
    /// How it was written.
    pub alias: String,
}

/// Tells one entity of a scope from every other.
pub(super) type EntityKey = (String, EntityType);

impl Kept {
    /// Analyses a memory.
    pub fn new(mut memory: Memory, identity: Option<[u8; 32]>) -> Self {
        let (analysed, capitals) = (Analysed::of(&memory), memory.content.capitals());
        memory.content = memory.content.kept().into_owned();
        let mentions = memory.entities.iter().map(|mention| FoldedMention {
            entity: (fold(&mention.name), mention.entity_type),
            alias: fold(&mention.alias),
        });
        let mentions = mentions.collect();
        Self {
            memory,
            identity,
            history: Vec::new(),
            number: 0,
            analysed,
            capitals,
            mentions,
            vectors: Vectors::default(),
            claim: Claim::default(),
            stages: BTreeMap::new(),
        }
    }

    /// Returns the next version, with what the one before hands on.
    pub fn after(mut self, before: &Self) -> Self {
        self.memory.accesses = before.memory.accesses;
        self.history.clone_from(&before.history);
        self.history.push(version(before.memory.clone()));
        self.number = before.number;
        self.memory.embedding = match self.memory.inherits_vectors(&before.memory) {
            Inherited::Nothing => Embedding::Pending,
            Inherited::Elsewhere(by) => Embedding::Ready(by),
            Inherited::Same => {
                self.vectors.clone_from(&before.vectors);
                before.memory.embedding.clone()
            }
        };
        if self.memory.shares_vectors_with(&before.memory) {
            self.claim = before.claim.clone();
            let of_text = before.stages.iter().filter(|(stage, _)| stage.is_of_text());
            self.stages = of_text.map(|(stage, job)| (*stage, job.clone())).collect();
        }
        self
    }

    /// Returns the memory as a filter means it, if it does.
    pub fn meant(&self, filter: &Filter) -> Option<&Memory> {
        filter.meant(&self.memory, &self.history)
    }

    /// Returns a copy of the memory.
    pub fn to_memory(&self) -> Memory {
        self.memory.clone()
    }

    /// Returns the texts that stand elsewhere, of all versions, each once.
    pub fn unshelved(&self) -> Vec<Unshelved> {
        let mut texts = Vec::new();
        for memory in self.history.iter().chain([&self.memory]) {
            let standing = memory.content.standing().zip(memory.slot());
            let text = standing.map(|(it, slot)| Unshelved { shelf: it.shelf.clone(), slot });
            texts.extend(text.filter(|text| !texts.contains(text)));
        }
        texts
    }

    /// Returns the entities it names, perhaps more than once.
    pub fn entities(&self) -> impl Iterator<Item = &EntityKey> {
        self.mentions.iter().map(|mention| &mention.entity)
    }
}

/// Returns a memory without what is not part of a version.
pub(super) fn version(memory: Memory) -> Memory {
    let content = memory.content.kept().into_owned();
    Memory { content, accesses: Accesses::default(), embedding: Embedding::Pending, ..memory }
}
