//! The scopes that a process has searched.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::{Field, Moment, locked};
use crate::error::Result;
use crate::store::sqlite::readers::READERS;

/// How many bytes are kept over all scopes.
const BYTES: usize = 128 << 20;

/// Shares what is known of scopes among the threads of a process, and drops what was not used for
/// long.
#[derive(Debug, Default)]
pub(in super::super) struct Fields {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    scopes: HashMap<i64, Kept>,
    bytes: usize,
    /// How often something was asked for.
    uses: u64,
}

#[derive(Debug, Default)]
struct Kept {
    slot: Arc<Slot>,
    bytes: usize,
    last_use: u64,
}

/// How many states of a scope are kept: readers that began at different moments meet.
const STATES: usize = READERS;

/// The last states of a scope, the latest last.
type Slot = Mutex<VecDeque<Arc<Field>>>;

impl Fields {
    /// Returns what is known of a scope at the moment of the connection's snapshot.
    pub(in super::super) fn of(&self, connection: &Connection, scope: i64) -> Result<Arc<Field>> {
        let now = Moment::of(connection, scope)?;
        let slot = locked(&self.held).slot(scope);
        let field = {
            let mut states = locked(&slot);
            let later = states.iter().rev().take_while(|state| state.moment.is_after(now)).count();
            let place = states.len() - later;
            let field = match place.checked_sub(1).map(|last| &states[last]) {
                Some(state) if state.moment == now => return Ok(Arc::clone(state)),
                Some(state) => state.follow(connection, scope, now)?,
                None => Field::load(connection, scope, now)?,
            };
            let field = Arc::new(field);
            states.insert(place, Arc::clone(&field));
            if states.len() > STATES {
                states.pop_front();
            }
            field
        };
        locked(&self.held).count(scope, field.bytes(), BYTES);
        Ok(field)
    }
}

impl Held {
    fn slot(&mut self, scope: i64) -> Arc<Slot> {
        self.uses += 1;
        let kept = self.scopes.entry(scope).or_default();
        kept.last_use = self.uses;
        Arc::clone(&kept.slot)
    }

    /// Notes how large a scope is; if all are too large, drops those not used for longest, but never
    /// this one.
    fn count(&mut self, scope: i64, bytes: usize, most: usize) {
        if let Some(kept) = self.scopes.get_mut(&scope) {
            self.bytes = self.bytes + bytes - kept.bytes;
            kept.bytes = bytes;
        }
        if self.bytes <= most {
            return;
        }
        let mut others: Vec<(u64, i64)> = self
            .scopes
            .iter()
            .filter(|(number, _)| **number != scope)
            .map(|(&number, kept)| (kept.last_use, number))
            .collect();
        others.sort_unstable();
        // Half is left, so that not every new scope has to look for the oldest.
        for (_, other) in others {
            if self.bytes <= most / 2 {
                return;
            }
            self.bytes -= self.scopes.remove(&other).map_or(0, |kept| kept.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_that_were_not_used_for_longest_give_way() {
        let mut held = Held::default();
        for scope in 0..10 {
            held.slot(scope);
            held.count(scope, 10, 100);
        }
        held.slot(0);
        held.slot(10);
        held.count(10, 10, 100);
        let mut left: Vec<i64> = held.scopes.keys().copied().collect();
        left.sort_unstable();
        assert_eq!(left, [0, 7, 8, 9, 10]);
        assert_eq!(held.bytes, 50);
        held.count(10, 1_000, 100);
        assert_eq!((held.scopes.len(), held.bytes), (1, 1_000));
    }
}
