#![cfg(test)]
//! The command as people and programs meet it: the real binary, its whole output, its exit codes.

mod guide;
mod http;
mod lifecycle;
mod machine;
mod programs;
mod random;
mod server;

mod acceptance;
mod agents;
mod archive;
mod attacks;
mod bad_input;
mod changing;
mod clients;
mod files;
mod finding;
mod forgetting;
mod hooks;
mod importing;
mod installing;
mod integrations;
mod keeping;
mod keys;
mod manners;
mod mcp;
mod meaning;
mod migrating;
mod model;
mod moments;
mod review;
mod scan;
mod serve;
mod servers;
mod settings;
#[cfg(all(feature = "otel", unix))]
mod telemetry;
mod tenants;
mod transfer;
mod truth;
mod why_not;
