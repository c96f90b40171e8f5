use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use cofio::model::{Identifier, Layer};

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
    layers: BTreeSet<Layer>,
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
