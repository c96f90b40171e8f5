#![cfg(test)]
//! What the adapters promise, against real servers and real models.

#[cfg(any(
    feature = "openai",
    feature = "llm",
    feature = "redis",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
mod clean;
#[cfg(feature = "llm")]
mod script;
#[cfg(any(feature = "openai", feature = "models", feature = "llm"))]
mod server;
#[cfg(any(
    feature = "postgres",
    feature = "redis",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
mod servers;
#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0", feature = "qdrant"))]
mod shelves;

#[cfg(feature = "chroma")]
mod chroma;
#[cfg(all(
    feature = "postgres",
    feature = "redis",
    feature = "qdrant",
    feature = "chroma",
    feature = "mem0"
))]
mod full_disks;
#[cfg(any(feature = "redis", feature = "chroma", feature = "mem0", feature = "qdrant"))]
mod guarded;
#[cfg(feature = "llm")]
mod llm;
#[cfg(feature = "llm")]
mod llm_help;
#[cfg(feature = "llm")]
mod llm_jobs;
#[cfg(feature = "llm")]
mod llm_live;
#[cfg(feature = "mem0")]
mod mem0;
#[cfg(feature = "minilm")]
mod minilm;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "openai")]
mod openai;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "qdrant")]
mod qdrant;
#[cfg(feature = "redis")]
mod redis;
#[cfg(all(feature = "postgres", feature = "redis", feature = "qdrant", feature = "chroma"))]
mod shelved_store;
#[cfg(feature = "spacy")]
mod spacy;
#[cfg(all(feature = "postgres", feature = "redis", feature = "qdrant", feature = "chroma"))]
mod tiered;
