//! Eight processes write into one file at the same time.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use crate::archive::Archive;
use crate::writer::{Finished, finish, writer};

/// How many processes write.
const PROCESSES: usize = 8;

/// How many clients each of them has; what they write at the same time is committed together.
const CLIENTS: usize = 8;

#[test]
fn what_eight_processes_write_is_there_exactly_once() {
    let problems = write_and_compare(2_000, &[]);
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Without this one, the test above might pass because it sees nothing.
#[test]
fn deferred_transactions_are_seen_to_fail() {
    let problems = write_and_compare(200, &["--deferred"]);
    assert!(!problems.is_empty(), "eight writers got along with deferred transactions");
}

/// Making a store and closing it for the last time are the moments when processes meet.
#[test]
fn a_store_that_eight_processes_open_at_once_is_open_to_all() {
    const ROUNDS: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let mut problems = Vec::new();
    for round in 0..ROUNDS {
        let path = folder.path().join(round.to_string()).join("cofio.db");
        let finished = run_writers(&path, 0, &[]);
        problems.extend(failures(&finished));
    }
    println!("{} of {} processes could not open a new store", problems.len(), ROUNDS * PROCESSES);
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Lets every process write `memories`, and says what differs from what was promised.
fn write_and_compare(memories: usize, arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    let begun = Instant::now();
    let finished = run_writers(&path, memories / CLIENTS, arguments);
    let seconds = begun.elapsed().as_secs_f64();
    let mut problems = failures(&finished);
    let failed = problems.len();
    let acknowledged: usize = finished.iter().map(|writer| writer.acknowledged.len()).sum();
    problems.extend(differences(&Archive::open(&path).unwrap(), PROCESSES * memories, &finished));
    println!(
        "{PROCESSES} processes of {CLIENTS} clients acknowledged {acknowledged} memories \
         in {seconds:.1} s; {failed} writers failed, {} problems in all",
        problems.len()
    );
    problems
}

fn run_writers(path: &Path, count: usize, arguments: &[&str]) -> Vec<Finished> {
    let (clients, count) = (CLIENTS.to_string(), count.to_string());
    let arguments = [&["--clients", &clients, "--count", &count], arguments].concat();
    std::thread::scope(|scope| {
        let writers: Vec<_> =
            (0..PROCESSES).map(|_| scope.spawn(|| finish(writer(path, &arguments)))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    })
}

/// Returns what the writers that failed said.
fn failures(finished: &[Finished]) -> Vec<String> {
    let failed = finished.iter().filter(|writer| !writer.succeeded || !writer.errors.is_empty());
    failed.map(|writer| writer.errors.clone()).collect()
}

fn differences(archive: &Archive, expected: usize, finished: &[Finished]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut check = |what: &str, found: usize| {
        if found != expected {
            problems.push(format!("{what}: {found} instead of {expected}"));
        }
    };
    // The audit comes first, because reading is recorded there too.
    check("audit entries that verify", archive.verify_audit().map_or(0, to_usize));
    check("memories in the statistics", to_usize(archive.count().unwrap()));

    let everything = archive.everything().unwrap();
    check("memories in the list", everything.len());
    let acknowledged: BTreeSet<_> =
        finished.iter().flat_map(|writer| &writer.acknowledged).collect();
    check("different acknowledgements", acknowledged.len());
    let kept: BTreeSet<_> = everything.iter().collect();
    check("acknowledged memories kept as they were", kept.intersection(&acknowledged).count());
    let contents: BTreeSet<_> = everything.iter().map(|memory| &memory.content).collect();
    check("different contents", contents.len());

    let changes = archive.changes().unwrap();
    check("changes", changes.len());
    let in_place = (1..).zip(&changes).filter(|(place, change)| change.0 == *place).count();
    check("changes without a gap before them", in_place);
    let changed: BTreeSet<_> = changes.iter().map(|(_, id)| id).collect();
    check("memories with a change", changed.len());

    let damage = archive.damage().unwrap();
    problems.extend(damage);
    problems
}

fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap()
}
