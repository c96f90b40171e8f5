//! A simulated year: users whose lives change and who talk about it, an engine that listens, and the
//! jobs in the background, by a clock that is set.

mod aspect;
mod belief;
mod clock;
mod conversation;
mod figures;
mod invariants;
mod life;
mod news;
mod plot;
mod simulation;
mod storyteller;
#[cfg(test)]
mod tests;
mod truth;
mod vocabulary;
mod voice;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::extraction;
use crate::rate::Rate;
use belief::{Belief, tells};
use conversation::{User, Year};
use simulation::Simulation;

/// What to simulate.
#[derive(clap::Args)]
pub struct Arguments {
    /// The same seed makes the same year.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many users there are.
    #[arg(long, default_value_t = 20)]
    users: usize,
    /// How many days the year has.
    #[arg(long, default_value_t = 365)]
    days: usize,
    /// Print what this user and the assistant say, and simulate nothing.
    #[arg(long, value_name = "NUMBER")]
    read: Option<usize>,
    /// Where to write what was counted on each day, as CSV.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Where to draw it, as SVG.
    #[arg(long)]
    plot: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    command: String,
    sessions: usize,
    turns: usize,
    /// Statements that users made.
    statements: usize,
    /// Turns that say something of the user that is not true.
    decoys: usize,
    /// Of the statements, those that are found in the turn that tells them, without a model.
    extracted: Rate,
    extracted_by_attribute: BTreeMap<&'static str, Rate>,
    /// How many jobs changed something, were taken back exactly, and were done again.
    taken_back: usize,
    /// What is believed when the year is over.
    belief: Belief,
}

/// Simulates a year on a store in a folder of its own, and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { seed, users, days, .. } = *arguments;
    let year = Year::new(seed, users, days);
    if let Some(number) = arguments.read {
        read(year.users.get(number).context("there are fewer users")?);
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut simulation = Simulation::new(&year, folder.path())?;
    let counted = simulation.live(days)?;
    if let Some(path) = &arguments.csv {
        std::fs::write(path, figures::csv(&counted))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &arguments.plot {
        std::fs::write(path, plot::svg(&figures::panels(&counted)))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let sessions = year.users.iter().flat_map(|user| user.days.iter().flatten());
    let (extracted, extracted_by_attribute) = extracted(&year)?;
    let report = Report {
        command: format!("cargo run --release -p cofio-bench -- year --seed {seed}"),
        sessions: sessions.clone().count(),
        turns: sessions.map(|session| session.turns.len()).sum(),
        statements: year.users.iter().map(|user| user.statements.len()).sum(),
        decoys: year.users.iter().map(|user| user.decoys.len()).sum(),
        extracted,
        extracted_by_attribute,
        taken_back: simulation.round_trips(),
        belief: simulation.belief(days.saturating_sub(1))?,
    };
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

/// Prints everything that was said, and how much of it is true at the end of each day.
fn read(user: &User) {
    for (day, sessions) in user.days.iter().enumerate() {
        for session in sessions {
            println!("\n# {}", session.began_at);
            for turn in &session.turns {
                println!("{}: {}", turn.speaker.role(), turn.text);
            }
        }
        println!("\n{} statements hold on day {}", user.holding(day).count(), day + 1);
    }
}

/// Returns how many statements are found in the turns that tell them, without a model: of all, and of
/// each attribute.
fn extracted(year: &Year) -> Result<(Rate, BTreeMap<&'static str, Rate>)> {
    let (mut all, mut by_attribute) = (Rate::default(), BTreeMap::<_, Rate>::new());
    for user in &year.users {
        for statement in &user.statements {
            let turn = user.turn(statement.told).context("a statement was told in a turn")?;
            let facts = extraction::facts(&turn.text)?;
            let found = facts.iter().any(|fact| tells(&fact.content, &statement.value));
            all.count(found);
            by_attribute.entry(statement.attribute).or_default().count(found);
        }
    }
    Ok((all, by_attribute))
}
