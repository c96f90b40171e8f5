//! One thing that cannot be taken in stops nothing else.

use std::fs;

use cofio::model::State;
use serde_json::Value;

use super::kept::Kept;
use super::synced;
use crate::machine::{Machine, complaint};

fn active(machine: &Machine) -> Vec<String> {
    Kept::read(machine).texts(State::Active)
}

/// Returns what was left out, and where.
fn left_out(told: &Value) -> Vec<(&str, &Value)> {
    let problems = told["problems"].as_array().unwrap().iter();
    problems.map(|problem| (problem["path"].as_str().unwrap(), &problem["line"])).collect()
}

#[test]
fn a_file_that_is_too_large_is_left_alone() {
    let machine = Machine::new();
    machine.write("memory/facts.md", "- Prefers tea\n");
    machine.write("memory/large.md", "x".repeat(17 * 1024 * 1024));
    let told = synced(&machine, "");
    assert_eq!(left_out(&told), [("large.md", &Value::Null)]);
    assert_eq!(active(&machine), ["Prefers tea"]);
    assert_eq!(fs::metadata(machine.path("memory/large.md")).unwrap().len(), 17 * 1024 * 1024);
}

#[test]
fn an_entry_that_is_too_long_is_left_out() {
    let machine = Machine::new();
    machine.write("memory/facts.md", format!("- Prefers tea\n- {}\n", "x".repeat(300_000)));
    let told = synced(&machine, "");
    assert_eq!(left_out(&told), [("facts.md", &Value::from(2))]);
    assert_eq!(active(&machine), ["Prefers tea"]);
}

#[test]
fn a_line_that_comes_to_say_what_another_says_is_left_out() {
    let machine = Machine::new();
    machine.write("memory/facts.md", "- Prefers tea\n- Prefers cocoa\n");
    synced(&machine, "");
    let file = machine.path("memory/facts.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("cocoa", "tea") + "- Speaks Welsh\n").unwrap();
    let told = synced(&machine, "");
    assert_eq!(left_out(&told), [("facts.md", &Value::from(2))]);
    assert!(active(&machine).contains(&"Speaks Welsh".to_owned()));
    assert!(active(&machine).contains(&"Prefers tea".to_owned()));
}

#[test]
fn a_file_that_some_systems_take_for_ours_is_told() {
    let machine = Machine::new();
    machine.write("memory/Facts.md", "- Prefers tea\n");
    assert!(machine.run("remember --layer user 'Has two cats'").status.success());
    let (said, code) = complaint(&machine.run("files sync memory"));
    assert!(code != 0 && said.contains("rename"), "{code}: {said}");
    let text = fs::read_to_string(machine.path("memory/Facts.md")).unwrap();
    assert!(text.starts_with("- Prefers tea") && text.lines().count() == 1, "{text}");
}

#[test]
fn nothing_is_left_of_a_process_that_was_killed() {
    let machine = Machine::new();
    machine.write("memory/facts.md", "- Prefers tea\n");
    machine.write("memory/.cofio-0123456789abcdef0123456789abcdef.tmp", "- Pre");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(7 * 24 * 3600);
    let left = machine.path("memory/.cofio-0123456789abcdef0123456789abcdef.tmp");
    fs::File::options().write(true).open(&left).unwrap().set_modified(old).unwrap();
    synced(&machine, "");
    assert!(!left.exists());
}
