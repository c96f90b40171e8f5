//! The steps that `check` and `ci` are made of, and how a list of them runs.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::cargo::{self, cargo};
use crate::{Result, terminal, test};

/// One named part of a run.
pub struct Step {
    name: &'static str,
    run: fn() -> Result<()>,
}

pub const FORMAT: Step = Step { name: "format", run: format };
pub const CLIPPY: Step = Step { name: "clippy", run: clippy };
pub const UNIT_TESTS: Step = Step { name: "unit tests", run: test::unit };
pub const TESTS: Step = Step { name: "tests", run: || test::all(&[]) };
pub const DOCS: Step = Step { name: "docs", run: docs };

/// Runs the steps in order up to the first that fails, then prints how long each took.
pub fn run(steps: &[Step]) -> Result<()> {
    let mut timings = Vec::new();
    let mut outcome = Ok(());
    for step in steps {
        terminal::heading(step.name);
        let start = Instant::now();
        outcome = (step.run)().map_err(|reason| format!("{}: {reason}", step.name));
        timings.push((step.name, start.elapsed()));
        if outcome.is_err() {
            break;
        }
    }

    let left_out = steps.len() - timings.len();
    print!("\n{}", table(&timings));
    if left_out > 0 {
        println!("{left_out} of {} steps did not run", steps.len());
    }
    outcome
}

fn format() -> Result<()> {
    cargo::run(&mut cargo(&["fmt", "--all", "--check"]))
        .map_err(|reason| format!("{reason}; `cargo fmt --all` formats everything"))
}

fn clippy() -> Result<()> {
    let targets = ["--workspace", "--all-targets", "--all-features"];
    cargo::run(cargo(&["clippy"]).args(targets).args(["--", "-D", "warnings"]))
}

fn docs() -> Result<()> {
    let mut command = cargo(&["doc", "--workspace", "--all-features", "--no-deps"]);
    cargo::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Lays out the durations one per line, the total last.
fn table(timings: &[(&str, Duration)]) -> String {
    let total = ("total", timings.iter().map(|(_, duration)| *duration).sum());
    let mut table = String::new();
    for (name, duration) in timings.iter().chain([&total]) {
        let duration = terminal::duration(*duration);
        writeln!(table, "{name:<12}{duration:>8}").expect("a string takes any text");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_aligns_durations_and_sums_them_up() {
        let timings =
            [("format", Duration::from_millis(640)), ("unit tests", Duration::from_secs(75))];
        let expected = "\
format          0.6s
unit tests    1m 15s
total         1m 15s
";
        assert_eq!(table(&timings), expected);
    }

    #[test]
    fn nothing_runs_after_a_step_that_fails() {
        let fails = Step { name: "first", run: || Err("no luck".to_owned()) };
        let panics = Step { name: "second", run: || panic!("ran after a failure") };
        assert_eq!(run(&[fails, panics]), Err("first: no luck".to_owned()));
    }
}
