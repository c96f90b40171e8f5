//! How memories age, what is found out about them afterwards, and what that may cost: pure plans,
//! made from values and a moment.

pub mod brief;
pub mod consolidation;
pub mod decay;
pub mod diff;
pub mod enrichment;
pub mod expiry;
pub mod extraction;
pub mod guard;
pub mod merging;
pub mod plan;
pub mod promotion;
pub mod schedule;
pub mod spend;
pub mod sweeping;

#[cfg(test)]
mod fixtures;
