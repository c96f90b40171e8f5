//! A writer is killed again and again, at any moment.
//!
//! The kernel keeps what a killed process wrote, so this says nothing of power loss; `power.rs` does.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::archive::Archive;
use crate::writer::{Acknowledged, finish, kill, writer};

/// How many stores are written to at the same time, each by a writer of its own.
const STORES: usize = 2;

/// How often each writer is killed.
const CYCLES: usize = 100;

/// A run that acknowledges less has shown nothing.
const ENOUGH: usize = 5_000;

/// How long a store may take to open after a crash.
const RESTART: Duration = Duration::from_secs(2);

/// What a number of crashes came to.
#[derive(Default)]
pub struct Figures {
    pub acknowledged: usize,
    pub lost: usize,
    pub slowest_restart: Duration,
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let stores: Vec<Figures> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..STORES).map(|_| scope.spawn(crash_one_store)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let acknowledged: usize = stores.iter().map(|figures| figures.acknowledged).sum();
    let lost: usize = stores.iter().map(|figures| figures.lost).sum();
    let slowest_restart = stores.iter().map(|figures| figures.slowest_restart).max().unwrap();
    println!(
        "{acknowledged} acknowledged in {} cycles, {lost} lost; slowest restart {slowest_restart:?}",
        STORES * CYCLES
    );
    assert_eq!(lost, 0);
    assert!(acknowledged >= ENOUGH, "only {acknowledged} acknowledged");
    assert!(slowest_restart <= RESTART, "a restart took {slowest_restart:?}");
}

#[test]
fn a_killed_writer_does_not_disturb_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    let mut random = Rng::new();
    let mut acknowledged = Vec::new();
    let mut killed = 0;
    std::thread::scope(|scope| {
        let steady = scope.spawn(|| finish(writer(&path, &["--clients", "4", "--count", "500"])));
        while !steady.is_finished() {
            acknowledged.extend(kill_at_random(endless(&path), &mut random));
            killed += 1;
        }
        let steady = steady.join().unwrap();
        assert!(steady.succeeded, "{}", steady.errors);
        assert_eq!(steady.acknowledged.len(), 2_000);
        acknowledged.extend(steady.acknowledged);
    });
    let lost = examine(&Archive::open(&path).unwrap(), &acknowledged);
    println!("{} acknowledged beside {killed} killed writers, {lost} lost", acknowledged.len());
    assert_eq!(lost, 0);
}

fn endless(path: &Path) -> Command {
    writer(path, &["--clients", "8", "--count", "1000000"])
}

fn crash_one_store() -> Figures {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    crash(&path, CYCLES, || endless(&path))
}

/// Kills a writer in every cycle, and panics if the store is damaged in the end.
pub fn crash(path: &Path, cycles: usize, command: impl Fn() -> Command) -> Figures {
    let mut random = Rng::new();
    let mut figures = Figures::default();
    let mut acknowledged = Vec::new();
    let mut checked = 0;
    for _ in 0..cycles {
        acknowledged.extend(kill_at_random(command(), &mut random));
        // Closing tidies up, so half of the crashes are left for the next writer to recover from.
        if random.bool() {
            continue;
        }
        let begun = Instant::now();
        let archive = Archive::open(path).unwrap();
        figures.slowest_restart = figures.slowest_restart.max(begun.elapsed());
        figures.lost += archive.lost(&acknowledged[checked..]).unwrap();
        checked = acknowledged.len();
    }
    figures.acknowledged = acknowledged.len();
    figures.lost = figures.lost.max(examine(&Archive::open(path).unwrap(), &acknowledged));
    figures
}

/// Kills a writer somewhere between its first steps and its eightieth acknowledgement.
pub fn kill_at_random(command: Command, random: &mut Rng) -> Vec<Acknowledged> {
    // Counting keeps a slow machine from acknowledging little; the pause ends between two counts.
    let enough = random.usize(0..=80);
    let moment = Duration::from_micros(random.u64(5_000..=30_000));
    kill(command, enough, moment)
}

/// Looks at everything, and returns how many memories were lost.
fn examine(archive: &Archive, acknowledged: &[Acknowledged]) -> usize {
    assert_eq!(archive.damage().unwrap(), Vec::<String>::new());
    archive.verify_audit().unwrap();
    let everything = archive.everything().unwrap();
    let contents: BTreeSet<_> = everything.iter().map(|memory| &memory.content).collect();
    assert_eq!(contents.len(), everything.len(), "a memory is there twice");
    let places = archive.changes().unwrap().into_iter().map(|(place, _)| place);
    assert!(places.eq(1..=everything.len() as u64), "changes do not match the memories");
    archive.lost(acknowledged).unwrap()
}
