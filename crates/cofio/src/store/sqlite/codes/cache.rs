//! What a process remembers of codes and vectors between searches.
//!
//! Nothing here is believed: a population is used only if the snapshot has the same revision, and
//! a page only if the snapshot has it in the same revision. Revisions are never given twice, so
//! what agrees in them is the same.

mod page;
mod pages;
mod population;

pub(super) use page::{Codes, Page};
pub(super) use population::Population;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, TransactionState};

use super::{ASSISTANT, damaged, models, unexpected};
use crate::error::Result;
use population::State;

/// How many bytes of codes are kept; a million vectors of 384 dimensions have 65 million.
const CODE_BYTES: usize = 128 << 20;

/// How many bytes of vectors are kept.
const VECTOR_BYTES: usize = 64 << 20;

/// Shares codes and vectors among the threads of a process, and drops what was not used for long.
#[derive(Default)]
pub(in super::super) struct Cache {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    populations: HashMap<Place, Kept>,
    /// How often something was asked for.
    uses: u64,
}

/// A model and a scope.
pub(super) type Place = (i64, i64);

struct Kept {
    population: Arc<Population>,
    last_use: u64,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let populations = self.lock().populations.len();
        f.debug_struct("Cache").field("populations", &populations).finish()
    }
}

impl Cache {
    /// Returns the codes of a scope as the snapshot has them.
    pub(super) fn population(
        &self,
        connection: &Connection,
        model: i64,
        scope: i64,
    ) -> Result<Option<Arc<Population>>> {
        let place = (model, scope);
        let Some(state) = State::read(connection, place)? else { return Ok(None) };
        let known = self.known(place);
        if let Some(known) = known.as_ref().filter(|known| known.state == state) {
            return Ok(Some(Arc::clone(known)));
        }
        let fresh = Arc::new(Population::load(connection, place, state, known.as_deref())?);
        // What is not committed may never be, and its revision may come to mean something else.
        let committed = connection.transaction_state(None::<&str>).map_err(unexpected)?
            != TransactionState::Write;
        if committed && known.is_none_or(|known| known.state.revision < state.revision) {
            self.keep(place, &fresh);
        }
        Ok(Some(fresh))
    }

    /// Drops what is too much: the populations that were not used for longest, and if the last one
    /// alone is too large, its vectors.
    pub(super) fn trim(&self) {
        self.trim_to(CODE_BYTES, VECTOR_BYTES);
    }

    pub(super) fn trim_to(&self, code_bytes: usize, vector_bytes: usize) {
        let mut held = self.lock();
        let sum = |held: &Held, bytes: fn(&Population) -> usize| -> usize {
            held.populations.values().map(|kept| bytes(&kept.population)).sum()
        };
        while held.populations.len() > 1
            && (sum(&held, Population::code_bytes) > code_bytes
                || sum(&held, Population::vector_bytes) > vector_bytes)
        {
            let oldest = held.populations.iter().min_by_key(|(_, kept)| kept.last_use);
            let Some(place) = oldest.map(|(&place, _)| place) else { return };
            held.populations.remove(&place);
        }
        for kept in held.populations.values_mut() {
            if kept.population.vector_bytes() > vector_bytes {
                kept.population = Arc::new(kept.population.without_vectors());
            }
        }
    }

    fn known(&self, place: Place) -> Option<Arc<Population>> {
        let mut held = self.lock();
        held.uses += 1;
        let uses = held.uses;
        let kept = held.populations.get_mut(&place)?;
        kept.last_use = uses;
        Some(Arc::clone(&kept.population))
    }

    fn keep(&self, place: Place, population: &Arc<Population>) {
        let mut held = self.lock();
        let last_use = held.uses;
        held.populations.insert(place, Kept { population: Arc::clone(population), last_use });
        drop(held);
        self.trim();
    }

    /// Returns how many bytes of codes and vectors of a place are kept.
    #[cfg(test)]
    pub(super) fn held_bytes(&self, place: Place) -> Option<(usize, usize)> {
        let held = self.lock();
        let population = &held.populations.get(&place)?.population;
        Some((population.code_bytes(), population.vector_bytes()))
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
