//! Runs the tests and says how many there were.

use std::process::Stdio;

use crate::cargo::{self, Stream, cargo};
use crate::conformance::{self, Passed};
use crate::servers::Started;
use crate::tally::{Report, Tally, without_colour};
use crate::{Result, provision, terminal};

/// Runs every test and documentation test, or those whose name contains one of `filters`.
///
/// A run in which no test ran counts as failed, so a mistyped filter is noticed.
pub fn all(filters: &[&str]) -> Result<()> {
    if let Some(option) = filters.iter().find(|filter| filter.starts_with('-')) {
        return Err(format!("`cargo xtask test` takes names of tests, not the option {option:?}"));
    }

    provision::everything()?;
    let servers = Started::all()?;

    let (mut code, mut docs) = (Tally::default(), Tally::default());
    let mut passed = Passed::default();
    let runner = Runner::installed();
    let outcome = runner
        .run(&["--tests"], filters, &servers, |line, report| {
            code.read(line, report);
            passed.read(&without_colour(line));
        })
        .and_then(|()| run_doctests(filters, &mut docs));
    let versions = servers.versions();
    drop(servers);

    let sum = code + docs;
    let (all, in_code, in_docs) = (sum.ran(), code.ran(), docs.ran());
    println!("\nTests run: {all} ({in_code} in code, {in_docs} in documentation); {sum}");
    // What every store passes is true whatever else fails.
    let told = match runner {
        Runner::Nextest if filters.is_empty() => passed.tell(&versions),
        Runner::Nextest => Ok(()),
        Runner::CargoTest => {
            conformance::warn_of_unread();
            Ok(())
        }
    };
    outcome.and(told)?;
    if all > 0 {
        Ok(())
    } else if filters.is_empty() {
        Err("no test ran".to_owned())
    } else {
        Err(format!("no test has a name that contains {}", filters.join(" or ")))
    }
}

/// Runs the tests that live beside the code they test; they need nothing made ready.
pub fn unit() -> Result<()> {
    let mut tally = Tally::default();
    let outcome =
        Runner::installed().run(&["--lib", "--bins"], &[], &Started::default(), |line, report| {
            tally.read(line, report);
        });
    println!("\nUnit tests run: {}; {tally}", tally.ran());
    outcome
}

/// What runs tests other than documentation tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Nextest,
    CargoTest,
}

impl Runner {
    fn installed() -> Runner {
        let probe =
            cargo(&["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if probe.is_ok_and(|status| status.success()) {
            return Runner::Nextest;
        }
        terminal::note("cargo-nextest is not installed: using `cargo test`, which is slower");
        Runner::CargoTest
    }

    fn run(
        self,
        targets: &[&str],
        filters: &[&str],
        servers: &Started,
        mut watch: impl FnMut(&str, Report),
    ) -> Result<()> {
        let (mut command, stream, report) = match self {
            // A filter may match documentation tests alone, so whether any test ran is seen later.
            Runner::Nextest => (
                cargo(&["nextest", "run", "--no-tests=pass", "--status-level=pass"]),
                Stream::Stderr,
                Report::Nextest,
            ),
            Runner::CargoTest => (cargo(&["test"]), Stream::Stdout, Report::Libtest),
        };
        command.args(["--workspace", "--all-features", "--no-fail-fast"]).args(targets);
        command.arg("--").args(filters);
        command.envs(provision::places()).envs(provision::rights()).envs(servers.variables());
        cargo::run_watching(&mut command, stream, |line| watch(line, report))
    }
}

/// Runs the documentation tests, which nextest leaves out.
fn run_doctests(filters: &[&str], tally: &mut Tally) -> Result<()> {
    let mut command = cargo(&["test", "--doc", "--workspace", "--all-features", "--no-fail-fast"]);
    command.arg("--").args(filters);
    cargo::run_watching(&mut command, Stream::Stdout, |line| tally.read(line, Report::Libtest))
}
