//! What Cofio needs a model, a network or a server for: one feature each.

#[cfg(feature = "minilm")]
pub mod minilm;
#[cfg(feature = "openai")]
pub mod openai;
#[cfg(feature = "spacy")]
pub mod spacy;

#[cfg(feature = "models")]
pub mod models;

#[cfg(any(feature = "openai", feature = "models"))]
mod http;
#[cfg(any(feature = "openai", feature = "models"))]
pub mod retry;
