//! Finding: how a question is read, how evidence is weighed, and why each hit is there.
//!
//! Pure: values in, values out.

mod block;
pub mod dates;
mod explain;
mod flood;
mod flow;
mod fuse;
mod lexical;
mod meaning;
mod merge;
mod plan;
mod profile;
mod query;
mod question;
mod rank;
mod relevance;
mod weights;

pub use block::{ContextBlock, Known, block, estimated_tokens, without_blocks};
pub use explain::explain;
pub use merge::{Hit, LookedUp, Signals, merge};
pub(crate) use plan::not_open;
pub use plan::reach;
pub use profile::{Companion, Period, companions, spellings, timeline};
pub use query::{Answer, Fusion, MeaningUsed, Merge, Mode, Query, SEMANTIC_THRESHOLD, Selection};
pub use question::{Interpretation, Question};
pub use rank::{Aim, Dated, Part, Scored, Signal, rank};
pub use relevance::is_relevant;
pub use weights::{WEIGHTS, Weights, weights_hash};
