#![cfg(test)]
//! The command as people and programs meet it: the real binary, its whole output, its exit codes.

mod machine;
mod server;

mod acceptance;
mod archive;
mod attacks;
mod bad_input;
mod changing;
mod finding;
mod forgetting;
mod hooks;
mod installing;
mod keeping;
mod manners;
mod meaning;
mod model;
mod review;
mod scan;
mod settings;
mod transfer;
mod why_not;
