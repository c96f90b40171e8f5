//! How memories age: pure plans, made from values and a moment.

pub mod expiry;
pub mod extraction;
pub mod sweeping;
