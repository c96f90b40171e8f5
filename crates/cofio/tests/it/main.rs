#![cfg(test)]
//! What the library promises, through its public door.

mod acceptance;
mod attacks;
mod audit_head;
mod clocks;
mod consolidated;
mod engine;
mod enriching;
mod facts;
mod fading;
mod fixture;
mod forgetting;
mod golden;
mod isolation;
mod jobs;
mod keys;
mod languages;
mod layering;
mod meaning;
mod memory_store;
mod moments;
mod nights;
mod older_files;
mod policy;
mod profiles;
mod questions;
mod ranking;
mod recorder;
mod rights;
mod secrets;
mod sqlite_file;
mod sqlite_store;
mod traces;
mod transfer;
mod trust;
mod truth;
