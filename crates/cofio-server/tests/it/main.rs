#![cfg(test)]
//! The doors as other programs meet them.

mod anthropic_memory;
mod attacks;
mod docs;
mod fixture;
mod health;
mod http;
mod knowledge_graph;
mod logs;
mod mem0;
mod metrics;
mod openspec;
#[cfg(feature = "otel")]
mod otel;
mod random;
mod rest;
mod schemas;
mod served;
mod stream;
mod workspace;
