#![cfg(test)]
//! The doors as other programs meet them.

mod anthropic_memory;
mod fixture;
mod health;
mod http;
mod knowledge_graph;
mod logs;
mod metrics;
mod random;
mod rest;
mod schemas;
mod served;
mod workspace;
