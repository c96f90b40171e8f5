//! Cofio's doors for other programs, each a face of one engine.
//!
//! A door turns what somebody asks into verbs of the engine. It knows nothing of settings, files or
//! the machine: whoever starts it says who asks, and how the engine is opened.

pub mod http;
pub mod mcp;

pub mod dialects;

mod desk;
mod metrics;
mod notes;
#[cfg(feature = "otel")]
mod otel;
mod source;
mod tally;
mod upkeep;

pub use desk::{Desk, Opened, Place};
#[cfg(feature = "otel")]
pub use otel::Telemetry;
pub use tally::{Circuit, Tallies, Tally};
pub use upkeep::keep_in_order;
