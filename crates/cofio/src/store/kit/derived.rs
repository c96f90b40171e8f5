//! What follows from a memory and needs no database to be worked out.
//!
//! Whoever writes is waited for by everybody, and so is handed what only has to be written down.

use super::Analysed;
use crate::error::Result;
use crate::model::{Change, Commit, Memory};
use crate::processors::share;
use crate::store::document;
use crate::text::fold;

/// A commit with everything worked out that needs no database.
#[derive(Debug)]
pub struct Ready {
    /// The commit.
    pub commit: Commit,
    /// What follows from each change; nothing from one that keeps no memory.
    pub derived: Vec<Derived>,
}

impl Ready {
    /// Works everything out; all processors share a large commit.
    pub fn new(commit: Commit) -> Self {
        let derived = share(&commit.changes, |change| match change {
            Change::Create { memory, .. } | Change::Update { memory, .. } => Derived::of(memory),
            Change::Forget { .. } | Change::Reject { .. } | Change::Embed { .. } => {
                Derived::default()
            }
        });
        Self { commit, derived }
    }
}

/// What is kept of a memory besides what stands in its own fields.
#[derive(Debug, Default)]
pub struct Derived {
    /// The memory in the form in which it is persisted.
    pub document: String,
    /// What words find it by.
    pub analysed: Analysed,
    /// The entities that the memory names, in its order, and how they are compared.
    pub named: Vec<Named>,
}

/// How an entity is compared with others: as it is called, and as the memory writes it.
#[derive(Debug)]
pub struct Named {
    /// As it is called.
    pub name: String,
    /// As the memory writes it.
    pub alias: String,
}

impl Derived {
    /// Works out what is kept of a memory.
    pub fn of(memory: &Memory) -> Self {
        let (document, analysed) = (document::encode(memory), Analysed::of(memory));
        Self { document, analysed, named: named(memory) }
    }

    /// Reads a memory back, with what is kept of it.
    pub fn read(document: String) -> Result<(Memory, Self)> {
        let (memory, analysed) = document::decode_analysed(&document)?;
        let named = named(&memory);
        Ok((memory, Self { document, analysed, named }))
    }
}

fn named(memory: &Memory) -> Vec<Named> {
    let mentions = memory.entities.iter();
    mentions
        .map(|mention| Named { name: fold(&mention.name), alias: fold(&mention.alias) })
        .collect()
}
