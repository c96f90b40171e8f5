//! A client that others wrote, as a process that waits for steps and prints what came of each.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use regex::Regex;

use crate::machine::{Machine, dedent};

/// A client that waits for steps.
pub struct Client<'a> {
    machine: &'a Machine,
    name: String,
    process: Child,
    /// Is closed when there are no more steps.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl<'a> Client<'a> {
    /// Starts a script beside this file.
    pub fn start(machine: &'a Machine, python: &Path, script: &str, arguments: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients");
        let mut command: Command = machine.program(python);
        command.arg(folder.join(script)).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { machine, name: arguments.join(" "), process, input, output }
    }

    /// Plays a transcript, in which every `> ` line is a step.
    pub fn transcript(mut self, expected: &str) {
        let expected = dedent(expected);
        let mut actual = String::new();
        for line in expected.lines() {
            let Some(step) = line.strip_prefix("> ") else { continue };
            let _ = writeln!(actual, "{line}");
            actual.push_str(&self.step(step));
        }
        assert!(actual == expected, "{}: the transcript is now:\n{actual}", self.name);
        self.input = None;
        assert!(self.process.wait().unwrap().success(), "{}: it did not end well", self.name);
    }

    /// Has a step taken, and returns what the client saw.
    pub fn step(&mut self, step: &str) -> String {
        let input = self.input.as_mut().expect("it is open until the end");
        writeln!(input, "{}", self.machine.with_ids(step)).unwrap();
        let mut seen = String::new();
        loop {
            let start = seen.len();
            let read = self.output.read_line(&mut seen).unwrap();
            assert!(read > 0, "{}: the client is gone after {step}: {seen}", self.name);
            if &seen[start..] == ".\n" {
                seen.truncate(start);
                return without_days(&self.machine.without_accidents(&seen));
            }
        }
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        // Mostly it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn without_days(text: &str) -> String {
    Regex::new(r"\d{4}-\d\d-\d\d").unwrap().replace_all(text, "DAY").into_owned()
}
