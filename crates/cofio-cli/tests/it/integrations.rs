//! What is handed to others as files: a plugin and a bundle, which their own tools take.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::machine::Machine;
use crate::programs;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations").join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs a validator where it finds no settings of anybody.
fn validate(program: &Path, arguments: &[&str], file: &Path) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    command.env_clear().env("PATH", programs::search_path()).env("HOME", home.path());
    let output = command.args(arguments).arg(file).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}

#[test]
fn the_plugin_is_one_that_claude_code_takes() {
    let Some(claude) = programs::from_npm("claude") else { return };
    validate(&claude, &["plugin", "validate", "--strict"], &folder("claude-code"));
}

#[test]
fn the_bundle_is_one_that_claude_desktop_takes() {
    let Some(mcpb) = programs::from_npm("mcpb") else { return };
    validate(&mcpb, &["validate"], &folder("mcpb/manifest.json"));
}

#[test]
fn the_plugin_does_what_the_command_does() {
    let machine = Machine::new();
    let output = machine.run("install claude-code --hooks --scope project");
    assert!(output.status.success());
    let installed = |name: &str| json(&machine.path(name));
    let plugin = folder("claude-code");
    assert_eq!(json(&plugin.join(".mcp.json")), installed(".mcp.json"));
    let hooks = json(&plugin.join("hooks/hooks.json"));
    assert_eq!(hooks["hooks"], installed(".claude/settings.json")["hooks"]);
}

#[test]
fn what_is_handed_out_has_the_version_of_the_command() {
    for manifest in ["claude-code/.claude-plugin/plugin.json", "mcpb/manifest.json"] {
        assert_eq!(json(&folder(manifest))["version"], env!("CARGO_PKG_VERSION"), "{manifest}");
    }
}
