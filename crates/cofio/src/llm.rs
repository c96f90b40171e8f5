//! Asking language models: the contract, and answers that were checked and paid for.
//!
//! Nothing is asked without a budget, nothing is believed that does not have the shape that was
//! asked for, and what a model is shown of memories is data between marks, never an instruction.
//!
//! [`facts`], [`names`] and [`reflection`] are what models are asked for; what they answer counts
//! only as far as the memories that they were shown support it.

pub mod facts;
pub mod names;
pub mod reflection;

mod counsel;
mod ledger;
mod material;
mod prompt;
mod quoting;
mod shape;

use std::fmt;

use async_trait::async_trait;

use crate::error::Error;
use crate::lifecycle::spend::Usage;

pub use counsel::{Answer, Counsel};
pub use ledger::{Ledger, MemoryLedger};
pub use prompt::{Message, Prompt, Repair, Role};
pub use shape::Shape;

/// The most bytes of an answer that are looked at.
pub const ANSWER_BYTES: usize = 1024 * 1024;

/// Writes text that continues a prompt.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Returns the name of the model, for the ledger.
    fn model(&self) -> &str;

    /// Returns what the model answers, whole and unchecked.
    ///
    /// An answer that was cut short, or a refusal to answer, is a failure.
    /// It gives up after a while, and never asks a second time for what may be paid for already.
    async fn reply(&self, prompt: &Prompt) -> Result<Reply, Failure>;
}

/// What a model answers.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// The text; nobody has looked at it yet.
    pub text: String,
    /// What it costs.
    pub charge: Charge,
}

/// Shows the size only: an answer is made of memories.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply({} bytes, {:?})", self.text.len(), self.charge)
    }
}

/// Why there is no answer, and what that costs.
#[derive(Debug)]
pub struct Failure {
    /// Why.
    pub error: Error,
    /// What it costs all the same.
    pub charge: Charge,
}

/// What a call costs, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// The model was never reached, or did not begin.
    Nothing,
    /// So many tokens, by the word of the server.
    Tokens(Usage),
    /// Perhaps everything that was reserved.
    Unknown,
}
