//! How memories age and what that may cost: pure plans, made from values and a moment.

pub mod expiry;
pub mod extraction;
pub mod plan;
pub mod schedule;
pub mod spend;
pub mod sweeping;
