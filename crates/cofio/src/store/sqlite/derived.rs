//! What follows from a memory and needs no database to be worked out.
//!
//! One thread writes, and everybody waits for it; so it is handed what it only has to write down.

use crate::model::{Change, Commit, Memory};
use crate::processors::share;
use crate::store::analysed::Analysed;
use crate::store::document;
use crate::text::fold;

/// A commit with everything worked out that needs no database.
pub(super) struct Ready {
    pub(super) commit: Commit,
    /// What follows from each change; nothing from one that keeps no memory.
    pub(super) derived: Vec<Derived>,
}

impl Ready {
    pub(super) fn new(commit: Commit) -> Self {
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
#[derive(Default)]
pub(super) struct Derived {
    /// The memory in the form in which it is persisted.
    pub(super) document: String,
    pub(super) analysed: Analysed,
    /// The entities that the memory names, in its order, and how they are compared.
    pub(super) named: Vec<Named>,
}

/// How an entity is compared with others: as it is called, and as the memory writes it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) alias: String,
}

impl Derived {
    pub(super) fn of(memory: &Memory) -> Self {
        let named = memory
            .entities
            .iter()
            .map(|mention| Named { name: fold(&mention.name), alias: fold(&mention.alias) });
        Self {
            document: document::encode(memory),
            analysed: Analysed::of(memory),
            named: named.collect(),
        }
    }
}
