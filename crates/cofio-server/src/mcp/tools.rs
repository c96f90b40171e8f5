//! The tools, by profile.

pub(crate) mod consolidator;
pub(crate) mod core;
pub(crate) mod longterm;
pub(crate) mod simple;
