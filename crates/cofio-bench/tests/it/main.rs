#![cfg(test)]
//! What the store promises when many processes write, when one is killed, when the power fails,
//! and when attacks are told to it.

mod writer;

mod archive;

mod crash;
mod jobs;
mod laundering;
mod processes;
mod recall;

// Cutting the power needs `LD_PRELOAD` and Linux's system calls; elsewhere it is not tested.
#[cfg(target_os = "linux")]
mod power;
