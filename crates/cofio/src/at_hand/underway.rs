//! Commits under way: what they may have changed is read again, however they end.

use super::AtHand;
use crate::model::{Change, Commit, Memory, MemoryId, Outcome, Scope};
use crate::store::Copied;

/// A commit that the other store makes; dropped, nobody knows what became of it.
pub(super) struct Underway<'a> {
    at_hand: &'a AtHand,
    touched: Vec<Touched>,
}

/// A memory that a commit may change.
struct Touched {
    id: MemoryId,
    /// Whose it is, if that is known.
    scope: Option<Scope>,
    /// What it is to be, if it is new and belongs at hand.
    new: Option<Box<Memory>>,
}

impl<'a> Underway<'a> {
    /// Notes what a commit may change.
    pub(super) fn begin(at_hand: &'a AtHand, commit: &Commit) -> Self {
        let mut known = at_hand.known();
        let touched = commit.changes.iter().map(|change| match change {
            Change::Create { memory, .. } => {
                // What is told of a repeated request may not be so any more.
                let new = commit.idempotency.is_none() && known.create(&memory.id, &memory.scope);
                let new = new.then(|| memory.clone());
                Touched { id: memory.id.clone(), scope: Some(memory.scope.clone()), new }
            }
            Change::Update { memory, .. } => Touched::of(&memory.id, Some(&memory.scope)),
            Change::Forget { id, scope, .. } | Change::Reject { id, scope, .. } => {
                Touched::of(id, Some(scope))
            }
            Change::Embed { id, .. } => Touched::of(id, None),
        });
        let touched = touched.collect();
        drop(known);
        Self { at_hand, touched }
    }

    /// Takes at hand what is new, and notes what has changed.
    pub(super) fn end(mut self, outcomes: &[Outcome]) {
        let touched = std::mem::take(&mut self.touched);
        let mut known = self.at_hand.known();
        for (Touched { id, scope, new }, outcome) in touched.into_iter().zip(outcomes) {
            let undisturbed = scope.as_ref().is_some_and(|scope| known.created(&id, scope));
            match (new, outcome) {
                (Some(new), Outcome::Created(_)) if undisturbed => {
                    self.at_hand.hold(&mut known, vec![Copied::new(*new, &[])]);
                }
                // Somebody else may have created it under this id; that was taken for ours.
                (new, outcome) if outcome.changed() || new.is_some() && *outcome.id() == id => {
                    self.mark(&mut known, &id, scope.as_ref());
                }
                _ => {}
            }
        }
    }

    fn mark(&self, known: &mut super::Known, id: &MemoryId, scope: Option<&Scope>) {
        match scope {
            Some(scope) => known.mark(id, scope),
            None => known.mark_somewhere(id, &self.at_hand.copies),
        }
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        if self.touched.is_empty() {
            return;
        }
        let mut known = self.at_hand.known();
        for Touched { id, scope, .. } in std::mem::take(&mut self.touched) {
            if let Some(scope) = &scope {
                known.created(&id, scope);
            }
            self.mark(&mut known, &id, scope.as_ref());
        }
    }
}

impl Touched {
    fn of(id: &MemoryId, scope: Option<&Scope>) -> Self {
        Self { id: id.clone(), scope: scope.cloned(), new: None }
    }
}
