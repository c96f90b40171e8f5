//! Makes ready what the tests need besides the Rust toolchain.

use std::process::Command;

use crate::{Result, terminal};

/// Everything the tests need, in the order it is made ready.
///
/// Whatever a need downloads or builds is kept below `target/`, so that a second run reuses it.
const NEEDS: &[Need] = &[Need {
    name: "git",
    why: "tests of the command line create repositories and worktrees",
    prepare: find_git,
}];

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

fn find_git() -> Result<String> {
    let output = Command::new("git")
        .arg("--version")
        .output()
        .map_err(|error| format!("cannot run `git --version`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`git --version` ended with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
