//! Cofio's doors for other programs, each a face of one engine.

pub mod dialects;
