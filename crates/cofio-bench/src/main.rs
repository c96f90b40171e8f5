//! Measures Cofio, and provides the processes that its crash tests kill.

mod machine;
mod store;
mod texts;
mod writer;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures Cofio.
#[derive(Parser)]
#[command(name = "cofio-bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Inserts and keyword searches on the SQLite store; prints JSON.
    Store(store::Arguments),
    /// Searches an existing store and prints its figures; run by `store` in a fresh process.
    #[command(hide = true)]
    Probe(store::ProbeArguments),
    /// Writes memories and acknowledges each on a line of its own; run by the crash tests.
    #[command(hide = true)]
    Writer(writer::Arguments),
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Store(arguments) => store::run(&arguments),
        Command::Probe(arguments) => store::probe(&arguments),
        Command::Writer(arguments) => writer::run(&arguments),
    }
}
