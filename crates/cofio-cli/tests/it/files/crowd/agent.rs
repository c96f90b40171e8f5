//! An agent that uses the command, one process after the other.

use std::iter::Sum;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ledger::{Author, Ledger};
use crate::machine::{Machine, complaint};
use crate::random::Random;

/// About how many memories there are at most, so that a long run is not a slow one.
const MOST_MEMORIES: usize = 300;

/// How many microseconds a process lives at most that is to be killed.
const LONGEST_LIFE: usize = 120_000;

/// What agents did.
#[derive(Debug, Default)]
pub struct Figures {
    pub processes: usize,
    pub syncs: usize,
    pub killed: usize,
    /// Those that gave up because somebody always wrote meanwhile.
    pub gave_up: usize,
}

impl Sum for Figures {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            processes: sum.processes + one.processes,
            syncs: sum.syncs + one.syncs,
            killed: sum.killed + one.killed,
            gave_up: sum.gave_up + one.gave_up,
        })
    }
}

pub struct Agent<'a> {
    machine: &'a Machine,
    ledger: &'a Ledger,
    random: Random,
    figures: Figures,
}

impl<'a> Agent<'a> {
    pub fn new(machine: &'a Machine, ledger: &'a Ledger, seed: u64) -> Self {
        Self { machine, ledger, random: Random::new(seed), figures: Figures::default() }
    }

    /// Does one thing after the other.
    pub fn work(mut self, until: Instant) -> Figures {
        while Instant::now() < until {
            self.figures.processes += 1;
            match self.random.below(12) {
                _ if self.ledger.count() > MOST_MEMORIES => self.forget(),
                0..4 => self.remember(),
                4 | 5 => self.edit(),
                6 => self.correct(),
                7 => self.forget(),
                8 | 9 => self.kill_a_sync(),
                _ => self.sync(),
            }
        }
        self.figures
    }

    fn remember(&mut self) {
        let text = self.text();
        let output = self.run(&["remember", &text]);
        let answer = answer(&output).unwrap_or_else(|| panic!("{:?}", complaint(&output)));
        self.ledger.wrote(&text, answer["memory"]["id"].as_str());
    }

    /// Gives a memory another text, or another first line.
    fn edit(&mut self) {
        let Some((id, before)) = self.ledger.pick(&mut self.random) else { return };
        let text = match before.split_once('\n') {
            Some((_, rest)) if self.random.below(2) == 0 => format!("{}\n{rest}", self.line()),
            _ => self.text(),
        };
        // Its version is not asked for: the last one to write wins, and the others are history.
        let output = self.run(&["edit", &id, "--content", &text]);
        if self.is_there(&id, &output) {
            self.ledger.replaced(&before, &text);
            self.ledger.wrote(&text, Some(&id));
        }
    }

    fn correct(&mut self) {
        let Some((id, before)) = self.ledger.pick(&mut self.random) else { return };
        let text = self.text();
        let output = self.run(&["correct", &id, &text]);
        if self.is_there(&id, &output) {
            let answer = answer(&output).unwrap();
            self.ledger.replaced(&before, &text);
            self.ledger.wrote(&text, answer["memory"]["id"].as_str());
            self.ledger.missed(&id);
        }
    }

    fn forget(&mut self) {
        let Some((id, _)) = self.ledger.pick(&mut self.random) else { return };
        let output = self.run(&["forget", &id, "--yes"]);
        if self.is_there(&id, &output) {
            self.ledger.forgot(&id);
        }
    }

    fn sync(&mut self) {
        self.figures.syncs += 1;
        let output = self.run(&["files", "sync", "memory", "--yes"]);
        let (said, code) = complaint(&output);
        self.figures.gave_up += usize::from(code == 4);
        assert!(code == 0 || code == 4, "{code}: {said}");
    }

    /// Begins to bring files and memories together, and is killed.
    fn kill_a_sync(&mut self) {
        let life = u64::try_from(self.random.below(LONGEST_LIFE)).unwrap();
        let mut command = self.machine.command();
        command.args(["files", "sync", "memory", "--yes"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        self.ledger.note(|| format!("begins to sync as process {}", child.id()));
        sleep(Duration::from_micros(life));
        self.figures.killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        self.ledger.note(|| format!("killed process {}", child.id()));
    }

    /// Returns whether a memory was there to be changed.
    fn is_there(&self, id: &str, output: &Output) -> bool {
        let (said, code) = complaint(output);
        match code {
            0 => true,
            // It was forgotten or corrected meanwhile.
            3 | 4 => {
                self.ledger.missed(id);
                false
            }
            _ => panic!("{code}: {said}"),
        }
    }

    /// Makes up a text of one line or two.
    fn text(&mut self) -> String {
        let first = self.line();
        if self.random.below(4) == 0 { format!("{first}\n{}", self.line()) } else { first }
    }

    fn line(&mut self) -> String {
        self.ledger.fresh(Author::Agent, &mut self.random)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.machine.command();
        command.args(arguments).args(["--layer", "user", "--json"]);
        self.ledger.note(|| format!("begins {arguments:?}"));
        let output = command.stdin(Stdio::null()).output().unwrap();
        self.ledger.note(|| {
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            format!("ends {arguments:?} with {:?}: {answer}", output.status.code())
        });
        output
    }
}

fn answer(output: &Output) -> Option<Value> {
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}
