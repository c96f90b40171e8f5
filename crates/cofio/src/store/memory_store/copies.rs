//! Copies of memories that another store has, read without waiting.

use std::sync::Arc;

use super::contents::Contents;
use super::glance::Glance;
use super::inside::{Inside, Member};
use super::kept::Kept;
use super::vectors::Vectors;
use super::{MemoryStore, at, evidence, list};
use crate::model::{
    Access, Filter, Meaning, Memory, MemoryId, PassageVector, Place, Reading, Scope, Survey,
};
use crate::store::inquiries::Resumed;
use crate::store::{Cued, Found, Inquiry, Listing, Page};

/// A memory as another store has it, made ready to be found.
pub(crate) struct Copied(Kept);

impl Copied {
    /// Analyses a memory; without vectors it is found by everything but its meaning.
    pub(crate) fn new(memory: Memory, vectors: &[PassageVector]) -> Self {
        Self(Kept { vectors: Vectors::new(vectors), ..Kept::new(memory, None) })
    }

    /// Returns which memory it is a copy of.
    pub(crate) fn id(&self) -> &MemoryId {
        &self.0.memory.id
    }

    /// Returns whose it is.
    pub(crate) fn scope(&self) -> &Scope {
        &self.0.memory.scope
    }
}

/// The numbers of copies begin here, so that their places are never those of another store.
const FIRST: u64 = 1 << 63;

/// How far an inquiry came among copies.
pub(crate) enum Followed {
    /// To its end.
    Found(Found),
    /// To places that are the other store's.
    Chosen(Vec<Place>),
    /// Not to its end, as the vectors of these are not at hand; it can be followed elsewhere.
    Lacking(Vec<MemoryId>, Box<dyn Inquiry>),
}

impl MemoryStore {
    /// Makes a store for copies.
    pub(crate) fn of_copies() -> Self {
        let copies = Self::default();
        copies.contents().number_from(FIRST);
        copies
    }

    /// Keeps copies in the place of those with the same ids, without a record of it.
    pub(crate) fn hold(&self, copies: Vec<Copied>) {
        let mut contents = self.contents();
        for Copied(mut kept) in copies {
            let id = kept.memory.id.clone();
            let number = contents.find(&id).map(|before| before.number);
            kept.number = number.unwrap_or_else(|| contents.next_number());
            contents.replace(&id, Some(Arc::new(kept)));
        }
    }

    /// Lets go of copies.
    pub(crate) fn let_go(&self, ids: &[MemoryId]) {
        let mut contents = self.contents();
        for id in ids {
            contents.replace(id, None);
        }
    }

    /// Lets go of all copies of a scope.
    pub(crate) fn let_go_of(&self, scope: &Scope) {
        let mut contents = self.contents();
        let inside = contents.inside(std::slice::from_ref(scope));
        let ids: Vec<MemoryId> = inside.iter().map(|kept| kept.memory.id.clone()).collect();
        for id in ids {
            contents.replace(&id, None);
        }
    }

    /// Returns how many copies there are of a scope.
    pub(crate) fn count_in(&self, scope: &Scope) -> u64 {
        self.contents().each(std::slice::from_ref(scope)).into_iter().map(Inside::len).sum()
    }

    /// Returns the version of which there is a copy.
    pub(crate) fn version(&self, id: &MemoryId) -> Option<u64> {
        self.contents().find(id).map(|kept| kept.memory.version)
    }

    /// Counts a reading, without a record of it.
    pub(crate) fn count(&self, reading: &Reading) {
        self.contents().count(reading);
    }

    /// Returns the copies with all of these ids, as far as `access` opens them; none if one lacks.
    pub(crate) fn get_at_once(&self, access: &Access, ids: &[MemoryId]) -> Option<Vec<Memory>> {
        let contents = self.contents();
        let all: Option<Vec<_>> = ids.iter().map(|id| contents.find(id)).collect();
        let open = all?.into_iter().filter(|kept| access.opens(&kept.memory.scope));
        Some(open.map(|kept| kept.to_memory()).collect())
    }

    /// Does what [`crate::store::Store::list`] does.
    pub(crate) fn list_at_once(&self, filter: &Filter, page: &Page) -> Listing {
        list(&self.contents(), filter, page)
    }

    /// Does what [`crate::store::Store::find`] does, as far as vectors are at hand.
    pub(crate) fn follow(
        &self,
        filter: &Filter,
        limit: usize,
        mut inquiry: Box<dyn Inquiry>,
    ) -> Followed {
        let contents = self.contents();
        let survey = match inquiry.words() {
            Some(words) => evidence::survey(&contents, &filter.scopes, words),
            None => Survey::default(),
        };
        let cues = match inquiry.cues(&survey) {
            Cued::By(cues) => cues,
            Cued::Later(_) => return Followed::Found(Found::default()),
        };
        if let Some(meaning) = &cues.meaning {
            let lacking = lacking(&contents, filter, meaning);
            if !lacking.is_empty() {
                return Followed::Lacking(lacking, Box::new(Resumed::new(inquiry, cues)));
            }
        }
        let evidence = evidence::evidence(&contents, filter, &cues, limit);
        let places = inquiry.choose(&evidence);
        if places.iter().any(|place| place.0 < FIRST) {
            return Followed::Chosen(places);
        }
        Followed::Found(at(&contents, filter, &places).into())
    }
}

/// Returns what has no vectors of the model that a question was read by.
fn lacking(contents: &Contents, filter: &Filter, meaning: &Meaning) -> Vec<MemoryId> {
    let lacking = |inside: &'_ Inside| {
        let model = inside.model(&meaning.fingerprint);
        let lacks = move |member: &&Member| {
            let Glance { model: made, vectors, .. } = &member.glance;
            model.is_none() || *made != model || vectors.is_empty()
        };
        let lacking = inside.members().filter(lacks);
        lacking.map(|member| member.kept.memory.id.clone()).collect::<Vec<_>>()
    };
    contents.each(&filter.scopes).into_iter().flat_map(lacking).collect()
}
