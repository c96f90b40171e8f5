//! The scopes that something may stand on a shelf for, whether or not the store has anything of them.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Shelved;
use crate::error::Result;
use crate::model::{Access, Scope, Timestamp};

/// How many scopes without memories are looked into at a time: a store that is used for years knows
/// many of them, and hardly ever is anything left there.
const EMPTY: usize = 250;

/// Of how many scopes it is kept in mind that the store knows them.
const KEPT_IN_MIND: usize = 10_000;

/// What is known of the scopes that the store knows.
#[derive(Default)]
pub(super) struct Scopes {
    known: Mutex<HashSet<Scope>>,
    /// The last one without memories that was looked into, as it is written.
    last: Mutex<String>,
}

impl Shelved {
    /// Has the store know scopes before anything stands on a shelf for them: so a sweep finds what a
    /// commit that came to no end has left.
    pub(super) async fn make_known(&self, scopes: HashSet<&Scope>) -> Result<()> {
        let unknown: Vec<Scope> = {
            let known = self.scopes.known();
            scopes.into_iter().filter(|scope| !known.contains(scope)).cloned().collect()
        };
        if unknown.is_empty() {
            return Ok(());
        }
        self.home.know(&unknown).await?;
        let mut known = self.scopes.known();
        if known.len() + unknown.len() > KEPT_IN_MIND {
            known.clear();
        }
        known.extend(unknown);
        Ok(())
    }

    /// Returns the scopes to sweep now: all that hold something or in which something was seen that
    /// may have to go, and the next of the others.
    pub(super) async fn scopes_to_sweep(
        &self,
        access: &Access,
        now: Timestamp,
    ) -> Result<Vec<Scope>> {
        let summaries = self.home.scopes(access, now).await?;
        let mut wanted: HashSet<Scope> = self.suspects.scopes();
        wanted.extend(summaries.into_iter().map(|summary| summary.scope));
        let all = self.home.known_scopes(access).await?;
        let (mut due, empty): (Vec<Scope>, Vec<Scope>) =
            all.into_iter().partition(|scope| wanted.contains(scope));
        due.extend(self.scopes.next(empty));
        Ok(due)
    }
}

impl Scopes {
    /// Returns those of some scopes whose turn it is.
    fn next(&self, mut scopes: Vec<Scope>) -> Vec<Scope> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        scopes.sort_by_cached_key(ToString::to_string);
        let done = scopes.partition_point(|scope| scope.to_string() <= *last);
        scopes.rotate_left(done);
        scopes.truncate(EMPTY);
        *last = scopes.last().map(ToString::to_string).unwrap_or_default();
        scopes
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Scope>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Identifier;

    #[test]
    fn every_scope_has_its_turn() {
        let scope = |number: usize| Scope::user(Identifier::new(&format!("u{number:03}")).unwrap());
        let all: Vec<Scope> = (0..EMPTY + 100).map(scope).collect();
        let scopes = Scopes::default();
        assert_eq!(scopes.next(all.clone()), all[..EMPTY]);
        let (end, beginning) = (&all[EMPTY..], &all[..EMPTY - 100]);
        assert_eq!(scopes.next(all.clone()), [end, beginning].concat());
        assert_eq!(scopes.next(Vec::new()), []);
        assert_eq!(scopes.next(all[..3].to_vec()), all[..3]);
    }
}
