//! The server for agents, as an agent meets it: the real binary, message by message.

mod agent;
mod asking;
mod attacks;
mod eras;
mod fuzz;
mod process;
mod profiles;
mod tools;
