//! Embeddings from a server that speaks OpenAI's dialect.
