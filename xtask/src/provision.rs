//! Makes ready what the tests need besides the Rust toolchain.

use std::process::Command;

use crate::{Result, terminal};

/// Everything the tests need, in the order it is made ready.
///
/// Whatever a need downloads or builds is kept below `target/`, so that a second run reuses it.
const NEEDS: &[Need] = &[
    Need {
        name: "git",
        why: "tests of the command line create repositories and worktrees",
        prepare: || find("git"),
    },
    Need {
        name: "a C compiler",
        why: "the bundled SQLite and the simulated power cut are compiled",
        prepare: || find("cc"),
    },
];

struct Need {
    name: &'static str,
    why: &'static str,
    /// Makes it available and says what is there now.
    prepare: fn() -> Result<String>,
}

/// Prepares each need and says so; fails at the first that cannot be had.
pub fn everything() -> Result<()> {
    for need in NEEDS {
        let Need { name, why, prepare } = need;
        let found = prepare().map_err(|reason| format!("{name} is missing ({why}): {reason}"))?;
        terminal::note(&format!("{found}: {why}"));
    }
    Ok(())
}

/// Returns the first line that a program says of its version.
fn find(program: &str) -> Result<String> {
    let output = Command::new(program)
        .arg("--version")
        .output()
        .map_err(|error| format!("cannot run `{program} --version`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{program} --version` ended with {}", output.status));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.lines().next().unwrap_or(program).to_owned())
}
