use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::Engine;
use crate::error::{Error, Result};
use crate::lifecycle::spend::{Caps, Cost, Money, Purpose, Ticket, Totals, Usage, permit};
use crate::llm::Ledger;
use crate::model::{Amount, Caller, Right, Spending, Spent};
use crate::store::Store;

/// An account that is kept with the memories, for every process that uses them.
pub struct StoreLedger(pub Arc<dyn Store>);

impl fmt::Debug for StoreLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreLedger").finish_non_exhaustive()
    }
}

#[async_trait]
impl Ledger for StoreLedger {
    async fn reserve(
        &self,
        caps: &Caps,
        purpose: &Purpose,
        model: &str,
        estimate: Cost,
    ) -> Result<Ticket> {
        let spending = Spending {
            day: purpose.day,
            job: purpose.job.clone(),
            scope: purpose.scope.to_string(),
            model: model.to_owned(),
            amount: amount(estimate),
            settled: false,
        };
        let caps = *caps;
        let permitted = move |spent: &Spent| permit(&caps, &totals(spent), &estimate);
        self.0.reserve(spending, Box::new(permitted)).await.map(Ticket)
    }

    async fn settle(&self, ticket: Ticket, cost: Cost) -> Result<()> {
        self.0.settle_spending(ticket.0, Some(amount(cost))).await
    }

    async fn release(&self, ticket: Ticket) -> Result<()> {
        self.0.settle_spending(ticket.0, None).await
    }
}

impl Engine {
    /// Returns what language models have cost, the latest call first, to whoever administers the
    /// store.
    pub async fn spending(&self, caller: &Caller, limit: usize) -> Result<Vec<Spending>> {
        let list = async {
            caller.require(Right::Admin)?;
            self.store.spending(limit).await
        };
        list.await.map_err(|error: Error| error.during("spending"))
    }
}

fn amount(cost: Cost) -> Amount {
    Amount { input: cost.usage.input, output: cost.usage.output, money: cost.money.0 }
}

fn cost(amount: Amount) -> Cost {
    let Amount { input, output, money } = amount;
    Cost { usage: Usage { input, output }, money: Money(money) }
}

fn totals(spent: &Spent) -> Totals {
    Totals { day: cost(spent.day), job: cost(spent.job), scope: cost(spent.scope) }
}
