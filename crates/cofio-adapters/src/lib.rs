//! What Cofio needs a model, a network or a server for: one feature each.

#[cfg(feature = "llm")]
pub mod llm;
#[cfg(feature = "minilm")]
pub mod minilm;
#[cfg(feature = "openai")]
pub mod openai;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "spacy")]
pub mod spacy;

#[cfg(feature = "models")]
pub mod models;

#[cfg(any(feature = "openai", feature = "llm"))]
mod address;
#[cfg(any(feature = "openai", feature = "llm"))]
mod complaint;
#[cfg(any(feature = "openai", feature = "llm"))]
mod key;
#[cfg(any(feature = "openai", feature = "llm"))]
mod refusal;

#[cfg(any(feature = "openai", feature = "models", feature = "llm"))]
mod http;
#[cfg(any(feature = "openai", feature = "models", feature = "llm"))]
pub mod retry;
