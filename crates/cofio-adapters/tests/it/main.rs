#![cfg(test)]
//! What the adapters promise, against real servers and real models.

#[cfg(any(feature = "openai", feature = "llm"))]
mod clean;
#[cfg(feature = "llm")]
mod script;
#[cfg(any(feature = "openai", feature = "models", feature = "llm"))]
mod server;

#[cfg(feature = "llm")]
mod llm;
#[cfg(feature = "llm")]
mod llm_help;
#[cfg(feature = "llm")]
mod llm_jobs;
#[cfg(feature = "llm")]
mod llm_live;
#[cfg(feature = "minilm")]
mod minilm;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "openai")]
mod openai;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "spacy")]
mod spacy;
