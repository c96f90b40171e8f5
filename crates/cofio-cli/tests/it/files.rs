//! Memories as files, as a person edits them.

#[cfg(unix)]
mod attacks;
mod crowd;
mod kept;
mod kills;
mod refused;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
        "cat memory/facts.md",
    ] {
        guide.add(line, &typed(&machine, line));
    }
    guide.assert_in("files.md", "## A file and what becomes of it");
}

#[test]
fn the_guide_shows_a_folder_that_counts() {
    let machine = counting();
    let mut guide = Transcript::default();
    for line in [
        "mkdir -p .cofio/memory/world",
        "echo '- Bob is on call' > .cofio/memory/world/people.md",
        "cofio search who is on call",
        "cofio remember --layer project 'Releases go out on Fridays'",
        "cat .cofio/memory/facts.md",
        "echo '- Carol signs releases off' >> .cofio/memory/facts.md",
        "cofio list --layer project",
        "rm -r .cofio/memory/.cofio",
        "cofio search --layer project releases",
    ] {
        guide.add(line, &typed(&machine, line));
    }
    guide.assert_in("files.md", "## Files that count");
}

/// Returns a machine on which files are what counts.
fn counting() -> Machine {
    let machine = Machine::new();
    fs::create_dir_all(machine.home("")).unwrap();
    let settings = "backend = 'filesystem'\nproject = 'website'\n";
    fs::write(machine.home("config.toml"), settings).unwrap();
    machine
}

/// Runs the server until it is dropped.
struct Server(Child);

impl Server {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command();
        command.args(["serve", "--addr", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening"), "{line}");
        Self(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Waits until something is so.
#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_server_takes_in_what_a_person_writes() {
    let machine = Machine::new();
    assert!(machine.run("remember --layer user 'Prefers tea'").status.success());
    assert_eq!(synced(&machine, "")["written"], 1);
    let _server = Server::start(&machine);
    let listed = || String::from_utf8(machine.run("list").stdout).unwrap();
    let facts = fs::read_to_string(machine.path("memory/facts.md")).unwrap();
    machine.write("memory/facts.md", facts.replace("Prefers tea", "Prefers coffee"));
    eventually("an edit is taken in", || listed().contains("Prefers coffee"));
    machine.write("memory/people/bob.md", "Bob plays the organ\n");
    eventually("a new file is taken in", || listed().contains("Bob plays the organ"));
    // A folder that is added while it runs is kept in step too.
    let other = machine.run("files sync other --layer agent --agent coder");
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stderr));
    machine.write("other/facts.md", "- Runs the tests first\n");
    let of_agent = || String::from_utf8(machine.run("list --agent coder").stdout).unwrap();
    eventually("another folder is taken in", || of_agent().contains("Runs the tests first"));
}

#[test]
fn files_follow_whatever_command_changes_the_store() {
    let machine = Machine::new();
    assert_eq!(synced(&machine, "")["written"], 0);
    let read = || fs::read_to_string(machine.path("memory/facts.md")).unwrap();
    let kept = machine.run("remember --layer user 'Prefers tea' --json");
    let kept: Value = serde_json::from_slice(&kept.stdout).unwrap();
    assert!(read().contains("- Prefers tea <!--"), "{kept}");
    let id = kept["memory"]["id"].as_str().or(kept["id"].as_str()).unwrap();
    assert!(machine.run(&format!("forget {id} --yes")).status.success());
    assert!(!read().contains("Prefers tea"));
    let verified = machine.run(&format!("verify-forgotten {id} --text 'Prefers tea'"));
    let told = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() && told.contains("files of markdown"), "{told}");
    machine.write("memory/notes.md", "# Prefers tea\n");
    let left = machine.run(&format!("verify-forgotten {id} --text 'Prefers tea'"));
    assert!(!left.status.success(), "what a person wrote down elsewhere is found");
}

#[test]
fn a_folder_can_be_let_go() {
    let machine = Machine::new();
    assert_eq!(synced(&machine, "")["written"], 0);
    let listed = machine.run("files list");
    assert!(String::from_utf8_lossy(&listed.stdout).contains("user:alice in "), "{listed:?}");
    assert!(machine.run("files stop memory").status.success());
    assert!(machine.run("remember --layer user 'Prefers tea'").status.success());
    assert!(!machine.path("memory/facts.md").exists());
    let (said, code) = complaint(&machine.run("files stop memory"));
    assert_eq!((said.as_str(), code), ("error: memory is not kept in step", 2));
}

#[test]
fn a_folder_that_counts_is_not_let_go() {
    let machine = counting();
    machine.write(".cofio/memory/facts.md", "- Prefers tea\n");
    let (said, code) = complaint(&machine.run("files stop .cofio/memory"));
    assert!(code == 2 && said.contains("counts"), "{code}: {said}");
}

#[test]
fn a_secret_in_a_folder_that_counts_is_kept_out_and_told() {
    let machine = counting();
    machine.write(".cofio/memory/facts.md", "- Prefers tea\n- my password is hunter2Zebra!9\n");
    let listed = machine.run("list");
    let (answer, told) =
        (String::from_utf8_lossy(&listed.stdout), String::from_utf8_lossy(&listed.stderr));
    assert!(answer.contains("Prefers tea") && !answer.contains("hunter2"), "{answer}");
    assert!(told.contains("left out facts.md:2: a password"), "{told}");
    let file = fs::read_to_string(machine.path(".cofio/memory/facts.md")).unwrap();
    assert!(file.contains("hunter2"), "nobody agreed to change the file");
}

#[test]
fn nothing_changes_in_a_rehearsal_and_in_a_second_run() {
    let machine = Machine::new();
    assert!(machine.run("remember --layer user 'Prefers tea'").status.success());
    let planned = synced(&machine, "--dry-run");
    assert_eq!((&planned["written"], &planned["dryRun"]), (&1.into(), &true.into()));
    assert!(!machine.path("memory").exists(), "not even the folder is made");
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
