//! What all requests share.

use std::sync::Arc;

use cofio::{Engine, Result};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::jobs::Jobs;
use super::limits::{Limits, Rates};
use super::visit::Visitor;
use crate::Desk;

/// What all requests share; copies share everything.
#[derive(Debug, Clone)]
pub(crate) struct House(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    desk: Arc<Desk>,
    local: Option<Visitor>,
    limits: Limits,
    room: Semaphore,
    rates: Rates,
    closing: CancellationToken,
    jobs: Arc<Jobs>,
}

impl House {
    /// Puts a house around a desk; `local` is who asks without a key as long as there are none.
    pub(super) fn new(
        desk: Arc<Desk>,
        local: Option<Visitor>,
        limits: Limits,
        closing: CancellationToken,
        jobs: Arc<Jobs>,
    ) -> Self {
        let (room, rates) = (Semaphore::new(limits.at_once), Rates::new(limits.rate));
        Self(Arc::new(Inner { desk, local, limits, room, rates, closing, jobs }))
    }

    /// Returns the engine, once it is open.
    pub(crate) async fn engine(&self) -> Result<&Engine> {
        self.0.desk.engine().await
    }

    /// Returns who asks without a key.
    pub(super) fn local(&self) -> Option<&Visitor> {
        self.0.local.as_ref()
    }

    /// Returns how much is taken.
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Returns the places for requests that are being answered.
    pub(super) fn room(&self) -> &Semaphore {
        &self.0.room
    }

    /// Returns who asked how often.
    pub(super) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    /// Returns the work that goes on after its request was answered.
    pub(crate) fn jobs(&self) -> &Arc<Jobs> {
        &self.0.jobs
    }

    /// Is cancelled when the server is to end.
    pub(crate) fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }
}
