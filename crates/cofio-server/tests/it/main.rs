#![cfg(test)]
//! The doors as other programs meet them.

mod anthropic_memory;
mod fixture;
mod http;
mod knowledge_graph;
mod mem0;
mod random;
mod schemas;
mod workspace;
