//! The Model Context Protocol: tools, resources and prompts over one engine.
//!
//! A profile is a list of tools, and a tool is one type in `tools`: its name, what it says of
//! itself, what it takes and answers, and what it does. Both eras of the protocol are served: with
//! a handshake, and with everything in each request.

mod ask;
mod call;
mod failure;
mod http;
mod names;
mod page;
mod profile;
mod prompts;
mod resources;
mod schema;
mod server;
mod sessions;
mod source;
mod stdio;
mod tool;
mod tools;
mod view;
mod when;
mod write;

pub use profile::Profile;
pub use server::Server;
pub use source::SourceName;
pub use stdio::serve_stdio;

pub(crate) use http::service;
pub(crate) use sessions::{Bounds, Full, asked_by};

/// The most bytes of one message: a memory of the greatest usual size, however JSON writes it.
const LONGEST_MESSAGE: usize = 4 * 1024 * 1024;
