//! The tools, by profile.

pub(crate) mod core;
