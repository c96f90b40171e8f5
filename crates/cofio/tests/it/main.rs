#![cfg(test)]
//! What the library promises, through its public door.

mod engine;
mod fixture;
mod languages;
mod layering;
mod memory_store;
mod policy;
mod questions;
mod sqlite_file;
mod sqlite_store;
mod transfer;
