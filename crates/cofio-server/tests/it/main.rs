#![cfg(test)]
//! The doors as other programs meet them.

mod anthropic_memory;
mod fixture;
mod health;
mod http;
mod knowledge_graph;
mod logs;
mod metrics;
mod openspec;
mod random;
mod schemas;
mod served;
mod stream;
mod workspace;
