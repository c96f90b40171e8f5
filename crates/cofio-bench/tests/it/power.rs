//! The power fails while a writer writes: what it had not synced is gone.
//!
//! `power_cut.c` holds writes back until they are synced, so that killing the writer loses the rest.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fastrand::Rng;

use crate::archive::Archive;
use crate::crash::{crash, kill_at_random};
use crate::writer::{finish, kill, writer};

/// How often the power fails.
const CYCLES: usize = 30;

/// A run that acknowledges less has shown nothing.
const ENOUGH: usize = 500;

#[test]
fn nothing_acknowledged_is_lost_when_the_power_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (library, path) = (power_cut(folder.path()), folder.path().join("cofio.db"));
    let figures = crash(&path, CYCLES, || endless(&library, &path, "power-loss"));
    println!(
        "{} acknowledged in {CYCLES} power cuts, {} lost; slowest restart {:?}",
        figures.acknowledged, figures.lost, figures.slowest_restart
    );
    assert_eq!(figures.lost, 0);
    assert!(figures.acknowledged >= ENOUGH, "only {} acknowledged", figures.acknowledged);
}

#[test]
fn a_store_can_be_opened_when_the_power_failed_while_it_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let library = power_cut(folder.path());
    let mut random = Rng::new();
    let mut begun = 0;
    for cycle in 0..100 {
        let path = folder.path().join(cycle.to_string()).join("cofio.db");
        let moment = Duration::from_micros(random.u64(0..=30_000));
        let memories = kill(endless(&library, &path, "power-loss"), 0, moment);
        begun += usize::from(path.exists());
        let archive = Archive::open(&path).unwrap();
        assert_eq!(archive.lost(&memories).unwrap(), 0);
        assert_eq!(archive.damage().unwrap(), Vec::<String>::new());
    }
    println!("100 power cuts at the start, {begun} of them with a file begun");
    assert!(begun > 0, "no store was ever begun");
}

/// Without this one, the first test might pass because nothing is ever held back.
#[test]
fn without_syncing_a_power_cut_is_seen_to_lose_memories() {
    let folder = tempfile::tempdir().unwrap();
    let library = power_cut(folder.path());
    let mut random = Rng::new();
    let (mut acknowledged, mut lost) = (0, 0);
    for cycle in 0..5 {
        let path = folder.path().join(cycle.to_string()).join("cofio.db");
        let memories = kill_at_random(endless(&library, &path, "process-end"), &mut random);
        acknowledged += memories.len();
        // A store that cannot even be opened has lost everything.
        lost += Archive::open(&path)
            .and_then(|archive| archive.lost(&memories))
            .unwrap_or(memories.len());
    }
    println!("{acknowledged} acknowledged without syncing in 5 power cuts, {lost} lost");
    assert!(lost > 0, "none of {acknowledged} memories was lost");
}

/// Without this one, the losses above might be those of the library that holds back.
#[test]
fn without_a_power_cut_nothing_is_lost() {
    for survives in ["power-loss", "process-end"] {
        let folder = tempfile::tempdir().unwrap();
        let (library, path) = (power_cut(folder.path()), folder.path().join("cofio.db"));
        let finished =
            finish(held_back(&library, &path, &["--count", "100", "--survives", survives]));
        assert!(finished.succeeded, "{}", finished.errors);
        let archive = Archive::open(&path).unwrap();
        let lost = archive.lost(&finished.acknowledged).unwrap();
        println!("{} acknowledged without a power cut, {lost} lost", finished.acknowledged.len());
        assert_eq!((finished.acknowledged.len(), lost), (400, 0));
        assert_eq!(archive.damage().unwrap(), Vec::<String>::new());
    }
}

fn endless(library: &Path, store: &Path, survives: &str) -> Command {
    held_back(library, store, &["--count", "1000000", "--survives", survives])
}

/// Prepares a writer of four clients whose writes are held back.
fn held_back(library: &Path, store: &Path, arguments: &[&str]) -> Command {
    let mut command = writer(store, &[&["--clients", "4"], arguments].concat());
    command.env("LD_PRELOAD", library);
    command
}

/// Compiles the library that cuts the power.
fn power_cut(folder: &Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/power_cut.c");
    let library = folder.join("power_cut.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]);
    let output = compiler
        .arg(&library)
        .arg(source)
        .output()
        .expect("`cc` is needed, here as for the bundled SQLite: install gcc or clang");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cannot compile {source}: {errors}");
    library
}
