//! The inspector from npm: what it lists and calls, and what it thinks of the schemas.

use std::process::Output;

use serde_json::{Value, json};

use super::served::Served;
use crate::machine::{Machine, complaint};
use crate::programs;

/// Every profile that a server can have.
const PROFILES: [&str; 8] =
    ["core", "simple", "longterm", "consolidator", "files", "server-memory", "memory", "all"];

/// Runs the inspector, if it is to be had.
fn inspect(machine: &Machine, target: &[&str], arguments: &[&str]) -> Option<Output> {
    let mut command = machine.program(&programs::from_npm("mcp-inspector")?);
    command.env("HOME", machine.home("inspector")).args(["--cli", "--format", "json"]);
    Some(command.args(target).args(arguments).output().unwrap())
}

/// Returns what the inspector printed, which must be content.
fn content(output: &Output) -> Value {
    assert_eq!(complaint(output), (String::new(), 0));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"].take()
}

#[test]
fn inspector_finds_nothing_wrong_with_the_schemas_of_any_profile() {
    let machine = Machine::new();
    for profile in PROFILES {
        let target = [env!("CARGO_BIN_EXE_cofio"), "mcp", "--profile", profile];
        let arguments = ["--method", "tools/list", "--strict"];
        let Some(output) = inspect(&machine, &target, &arguments) else { return };
        let tools = &content(&output)["tools"];
        assert!(!tools.as_array().unwrap().is_empty(), "{profile}");
    }
}

#[test]
fn inspector_calls_tools_and_shows_what_was_wrong() {
    let machine = Machine::new();
    let served = Served::start(&machine, &[]);
    let address = format!("{}/mcp", served.address);
    for (era, target) in [
        ("legacy", &[env!("CARGO_BIN_EXE_cofio"), "mcp"][..]),
        ("modern", &[env!("CARGO_BIN_EXE_cofio"), "mcp"]),
        ("legacy", &[&address]),
        ("modern", &[&address]),
    ] {
        let call = |arguments: &str| {
            let call = ["--protocol-era", era, "--method", "tools/call", "--tool-name", "remember"];
            inspect(&machine, target, &[&call[..], &["--tool-args-json", arguments]].concat())
        };
        let text = format!("The ferry to {} sails at nine", target[0]);
        let Some(done) = call(&json!({"content": format!("{era} {text}")}).to_string()) else {
            return;
        };
        assert_eq!(content(&done)["structuredContent"]["status"], "remembered", "{era}");
        let failed = call(r#"{"content": ""}"#).unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&failed.stdout), complaint(&failed).0);
        assert!(text.contains("there is nothing to remember in an empty text"), "{era}: {text}");
    }
}
