//! Eight processes and a person with an editor, on one store and one folder at the same time.
//!
//! Agents remember, change, correct and forget by the command, and bring files and memories
//! together; some of them are killed while they do. In the end both sides agree, and nothing is lost
//! that anybody wrote. `COFIO_FILES_SOAK` gives other sizes, as in `seconds=600,processes=8`;
//! `cargo xtask soak files` does so.

mod agent;
mod ledger;
mod page;
mod person;
mod verdict;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use agent::{Agent, Figures};
use ledger::{Ledger, Notes};
use person::Person;
use verdict::{back, lost, put_away_by_nobody};

use super::kept::Kept;
use super::synced;
use crate::machine::Machine;
use crate::random;

/// How often files and memories are brought together in the end before they have to agree.
const MOST_ROUNDS: usize = 10;

fn size(name: &str, otherwise: usize) -> usize {
    random::size("COFIO_FILES_SOAK", name, otherwise)
}

#[test]
fn a_crowd_on_one_store_and_one_folder_loses_nothing() {
    let (seconds, processes) = (size("seconds", 5), size("processes", 4));
    let seed = size("seed", 7) as u64;
    println!("{seconds} seconds with {processes} processes and a person, seed {seed}");
    let machine = Machine::new();
    let ledger = Ledger::default();
    fs::create_dir(machine.path("memory")).unwrap();
    let (figures, saved) = live(&machine, &ledger, seconds as u64, processes as u64, seed);
    println!("{figures:?}, saved {saved} times");
    let rounds = settle(&machine);
    judge(&machine, &ledger.into_notes(), rounds);
}

/// Looks at both sides when everybody has gone home.
fn judge(machine: &Machine, notes: &Notes, rounds: usize) {
    let kept = Kept::read(machine);
    let (words, memories) = (notes.words.len(), kept.0.len());
    println!("{words} words, {memories} memories, agreed after {rounds} rounds");
    let mut problems = kept.disagreements(&machine.path("memory"));
    problems.extend(lost(&kept, notes));
    problems.extend(back(&kept, notes));
    problems.extend(put_away_by_nobody(&kept, notes));
    if !problems.is_empty() {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files-soak.log");
        fs::write(&log, notes.events.join("\n")).unwrap();
        let (count, problems) = (problems.len(), problems.join("\n"));
        panic!("{count} problems, see {}:\n{problems}", log.display());
    }
}

/// Lets everybody work at once.
fn live(
    machine: &Machine,
    ledger: &Ledger,
    seconds: u64,
    processes: u64,
    seed: u64,
) -> (Figures, usize) {
    let until = Instant::now() + Duration::from_secs(seconds);
    let folder = machine.path("memory");
    thread::scope(|scope| {
        let agents: Vec<_> = (1..=processes)
            .map(|number| {
                let agent = Agent::new(machine, ledger, seed * 1_000 + number);
                scope.spawn(move || agent.work(until))
            })
            .collect();
        let person = scope.spawn(|| Person::new(&folder, ledger, seed * 1_000).work(until));
        let figures = agents.into_iter().map(|agent| agent.join().unwrap()).sum();
        (figures, person.join().unwrap())
    })
}

/// Brings both sides together until there is nothing to do, and returns how often that took.
pub fn settle(machine: &Machine) -> usize {
    for round in 0..MOST_ROUNDS {
        let told = synced(machine, "--yes");
        let done = ["added", "edited", "deleted", "written", "removed"];
        if done.iter().all(|name| told[name] == 0) {
            assert_eq!(told["conflicts"], json!([]));
            return round;
        }
    }
    panic!("after {MOST_ROUNDS} rounds there is still something to do");
}
