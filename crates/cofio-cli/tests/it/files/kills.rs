//! A process is killed while it brings files and memories together.
//!
//! Every kill is of a sync with the same few hundred memories. Afterwards each side is as it was or as
//! it is when all is done, and the next sync does what is left. `COFIO_FILES_SOAK` gives another number
//! of kills, as in `kills=200`; `cargo xtask soak files` does so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cofio::model::State;

use super::crowd::settle;
use super::kept::{Kept, files};
use super::synced;
use crate::machine::Machine;
use crate::random::{Random, size};

/// How many memories there are before anybody changes anything.
const MEMORIES: usize = 300;

/// How many of them an agent changes.
const EDITED: usize = 4;

/// The two folders of a machine that a sync changes.
const FOLDERS: [&str; 2] = ["home", "memory"];

/// What both sides say: files without the comments that are not shown, and memories by state.
#[derive(Debug, PartialEq)]
struct Both {
    files: Vec<(PathBuf, String)>,
    memories: Vec<Vec<String>>,
}

impl Both {
    fn read(machine: &Machine) -> Self {
        let kept = Kept::read(machine);
        let memories = State::ALL.iter().map(|state| kept.texts(*state)).collect();
        let files = files(&machine.path("memory")).into_iter();
        let files = files.map(|file| (file.clone(), shown(&file))).collect();
        Self { files, memories }
    }
}

/// A machine on which both sides have changed since they last agreed, and a copy of it.
struct Trial {
    machine: Machine,
    copy: tempfile::TempDir,
    before: Both,
    after: Both,
    duration: Duration,
}

impl Trial {
    fn new() -> Self {
        let machine = Machine::new();
        let lines: Vec<String> = (0..MEMORIES).map(|n| format!("- Fact number {n}\n")).collect();
        machine.write("memory/facts.md", lines.concat());
        synced(&machine, "");
        agent(&machine);
        person(&machine);
        let copy = tempfile::tempdir().unwrap();
        for folder in FOLDERS {
            copy_folder(&place(&machine, folder), &copy.path().join(folder));
        }
        let before = Both::read(&machine);
        let begun = Instant::now();
        synced(&machine, "--yes");
        let duration = begun.elapsed();
        let after = Both::read(&machine);
        assert_ne!(before.memories, after.memories);
        Self { machine, copy, before, after, duration }
    }

    /// Kills a sync at some moment, and returns what it left behind.
    fn kill(&self, random: &mut Random) -> Both {
        for folder in FOLDERS {
            fs::remove_dir_all(place(&self.machine, folder)).unwrap();
            copy_folder(&self.copy.path().join(folder), &place(&self.machine, folder));
        }
        let mut command = self.machine.command();
        command.args(["files", "sync", "memory", "--yes"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // In the beginning it only reads.
        sleep(self.duration.mul_f64(0.3 + random.below(800) as f64 / 1_000.0));
        child.kill().unwrap();
        child.wait().unwrap();
        Both::read(&self.machine)
    }

    /// Checks that each side is as it was or as it is to be, and returns whether it is done.
    fn judge(&self, left: &Both) -> (bool, bool) {
        let taken_in = left.memories == self.after.memories;
        assert!(taken_in || left.memories == self.before.memories, "the store is torn");
        for file in &left.files {
            let whole = self.before.files.contains(file) || self.after.files.contains(file);
            assert!(whole, "{} is torn:\n{}", file.0.display(), file.1);
        }
        (taken_in, left.files == self.after.files)
    }
}

#[test]
fn a_killed_sync_leaves_the_old_or_the_new_and_the_next_one_does_the_rest() {
    let kills = size("COFIO_FILES_SOAK", "kills", 4);
    let mut random = Random::new(size("COFIO_FILES_SOAK", "seed", 7) as u64);
    let trial = Trial::new();
    let (mut taken_in, mut written) = (0, 0);
    for _ in 0..kills {
        let left = trial.kill(&mut random);
        let done = trial.judge(&left);
        taken_in += usize::from(done.0);
        written += usize::from(done.1);
        settle(&trial.machine);
        let agreed = Both::read(&trial.machine);
        assert_eq!(agreed, trial.after, "the next sync does what is left");
        let problems = Kept::read(&trial.machine).disagreements(&trial.machine.path("memory"));
        assert_eq!(problems, Vec::<String>::new());
    }
    println!(
        "{kills} kills: {taken_in} after the store had changed, {written} after the files had"
    );
}

/// Lets an agent change some memories, and remember another.
fn agent(machine: &Machine) {
    let facts = fs::read_to_string(machine.path("memory/facts.md")).unwrap();
    for (number, line) in facts.lines().enumerate().skip(203).take(EDITED) {
        let id = line.split("<!-- cofio:").nth(1).unwrap().trim_end_matches(" -->");
        let edited = machine.run(&format!("edit {id} --content 'An agent changed {number}'"));
        assert!(edited.status.success());
    }
    assert!(machine.run("remember --layer user 'An agent was here'").status.success());
}

/// Lets a person change, delete, move and add lines.
fn person(machine: &Machine) {
    let facts = fs::read_to_string(machine.path("memory/facts.md")).unwrap();
    let (mut kept, mut moved) = (Vec::new(), vec!["# Moved".to_owned(), String::new()]);
    for (number, line) in facts.lines().enumerate() {
        match number % 10 {
            0 => {
                kept.push(line.replace("number", "No."));
                kept.push(format!("- A person was here at {number}"));
            }
            1 => {}
            2 => moved.push(line.to_owned()),
            _ => kept.push(line.to_owned()),
        }
    }
    machine.write("memory/facts.md", kept.join("\n"));
    machine.write("memory/moved.md", moved.join("\n"));
}

fn place(machine: &Machine, folder: &str) -> PathBuf {
    if folder == "home" { machine.home("") } else { machine.path(folder) }
}

/// Returns a file without the comments that are not shown.
fn shown(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let bare = |line: &str| line.split(" <!-- cofio:").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(bare).collect()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
