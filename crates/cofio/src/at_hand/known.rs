//! What is at hand, and what of it has to be read again.

use std::collections::{HashMap, HashSet};

use crate::model::{ChangeKind, ChangeRecord, MemoryId, Scope};
use crate::store::{MemoryStore, Store};

/// What is at hand, and what of it has to be read again.
#[derive(Default)]
pub(super) struct Known {
    scopes: HashMap<Scope, Held>,
    /// The last change that is known of.
    place: u64,
    /// What has changed since it was copied.
    stale: HashSet<MemoryId>,
    /// Whether somebody reads it again; two might overtake each other.
    rereading: bool,
    /// What this process is about to create.
    creating: HashMap<MemoryId, Creating>,
    /// Counts how often scopes came.
    era: u64,
    /// Counts uses.
    uses: u64,
}

/// How a scope is held.
#[derive(Debug)]
struct Held {
    standing: Standing,
    /// The era that began when all of it was at hand.
    since: u64,
    /// The use that was the last.
    used: u64,
}

/// What is being created.
#[derive(Debug)]
struct Creating {
    /// When that began.
    era: u64,
    /// Whether somebody has changed it already.
    disturbed: bool,
}

/// How far a scope has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is being copied; this has changed meanwhile.
    Coming(HashSet<MemoryId>),
    /// All of it is at hand.
    Whole,
    /// It has too many memories; so often it was asked for since that was seen.
    TooLarge(u32),
}

/// How often a scope that is too large is asked for before somebody looks whether it still is.
const PATIENCE: u32 = 256;

/// What can be done with what is at hand.
pub(super) enum State {
    /// It is as in the other store.
    Current,
    /// These have to be read again.
    Stale(Vec<MemoryId>),
    /// Nobody can say how it is at the moment.
    Unclear,
}

impl Known {
    /// Returns how a scope stands, if anything is known of it.
    pub(super) fn standing(&self, scope: &Scope) -> Option<&Standing> {
        self.scopes.get(scope).map(|held| &held.standing)
    }

    /// Returns whether all of the scopes are at hand.
    pub(super) fn has_all(&self, scopes: &[Scope]) -> bool {
        scopes.iter().all(|scope| self.standing(scope) == Some(&Standing::Whole))
    }

    /// Notes that a scope is used.
    pub(super) fn use_one(&mut self, scope: &Scope) {
        self.uses += 1;
        if let Some(held) = self.scopes.get_mut(scope) {
            held.used = self.uses;
        }
    }

    /// Notes that scopes are used, and returns whether all of them are at hand.
    pub(super) fn use_all(&mut self, scopes: &[Scope]) -> bool {
        self.uses += 1;
        let mut whole = true;
        for scope in scopes {
            match self.scopes.get_mut(scope) {
                Some(held) => {
                    held.used = self.uses;
                    whole &= held.standing == Standing::Whole;
                }
                None => whole = false,
            }
        }
        whole
    }

    /// Catches up with what others have changed, and says how what is at hand is now.
    pub(super) fn follow(&mut self, home: &dyn Store, copies: &MemoryStore) -> State {
        if !self.scopes.values().any(|held| held.standing == Standing::Whole) {
            return State::Unclear;
        }
        let Some(news) = home.news(self.place) else {
            self.drop_all(copies);
            return State::Unclear;
        };
        for change in news {
            self.place = self.place.max(change.sequence);
            self.hear(&change, copies);
        }
        if self.stale.is_empty() {
            return State::Current;
        }
        if self.rereading {
            return State::Unclear;
        }
        self.rereading = true;
        State::Stale(self.stale.drain().collect())
    }

    fn hear(&mut self, change: &ChangeRecord, copies: &MemoryStore) {
        let coming = change.kind == ChangeKind::Created && self.creating.contains_key(&change.id);
        // A version never changes.
        let is_known = change.kind != ChangeKind::Deleted
            && copies.version(&change.id).is_some_and(|version| version >= change.version);
        if !coming && !is_known {
            self.mark(&change.id, &change.scope);
        }
    }

    /// Notes that a memory has changed.
    pub(super) fn mark(&mut self, id: &MemoryId, scope: &Scope) {
        if let Some(creating) = self.creating.get_mut(id) {
            creating.disturbed = true;
        }
        match self.scopes.get_mut(scope).map(|held| &mut held.standing) {
            Some(Standing::Coming(changed)) => drop(changed.insert(id.clone())),
            Some(Standing::Whole) => drop(self.stale.insert(id.clone())),
            Some(Standing::TooLarge(_)) | None => {}
        }
    }

    /// Notes that a memory has changed of which nobody says whose it is.
    pub(super) fn mark_somewhere(&mut self, id: &MemoryId, copies: &MemoryStore) {
        if copies.version(id).is_some() {
            self.stale.insert(id.clone());
        }
        for held in self.scopes.values_mut() {
            if let Standing::Coming(changed) = &mut held.standing {
                changed.insert(id.clone());
            }
        }
    }

    /// Notes that copies may be behind.
    pub(super) fn doubt(&mut self, ids: impl IntoIterator<Item = MemoryId>) {
        self.stale.extend(ids);
    }

    /// Ends reading again what was taken for it.
    pub(super) fn reread(&mut self) {
        self.rereading = false;
    }

    /// Notes that this process is about to create a memory, if its scope is at hand, and returns
    /// whether it is.
    pub(super) fn create(&mut self, id: &MemoryId, scope: &Scope) -> bool {
        let whole = self.standing(scope) == Some(&Standing::Whole);
        if whole {
            let creating = Creating { era: self.era, disturbed: false };
            self.creating.insert(id.clone(), creating);
        }
        whole
    }

    /// Returns whether a memory that was created is as it was created, and belongs at hand.
    pub(super) fn created(&mut self, id: &MemoryId, scope: &Scope) -> bool {
        let Some(Creating { era, disturbed }) = self.creating.remove(id) else { return false };
        !disturbed && self.has_since(scope, era)
    }

    /// Lets changes of a scope be noted until it is at hand, unless it is known to be too large.
    pub(super) fn begin(&mut self, scope: &Scope) -> bool {
        if let Some(Standing::TooLarge(asked)) =
            self.scopes.get_mut(scope).map(|it| &mut it.standing)
            && *asked < PATIENCE
        {
            *asked += 1;
            return false;
        }
        self.uses += 1;
        let standing = Standing::Coming(HashSet::new());
        let held = Held { standing, since: 0, used: self.uses };
        self.scopes.insert(scope.clone(), held);
        true
    }

    /// Returns what is different once another scope came.
    pub(super) fn era(&self) -> u64 {
        self.era
    }

    /// Returns whether all of a scope has been at hand since an era: what was read then is no older
    /// than its copy.
    pub(super) fn has_since(&self, scope: &Scope, era: u64) -> bool {
        let held = self.scopes.get(scope);
        held.is_some_and(|held| held.standing == Standing::Whole && held.since <= era)
    }

    /// Notes that a scope has too many memories.
    pub(super) fn refuse(&mut self, scope: &Scope) {
        if let Some(held) = self.scopes.get_mut(scope) {
            held.standing = Standing::TooLarge(0);
        }
    }

    /// Notes that a scope is at hand as it was at a place, and returns whether that is still wanted.
    pub(super) fn arrive(&mut self, scope: &Scope, place: u64) -> bool {
        let alone = !self.scopes.values().any(|held| held.standing == Standing::Whole);
        let Some(held) = self.scopes.get_mut(scope) else { return false };
        let Standing::Coming(changed) = std::mem::replace(&mut held.standing, Standing::Whole)
        else {
            return false;
        };
        self.stale.extend(changed);
        self.era += 1;
        held.since = self.era;
        self.place = if alone { place } else { self.place.min(place) };
        true
    }

    /// Forgets about a scope that did not arrive.
    pub(super) fn give_up(&mut self, scope: &Scope) {
        if matches!(self.standing(scope), Some(Standing::Coming(_))) {
            self.scopes.remove(scope);
        }
    }

    /// Lets go of the scopes that were not used for longest.
    pub(super) fn make_room(&mut self, most: usize, copies: &MemoryStore) {
        while self.scopes.len() > most {
            let oldest = self.scopes.iter().min_by_key(|(_, held)| held.used);
            let Some(oldest) = oldest.map(|(scope, _)| scope.clone()) else { return };
            self.scopes.remove(&oldest);
            copies.let_go_of(&oldest);
        }
    }

    fn drop_all(&mut self, copies: &MemoryStore) {
        for scope in self.scopes.keys() {
            copies.let_go_of(scope);
        }
        self.scopes.clear();
        self.stale.clear();
    }
}
