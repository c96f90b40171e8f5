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
mod keeping;
mod manners;
mod mcp;
mod meaning;
mod model;
mod review;
mod scan;
mod serve;
mod settings;
mod transfer;
mod truth;
mod why_not;
