use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use cofio::model::{Identifier, Layer, MemoryId};

/// What is written down of one request while it is answered; copies share it.
///
/// It has names that we gave and counts, never anything that somebody wrote.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Noted>>);

/// What was written down.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noted {
    /// Who asked.
    pub(crate) actor: Option<Identifier>,
    /// Why it failed.
    pub(crate) code: Option<&'static str>,
    /// How much was found, if something was searched.
    pub(crate) found: Option<usize>,
    /// What is done to memories, if anything is.
    pub(crate) work: Option<Work>,
    layers: BTreeSet<Layer>,
}

/// What is done to memories.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "only spans tell of it"))]
pub(crate) struct Work {
    /// What it is.
    pub(crate) act: Act,
    /// Since when.
    pub(crate) began: SystemTime,
    /// To how many memories, as far as that is known.
    pub(crate) count: Option<usize>,
    /// To which one, if it is one.
    pub(crate) record: Option<MemoryId>,
}

/// What can be done to memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// They are made.
    Create,
    /// They are changed.
    Update,
    /// They are changed if they are there, and made otherwise.
    Upsert,
    /// They are looked for.
    Search,
    /// They are forgotten.
    Delete,
}

impl Notes {
    /// Writes down who asks.
    pub(crate) fn asked_by(&self, actor: &Identifier) {
        self.change(|noted| noted.actor = Some(actor.clone()));
    }

    /// Writes down a layer that was named.
    pub(crate) fn named(&self, layer: Layer) {
        self.change(|noted| noted.layers.extend([layer]));
    }

    /// Writes down how much a search found.
    pub(crate) fn found(&self, count: usize) {
        self.change(|noted| noted.found = Some(noted.found.unwrap_or(0) + count));
    }

    /// Writes down what is about to be done to memories.
    pub(crate) fn begins(&self, act: Act) -> &Self {
        let work = Work { act, began: SystemTime::now(), count: None, record: None };
        self.change(|noted| noted.work = Some(work));
        self
    }

    /// Writes down to how many memories it is done.
    pub(crate) fn of(&self, count: usize) {
        self.change(|noted| {
            if let Some(work) = &mut noted.work {
                work.count = Some(count);
            }
        });
    }

    /// Writes down to which one memory it is done.
    pub(crate) fn on(&self, id: &MemoryId) {
        self.change(|noted| {
            if let Some(work) = &mut noted.work {
                (work.count, work.record) = (Some(1), Some(id.clone()));
            }
        });
    }

    /// Writes down to which memories it is done.
    pub(crate) fn these(&self, ids: &[MemoryId]) {
        match ids {
            [id] => self.on(id),
            ids => self.of(ids.len()),
        }
    }

    /// Writes down why there is no answer.
    pub(crate) fn failed(&self, code: &'static str) {
        self.change(|noted| noted.code = Some(code));
    }

    /// Returns what is written down so far.
    pub(crate) fn noted(&self) -> Noted {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, write: impl FnOnce(&mut Noted)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Noted {
    /// Returns the one layer that was named.
    pub(crate) fn layer(&self) -> Option<Layer> {
        let mut layers = self.layers.iter();
        layers.next().copied().filter(|_| layers.next().is_none())
    }
}
