//! Measures Cofio, and provides the processes that its crash tests kill.

mod agents;
mod database;
mod extraction;
mod filled;
mod injection;
mod jobs;
mod load;
mod locomo;
mod machine;
mod providers;
mod rate;
mod recall;
mod scale;
mod secrets;
mod speed;
mod store;
mod table;
mod texts;
mod vectors;
mod waits;
mod workspace;
mod writer;
mod year;

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
    /// Adding, reading and searching on every store side by side, kind by kind; prints tables.
    Providers(providers::Arguments),
    /// How much of what answers a question is found, on conversations with questions; prints JSON.
    Recall(recall::Arguments),
    /// The same on a file of LoCoMo, in four ways; prints JSON, and a table beside it.
    Locomo(locomo::Arguments),
    /// How long an agent waits for the server and for hooks; prints JSON.
    Agents(agents::Arguments),
    /// How fast files of markdown are recalled, written, taken in and found; prints JSON.
    Workspace(workspace::Arguments),
    /// Searches and writes of many clients at once over HTTP; prints JSON.
    Load(load::Arguments),
    /// How many of the facts in turns are found without a language model; prints JSON.
    Extraction(extraction::Arguments),
    /// Where attacks and harmless texts from outside get to; prints JSON.
    Injection(injection::Arguments),
    /// How stores grow, measured at a few sizes, and where that leads up to a hundred million
    /// memories; prints tables.
    Scale(scale::Arguments),
    /// How many secrets are found, and how many harmless texts are damaged; prints JSON.
    Secrets(secrets::Arguments),
    /// Ingest and search beside Chroma, as it comes and with sentence-transformers, and beside FTS5
    /// with sqlite-vec; prints JSON and a table.
    Speed(speed::Arguments),
    /// Does Cofio's part of `speed` in a process of its own.
    #[command(hide = true)]
    SpeedProbe(speed::ProbeArguments),
    /// Searches an existing store and prints its figures; run by `store` in a fresh process.
    #[command(hide = true)]
    Probe(store::ProbeArguments),
    /// Vector searches on the SQLite store; prints JSON.
    Vectors(vectors::Arguments),
    /// Answers one question from an existing store; run by `vectors` in a fresh process.
    #[command(hide = true)]
    VectorsProbe(vectors::ProbeArguments),
    /// Does one of the engine's own jobs; run by the crash tests.
    #[command(hide = true)]
    Jobs(jobs::Arguments),
    /// Writes memories and acknowledges each on a line of its own; run by the crash tests.
    #[command(hide = true)]
    Writer(writer::Arguments),
    /// A year of conversations by a clock that is set: what is kept, believed and let go of; prints
    /// JSON.
    Year(year::Arguments),
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Store(arguments) => store::run(&arguments),
        Command::Providers(arguments) => providers::run(&arguments),
        Command::Recall(arguments) => recall::run(&arguments),
        Command::Locomo(arguments) => locomo::run(&arguments),
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Workspace(arguments) => workspace::run(&arguments),
        Command::Load(arguments) => load::run(&arguments),
        Command::Extraction(arguments) => extraction::run(&arguments),
        Command::Injection(arguments) => injection::run(&arguments),
        Command::Scale(arguments) => scale::run(&arguments),
        Command::Secrets(arguments) => secrets::run(&arguments),
        Command::Speed(arguments) => speed::run(&arguments),
        Command::SpeedProbe(arguments) => speed::probe(&arguments),
        Command::Probe(arguments) => store::probe(&arguments),
        Command::Vectors(arguments) => vectors::run(&arguments),
        Command::VectorsProbe(arguments) => vectors::probe(&arguments),
        Command::Jobs(arguments) => jobs::run(&arguments),
        Command::Writer(arguments) => writer::run(&arguments),
        Command::Year(arguments) => year::run(&arguments),
    }
}
