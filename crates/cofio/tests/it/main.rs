#![cfg(test)]
//! What the library promises, through its public door.
#![expect(clippy::disallowed_methods, reason = "tests need folders and moments of their own")]

mod engine;
mod fixture;
mod layering;
mod memory_store;
mod sqlite_store;
