#![cfg(test)]
//! What the library promises, through its public door.

mod attacks;
mod engine;
mod fixture;
mod isolation;
mod languages;
mod layering;
mod meaning;
mod memory_store;
mod older_files;
mod policy;
mod questions;
mod ranking;
mod recorder;
mod sqlite_file;
mod sqlite_store;
mod transfer;
mod trust;
