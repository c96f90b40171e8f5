#![cfg(test)]
//! What the adapters promise, against real servers and real models.

#[cfg(any(feature = "openai", feature = "models"))]
mod server;

#[cfg(feature = "minilm")]
mod minilm;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "openai")]
mod openai;
#[cfg(feature = "spacy")]
mod spacy;
