//! Models that are computed in this process, without a server and without Python: one feature each.
//!
//! They are numbers and loops and nothing else, so that a build for tests can make them fast and
//! everything around them quickly.

#[cfg(feature = "minilm")]
pub mod minilm;
#[cfg(feature = "spacy")]
pub mod spacy;
