//! Finding: what is asked of a store, how its answers are merged, and why each is there.
//!
//! Pure: values in, values out.

mod block;
mod fuse;
mod merge;
mod plan;
mod query;

pub use block::{ContextBlock, block, estimated_tokens};
pub use fuse::{RANK_CONSTANT, Ranked, fuse};
pub use merge::{Hit, Signals, merge};
pub(crate) use plan::not_open;
pub use plan::{cues, reach};
pub use query::{Answer, Merge, Mode, Query, Selection};
