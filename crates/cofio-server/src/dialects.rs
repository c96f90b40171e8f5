//! The tools of other memory systems, spoken over one engine.
//!
//! A dialect takes and answers exactly what the other system does, so that it can take its place.
//! It knows nothing of the protocol that carries it; every write is a verb of the engine.

pub mod anthropic_memory;
pub mod knowledge_graph;
pub mod mem0;
pub mod workspace;

mod error;
mod writer;

pub use error::ToolError;
pub use writer::Writer;
