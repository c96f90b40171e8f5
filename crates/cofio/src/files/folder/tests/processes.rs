//! What several processes do at once, and what is left of one that is killed.
//!
//! A child is this very program, started again for the one test that does what a file in its
//! folder says.

use std::process::{Child, Command};

use super::*;

/// The file that says what a child does.
const TASK: &str = "task";

fn start(place: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("{}::a_child_does_its_task", module_path!().split_once("::").unwrap().1),
        ])
        .current_dir(place)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Does nothing unless it was started as a child.
#[test]
fn a_child_does_its_task() {
    let Ok(task) = fs::read_to_string(TASK) else { return };
    let folder = Folder::open(Path::new(".")).unwrap();
    match &*task {
        "append" => append(&folder),
        _ => replace_for_ever(&folder),
    }
}

fn append(folder: &Folder) {
    let process = std::process::id();
    for line in 0..100 {
        let entry = format!("- {process} {line} {}\n", "x".repeat(line));
        folder.append(&path("day/a.md"), "# Day\n", &entry).unwrap();
    }
}

fn replace_for_ever(folder: &Folder) {
    let name = path("a.md");
    for letter in ["a", "b"].iter().cycle() {
        let stamp = folder.read(&name).unwrap().map(|content| content.stamp);
        folder.replace(&name, &letter.repeat(1_000_000), stamp.as_ref()).unwrap();
    }
}

#[test]
fn eight_processes_that_begin_a_file_lose_nothing_and_write_one_header() {
    let (place, folder) = folder();
    fs::write(place.path().join(TASK), "append").unwrap();
    let children: Vec<Child> = (0..8).map(|_| start(place.path())).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = text(&folder, "day/a.md");
    assert_eq!(text.matches("# Day\n").count(), 1);
    assert!(text.starts_with("# Day\n"));
    let whole = |line: &&str| {
        let words: Vec<&str> = line.split(' ').collect();
        words.len() == 4 && words[3].len() == words[2].parse::<usize>().unwrap()
    };
    let lines: std::collections::BTreeSet<&str> = text.lines().filter(whole).collect();
    assert_eq!((text.lines().count(), lines.len()), (801, 800));
}

#[test]
fn a_process_that_is_killed_leaves_the_old_text_or_the_new_one() {
    let (place, folder) = folder();
    fs::write(place.path().join(TASK), "replace").unwrap();
    for round in 0..10 {
        let mut child = start(place.path());
        let before = folder.read(&path("a.md")).unwrap();
        let mut seen = 0;
        while seen < round {
            seen += usize::from(folder.read(&path("a.md")).unwrap() != before);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(content) = folder.read(&path("a.md")).unwrap() {
            assert_eq!(content.text.len(), 1_000_000);
            assert!(["a", "b"].iter().any(|letter| content.text == letter.repeat(1_000_000)));
        }
    }
    assert!(folder.read(&path("a.md")).unwrap().is_some());
    folder.lock().unwrap().clean_up(crate::model::Timestamp::MAX).unwrap();
    let names = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().ends_with(".tmp")));
}
