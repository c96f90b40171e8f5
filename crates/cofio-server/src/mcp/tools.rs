//! The tools, by profile.

pub(crate) mod consolidator;
pub(crate) mod core;
pub(crate) mod files;
pub(crate) mod longterm;
pub(crate) mod memory;
pub(crate) mod server_memory;
pub(crate) mod simple;
