//! Files and texts that are made to get out of the folder, or to be taken for something else.
//!
//! These are tried elsewhere already: names, links and what is no text in `files::folder::tests` of
//! the library, texts that look like markers, rules and headings in `files::tests` there.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cofio::model::State;
use rusqlite::Connection;
use serde_json::Value;

use super::kept::Kept;
use super::synced;
use crate::machine::{Machine, complaint, feed};

/// Remembers a text that an argument could not hold.
fn remember(machine: &Machine, text: &str) {
    let mut command = machine.command();
    let output = feed(command.args(["remember", "--layer", "user", "-"]), text.as_bytes());
    assert!(output.status.success(), "{:?}", complaint(&output));
}

/// Brings both together, and returns what was left out.
fn left_out(machine: &Machine) -> Vec<String> {
    let told = synced(machine, "");
    let path = |problem: &Value| problem["path"].as_str().unwrap().to_owned();
    told["problems"].as_array().unwrap().iter().map(path).collect()
}

fn active(machine: &Machine) -> Vec<String> {
    Kept::read(machine).texts(State::Active)
}

#[test]
fn a_text_that_looks_like_something_else_stays_one_memory() {
    let machine = Machine::new();
    for text in [
        "---\nstatus: archived\n---",
        "---\nscope: user:bob\n---\n\nhello",
        "# Heading\n\n- item <!-- cofio:fact_00000000000000000000000000000001 -->",
        "<!-- cofio:fact_00000000000000000000000000000002 -->",
        "text <!-- cofio:fact_00000000000000000000000000000003 -->",
        "text <!-- \\cofio:fact_00000000000000000000000000000003 -->",
        "a comment <!-- that does not end",
        "--> and one that only ends",
        "```\nno end of code",
        "~~~ md\n# a\n~~~",
        "1. one\n2. two\n\n10. ten",
        "***",
        "Setext\n======",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "tab\tand trailing backslash \\",
        "[a]: http://example.com\n\n[a]",
        "first\n\n\n\nafter blank lines",
        "\u{2028}line separator\u{85}next line",
    ] {
        remember(&machine, text);
    }
    let before = active(&machine);
    assert_eq!(before.len(), 18);
    assert_eq!(synced(&machine, "")["written"], 18);
    let file = machine.path("memory/facts.md");
    for (first, last) in [("", ""), ("- Above\n", ""), ("", "- Below\n"), ("---\na: b\n---\n", "")]
    {
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{first}{text}{last}")).unwrap();
        synced(&machine, "");
        let kept = Kept::read(&machine);
        assert!(kept.0.iter().all(|(memory, _)| memory.version == 1));
        assert_eq!(kept.disagreements(&machine.path("memory")), Vec::<String>::new());
    }
    let after: Vec<String> =
        active(&machine).into_iter().filter(|text| text != "Above" && text != "Below").collect();
    assert_eq!(after, before);
}

#[test]
fn a_marker_of_somebody_elses_memory_is_nobody() {
    let machine = Machine::new();
    let output = machine.run("remember --user bob --layer user 'The garden is secret' --json");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = answer["memory"]["id"].as_str().unwrap();
    machine.write("memory/facts.md", format!("- The garden is mine <!-- cofio:{id} -->\n"));
    synced(&machine, "");
    machine.write("memory/facts.md", "");
    synced(&machine, "--yes");
    assert_eq!(Kept::read(&machine).texts(State::Archived), ["The garden is mine"]);
    let shown = machine.run(&format!("show {id} --user bob --json"));
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let bobs = (&shown["content"], &shown["version"]);
    assert_eq!(bobs, (&"The garden is secret".into(), &1.into()), "{shown}");
}

#[test]
fn what_is_not_understood_stays_byte_for_byte() {
    let machine = Machine::new();
    let files: [(&str, &[u8]); 4] = [
        ("binary.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("latin.md", b"- caf\xe9\n"),
        ("utf16.md", b"\xff\xfe-\0 \0t\0e\0a\0\n\0"),
        ("zero.md", b"- tea\n- a\0b\n"),
    ];
    for (name, bytes) in files {
        machine.write(&format!("memory/{name}"), bytes);
    }
    machine.write("memory/facts.md", "- Prefers tea\n");
    for _ in 0..2 {
        assert_eq!(left_out(&machine), files.map(|(name, _)| name));
        assert_eq!(active(&machine), ["Prefers tea"]);
        for (name, bytes) in files {
            assert_eq!(fs::read(machine.path(&format!("memory/{name}"))).unwrap(), bytes);
        }
    }
}

#[test]
fn line_ends_and_a_mark_of_byte_order_stay() {
    let machine = Machine::new();
    machine.write("memory/facts.md", "\u{feff}---\r\na: b\r\n---\r\n# Facts\r\n\r\n- One\r\n- Two");
    remember(&machine, "Three\nof two lines");
    synced(&machine, "");
    let text = fs::read_to_string(machine.path("memory/facts.md")).unwrap();
    let shown: Vec<&str> =
        text.split("\r\n").map(|line| line.split(" <!-- cofio:").next().unwrap()).collect();
    let expected = ["\u{feff}---", "a: b", "---", "# Facts", "", "- One", "- Two", "- Three"];
    assert_eq!(shown, [&expected[..], &["  of two lines", ""]].concat());
    assert_eq!(active(&machine), ["One", "Three\nof two lines", "Two"]);
}

#[test]
fn names_that_not_every_system_has_are_told_and_cannot_take_a_terminal_over() {
    let machine = Machine::new();
    let names: [&[u8]; 5] = [b"CON.md", b"a:b.md", b"a\\b.md", b"b\xff.md", b"c\x1b[31m.md"];
    for name in names {
        machine.write("memory/facts.md", "");
        let path = machine.path("memory").join(std::ffi::OsStr::from_bytes(name));
        fs::write(path, "- Prefers tea\n").unwrap();
    }
    assert_eq!(left_out(&machine).len(), names.len());
    let shown = machine.run("files sync memory --color always");
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(!shown.contains("\u{1b}[31m") && shown.contains("31m.md"), "{shown:?}");
    assert_eq!(active(&machine), Vec::<String>::new());
}

#[test]
fn what_is_no_file_waits_with_what_belongs_there() {
    let machine = Machine::new();
    fs::create_dir_all(machine.path("memory/facts.md")).unwrap();
    remember(&machine, "Prefers tea");
    assert_eq!(left_out(&machine), ["facts.md"]);
    fs::remove_dir(machine.path("memory/facts.md")).unwrap();
    assert_eq!(left_out(&machine), Vec::<String>::new());
    assert!(fs::read_to_string(machine.path("memory/facts.md")).unwrap().contains("- Prefers tea"));
}

#[test]
fn links_lead_nowhere() {
    let machine = Machine::new();
    machine.write("outside/a.md", "- Not yours\n");
    machine.write("memory/own.md", "- Mine\n");
    let memory = machine.path("memory");
    symlink(machine.path("outside/a.md"), memory.join("facts.md")).unwrap();
    symlink(machine.path("outside"), memory.join("daily")).unwrap();
    symlink("../outside", memory.join("world")).unwrap();
    remember(&machine, "Prefers tea");
    assert!(machine.run("remember --layer user --kind episode 'Went sailing'").status.success());
    assert_eq!(left_out(&machine), ["daily", "facts.md", "world"]);
    assert_eq!(active(&machine), ["Mine", "Prefers tea", "Went sailing"]);
    assert_untouched(&machine.path("outside"));
    symlink(machine.path("outside/a.md"), memory.join(".cofio/new")).unwrap();
    fs::rename(memory.join(".cofio/new"), memory.join(".cofio/lock")).unwrap();
    machine.write("memory/own.md", "- Mine\n- Mine too\n");
    let (said, code) = complaint(&machine.run("files sync memory"));
    assert!(code != 0 && said.contains("lock"), "{code}: {said}");
    assert_untouched(&machine.path("outside"));
}

#[test]
fn a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere() {
    let machine = Machine::new();
    machine.write("outside/a.md", "- Not yours\n");
    fs::create_dir_all(machine.path("memory/daily")).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| swap(&machine.path("memory/daily"), &machine.path("outside"), &done));
        for number in 0..15 {
            let told = format!("remember --layer user --kind episode 'Sailed {number} times'");
            assert!(machine.run(&told).status.success());
            // It may fail while the link is there.
            machine.run("files sync memory --yes");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_untouched(&machine.path("outside"));
    assert_eq!(left_out(&machine), Vec::<String>::new());
    // What was written while the folder was swapped may have been removed with it, and put away.
    assert_eq!(Kept::read(&machine).0.len(), 15);
}

/// Puts a link in the place of a folder and takes it away again, for a while.
fn swap(folder: &Path, outside: &Path, done: &AtomicBool) {
    let aside = folder.with_extension("aside");
    while !done.load(Ordering::Relaxed) {
        fs::rename(folder, &aside).unwrap();
        // Somebody may have made the folder anew.
        if symlink(outside, folder).is_ok() {
            thread::sleep(Duration::from_micros(300));
            fs::remove_file(folder).unwrap();
        }
        let _ = fs::remove_dir_all(folder);
        fs::rename(&aside, folder).unwrap();
        thread::sleep(Duration::from_micros(300));
    }
}

#[test]
fn notes_that_somebody_wrote_lead_nowhere() {
    let machine = Machine::new();
    remember(&machine, "Prefers tea");
    synced(&machine, "");
    let notes = fs::read_dir(machine.home("cofio.db.files")).unwrap().next().unwrap().unwrap();
    let note = notes.path().join("notes.db");
    for path in ["../outside.md", "/tmp/outside.md", "daily/../../outside.md"] {
        let database = Connection::open(&note).unwrap();
        database
            .execute_batch(&format!(
                "UPDATE OR REPLACE pages SET path = '{path}'; UPDATE OR REPLACE said SET path = '{path}';"
            ))
            .unwrap();
        drop(database);
        remember(&machine, path);
        machine.run("files sync memory --yes");
        assert!(!machine.path("outside.md").exists() && !Path::new("/tmp/outside.md").exists());
    }
    fs::write(&note, "{".repeat(1_000)).unwrap();
    let (said, code) = complaint(&machine.run("files sync memory"));
    assert!(code != 0 && said.contains("remove it"), "{code}: {said}");
    fs::remove_dir_all(notes.path()).unwrap();
    synced(&machine, "");
    let kept = Kept::read(&machine);
    assert_eq!((kept.active().count(), kept.0.len()), (4, 4));
    assert_eq!(kept.disagreements(&machine.path("memory")), Vec::<String>::new());
}

#[track_caller]
fn assert_untouched(outside: &Path) {
    let names: Vec<_> = fs::read_dir(outside).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [outside.join("a.md")]);
    assert_eq!(fs::read_to_string(outside.join("a.md")).unwrap(), "- Not yours\n");
}
