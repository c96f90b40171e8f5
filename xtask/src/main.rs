//! The chores of this repository, as `cargo xtask <command>`.
//!
//! Uses the standard library alone, so that nothing has to be installed or downloaded to run it.

use std::env;
use std::process::ExitCode;

mod steps;

mod conformance;
mod model;
mod npm;
mod provision;
mod python;
mod servers;
mod soak;
mod tally;
mod test;

mod cargo;
mod terminal;

/// The outcome of a chore; the error is a message for the person at the terminal.
type Result<T> = std::result::Result<T, String>;

const HELP: &str = "\
Usage: cargo xtask <command>

Commands:
  check            format, clippy and unit tests: quick, for while you work
  test [FILTER…]   every test, or those whose name contains one of the filters;
                   makes ready what the tests need
  soak NAME [SIZE…]
                   a long run of one test: files, http, isolation, jobs or mcp
  servers up|down [NAME…]
                   starts servers that tests talk to, for work by hand, or stops them:
                   postgres, redis, chroma, mem0 or qdrant
  ci               format, clippy, every test and the documentation, each timed
  help             this text

Tests run under cargo-nextest where it is installed and under `cargo test` where it is not.
";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();

    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            terminal::error(&message);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        [] | ["help", ..] | [.., "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["check"] => steps::run(&[steps::FORMAT, steps::CLIPPY, steps::UNIT_TESTS]),
        ["test", filters @ ..] => test::all(filters),
        ["soak", arguments @ ..] => soak::run(arguments),
        ["servers", arguments @ ..] => servers::run(arguments),
        ["ci"] => steps::run(&[steps::FORMAT, steps::CLIPPY, steps::TESTS, steps::DOCS]),
        [command @ ("check" | "ci"), ..] => {
            Err(format!("`cargo xtask {command}` takes no arguments"))
        }
        [unknown, ..] => {
            Err(format!("there is no command {unknown:?}; `cargo xtask help` lists them"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(arguments: &[&str], expected: &str) {
        assert_eq!(run(arguments), Err(expected.to_owned()));
    }

    #[test]
    fn a_mistyped_command_is_refused_before_anything_runs() {
        check_refused(&["tset"], "there is no command \"tset\"; `cargo xtask help` lists them");
        check_refused(&["soak"], "say which soak: files, http, isolation, jobs or mcp");
        check_refused(
            &["soak", "sleep"],
            "there is no soak \"sleep\"; there are: files, http, isolation, jobs, mcp",
        );
        check_refused(
            &["servers", "sideways"],
            "say `cargo xtask servers up` or `cargo xtask servers down`",
        );
        check_refused(
            &["servers", "down", "oracle"],
            "there is no server \"oracle\"; there are: postgres, redis, chroma, mem0, qdrant",
        );
        check_refused(&["ci", "fast"], "`cargo xtask ci` takes no arguments");
        check_refused(&["check", "--all"], "`cargo xtask check` takes no arguments");
        check_refused(
            &["test", "--release"],
            "`cargo xtask test` takes names of tests, not the option \"--release\"",
        );
    }
}
