//! Fetches the Python packages that our servers are tested with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::provision::{kept, run};
use crate::{Result, terminal};

/// The packages on PyPI, with what each is for.
const PACKAGES: &[&str] = &[
    // The official client of the Model Context Protocol.
    "mcp==2.3.0",
    // Anthropic's library, with a memory tool of its own.
    "anthropic==2.9.0",
    // Mem0's client. It comes with all of Mem0, 200 MB: its package imports the libraries of a
    // vector database before anything else, so that they cannot be left out.
    "mem0ai==2.2.1",
    // Makes up requests from the documentation of the API.
    "schemathesis==4.32.5",
    // What our own client is built on, and what checks it.
    "httpx==0.28.1",
    "langgraph==1.2.22",
    "mypy==2.4.1",
    "pytest==9.2.0",
    "ruff==0.17.5",
];

/// Makes sure of an interpreter with the packages in `target/python`, and says where it is.
pub fn prepare() -> Result<String> {
    Ok(environment("python", PACKAGES)?.join("python").display().to_string())
}

/// Returns a package with its version.
pub fn version(package: &str) -> String {
    let known = PACKAGES.iter().find(|known| known.starts_with(package));
    known.map_or_else(|| package.to_owned(), |known| known.replace("==", " "))
}

/// Makes sure of packages in an environment of their own below `target/`, and returns the folder of
/// its programs.
pub fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = kept(name);
    let wanted = packages.join("\n");
    // It is written last, as a sign that everything is there.
    let installed = folder.join("installed.txt");
    if !fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        install(&folder, packages)?;
        fs::write(&installed, &wanted)
            .map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
    }
    Ok(folder.join("bin"))
}

fn install(folder: &Path, packages: &[&str]) -> Result<()> {
    let place = folder.to_string_lossy();
    terminal::note(&format!("fetching {} with pip into {place}", packages.join(" ")));
    run("python3", ["-m", "venv", "--clear", "--without-pip", &place])?;
    let interpreter = folder.join("bin/python");
    let pip =
        ["-m", "pip", "--python", &interpreter.to_string_lossy(), "install"].map(ToOwned::to_owned);
    let quiet = ["--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
    let arguments = pip.iter().map(String::as_str).chain(quiet).chain(packages.iter().copied());
    run("python3", arguments)?;
    Ok(())
}
