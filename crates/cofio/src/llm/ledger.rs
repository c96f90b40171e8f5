use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::error::Result;
use crate::lifecycle::spend::{Account, Caps, Cost, Entry, Purpose, Ticket};

/// Keeps an account of what language models cost.
///
/// Whoever shares a ledger shares its caps: of several reservations that are made at once, be it by
/// several processes, each sees those before it.
/// A reservation that is neither settled nor released goes on counting.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Writes down what a call may cost, unless that could exceed a cap; nothing comes in between.
    async fn reserve(
        &self,
        caps: &Caps,
        purpose: &Purpose,
        model: &str,
        estimate: Cost,
    ) -> Result<Ticket>;

    /// Puts what a call did cost in the place of what it might.
    async fn settle(&self, ticket: Ticket, cost: Cost) -> Result<()>;

    /// Gives back what a call reserved that cost nothing.
    async fn release(&self, ticket: Ticket) -> Result<()>;
}

/// An account that lasts as long as the process.
#[derive(Debug, Default)]
pub struct MemoryLedger(Mutex<Account>);

impl MemoryLedger {
    /// Returns every call, in the order they were reserved.
    pub fn entries(&self) -> Vec<Entry> {
        self.account().entries().cloned().collect()
    }

    /// An account is whole between any two steps, so one that panicked has left it so.
    fn account(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    async fn reserve(
        &self,
        caps: &Caps,
        purpose: &Purpose,
        model: &str,
        estimate: Cost,
    ) -> Result<Ticket> {
        self.account().reserve(caps, purpose.clone(), model, estimate)
    }

    async fn settle(&self, ticket: Ticket, cost: Cost) -> Result<()> {
        self.account().settle(&ticket, cost);
        Ok(())
    }

    async fn release(&self, ticket: Ticket) -> Result<()> {
        self.account().release(&ticket);
        Ok(())
    }
}
