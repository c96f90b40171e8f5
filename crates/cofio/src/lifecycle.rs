//! How memories age, what is found out about them afterwards, and what that may cost: pure plans,
//! made from values and a moment.

pub mod enrichment;
pub mod expiry;
pub mod extraction;
pub mod plan;
pub mod spend;
pub mod sweeping;
