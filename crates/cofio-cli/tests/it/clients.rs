//! Clients that others wrote, with the server as they meet it: over pipes and over HTTP, with a
//! handshake and without one.

mod conformance;
mod inspector;
mod mem0;
mod packages;
mod python;
mod schemathesis;
pub mod served;
mod steps;
