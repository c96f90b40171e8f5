//! Memories as files, as a person edits them.

#[cfg(unix)]
mod attacks;
mod crowd;
mod kept;
mod kills;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::guide::Transcript;
use crate::machine::{Machine, complaint};

/// Runs what is typed: a command of ours, or one of the shell.
fn typed(machine: &Machine, line: &str) -> String {
    let output = if let Some(arguments) = line.strip_prefix("cofio ") {
        machine.run(&machine.with_ids(arguments))
    } else {
        let mut shell = machine.program(Path::new("/bin/sh"));
        shell.args(["-c", line]).output().unwrap()
    };
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    machine.without_accidents(&String::from_utf8(output.stdout).unwrap())
}

fn synced(machine: &Machine, flags: &str) -> Value {
    let output = machine.run(&format!("files sync memory --json {flags}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_guide_shows_what_happens() {
    let machine = Machine::new();
    let mut guide = Transcript::default();
    for line in [
        "cofio remember --layer user 'Prefers tea'",
        "cofio remember --layer user 'Has two cats'",
        "cofio files sync memory",
        "cat memory/facts.md",
        "sed -i -e 's/Prefers tea/Prefers green tea/' -e '/cats/d' memory/facts.md",
        "echo '- Speaks Welsh' >> memory/facts.md",
        "cofio files sync memory",
        "cofio list",
        "cofio jobs undo job_3 --yes",
        "cofio files sync memory",
        "cat memory/facts.md",
    ] {
        guide.add(line, &typed(&machine, line));
    }
    guide.assert_in("files.md", "## A file and what becomes of it");
}

#[test]
fn nothing_changes_in_a_rehearsal_and_in_a_second_run() {
    let machine = Machine::new();
    assert!(machine.run("remember --layer user 'Prefers tea'").status.success());
    let planned = synced(&machine, "--dry-run");
    assert_eq!((&planned["written"], &planned["dryRun"]), (&1.into(), &true.into()));
    assert!(fs::read_dir(machine.path("memory")).unwrap().next().is_none());
    assert_eq!(synced(&machine, "")["written"], 1);
    let again = synced(&machine, "");
    let nothing = ["added", "edited", "deleted", "written", "removed"].map(|name| &again[name]);
    assert_eq!(nothing, [&Value::from(0); 5]);
    assert_eq!(again["job"], Value::Null);
}

#[test]
fn what_is_left_out_is_told_with_its_line() {
    let machine = Machine::new();
    machine.write("memory/facts.md", "# Facts\n\n- Prefers tea\n- my password is hunter2Zebra!9\n");
    machine.write("memory/picture.md", [0x89, b'P', b'N', b'G', 0, 0xff]);
    let told = synced(&machine, "");
    assert_eq!(told["added"], 1);
    let problems: Vec<(&str, &Value)> = told["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| (problem["path"].as_str().unwrap(), &problem["line"]))
        .collect();
    assert_eq!(problems, [("facts.md", &Value::from(4)), ("picture.md", &Value::Null)]);
    assert!(!told.to_string().contains("hunter2"));
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let machine = Machine::new();
    machine.write("notes.md", "- Prefers tea\n");
    let (said, code) = complaint(&machine.run("files sync notes.md"));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("notes.md"), "{said}");
}
