//! What Cofio needs a model, a network or a server for: one feature each.

#[cfg(feature = "chroma")]
pub mod chroma;
#[cfg(feature = "llm")]
pub mod llm;
#[cfg(feature = "mem0")]
pub mod mem0;
#[cfg(feature = "openai")]
pub mod openai;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "qdrant")]
pub mod qdrant;
#[cfg(feature = "redis")]
pub mod redis;

#[cfg(feature = "models")]
pub mod models;

#[cfg(feature = "minilm")]
pub use cofio_models::minilm;
#[cfg(feature = "spacy")]
pub use cofio_models::spacy;

#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0", feature = "qdrant"))]
pub mod breaker;
#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0", feature = "qdrant"))]
pub mod guarded;
#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0", feature = "qdrant"))]
mod naming;
#[cfg(any(feature = "redis", feature = "chroma", feature = "qdrant"))]
mod portions;
#[cfg(any(feature = "redis", feature = "mem0"))]
mod scoped;
#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0"))]
mod threads;
#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0", feature = "qdrant"))]
mod timer;

#[cfg(any(feature = "chroma", feature = "mem0"))]
mod rest;

#[cfg(any(
    feature = "openai",
    feature = "llm",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
mod address;
#[cfg(any(
    feature = "openai",
    feature = "llm",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
mod complaint;
#[cfg(any(
    feature = "openai",
    feature = "llm",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
mod key;
#[cfg(any(feature = "openai", feature = "llm", feature = "chroma", feature = "mem0"))]
mod refusal;

#[cfg(any(
    feature = "openai",
    feature = "models",
    feature = "llm",
    feature = "chroma",
    feature = "mem0"
))]
mod http;
#[cfg(any(
    feature = "openai",
    feature = "models",
    feature = "llm",
    feature = "postgres",
    feature = "redis",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
pub mod retry;
