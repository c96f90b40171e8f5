//! The conformance suite of the protocol, for both eras.

use std::fs;
use std::path::{Path, PathBuf};

use super::served::Served;
use crate::machine::Machine;
use crate::programs;

/// Runs what a revision of the protocol requires of a server.
///
/// What differs, and why that is right, stands in a file of the revision's name; the suite fails
/// for a difference that is not in it, and for one in it that does not occur.
fn check(revision: &str) {
    let Some(suite) = programs::from_npm("conformance") else { return };
    let machine = Machine::new();
    let served = Served::start(&machine, &[]);
    let mut command = machine.program(&suite);
    command.args([
        "server",
        "--url",
        &format!("{}/mcp", served.address),
        "--requirements",
        revision,
    ]);
    command.arg("--expected-failures").arg(differences(revision));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("dns-rebinding-protection"), "nothing was tested: {said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

fn differences(revision: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients/conformance");
    folder.join(format!("{revision}.yaml"))
}

#[test]
fn conformance_with_a_handshake() {
    check("2025-11-25");
}

#[test]
fn conformance_without_a_handshake() {
    check("2026-07-28");
}

#[test]
fn conformance_every_difference_has_a_reason() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let listed = fs::read_to_string(differences(revision)).unwrap();
        for line in listed.lines().filter(|line| line.trim_start().starts_with("- ")) {
            let reason = line.split_once(" # ").map_or("", |(_, reason)| reason);
            assert!(reason.split_whitespace().count() > 1, "{revision}: why {line}?");
        }
    }
}
