//! What language models may cost: prices, caps, and the account that keeps to them.
//!
//! A call reserves what it may cost before it is made, and settles what it did cost afterwards.
//! What is reserved counts as spent, so calls that are made at once cannot overrun a cap together.
//! Where accounts are kept is not known here.

mod account;
mod caps;
mod cost;

pub use account::{Account, Entry, Standing, Ticket};
pub use caps::{Budget, Cap, Caps, Totals, permit};
pub use cost::{Cost, Money, Prices, Usage};

use jiff::civil::Date;

use crate::model::Scope;

/// On whose account a call is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose {
    /// The day it is made on; a call that goes on past midnight counts for the day it began.
    pub day: Date,
    /// The job that needs it.
    pub job: String,
    /// Whose memories it works on.
    pub scope: Scope,
}
