//! What Cofio needs a model, a network or a server for: one feature each.

#[cfg(feature = "minilm")]
pub mod minilm;
#[cfg(feature = "openai")]
pub mod openai;
