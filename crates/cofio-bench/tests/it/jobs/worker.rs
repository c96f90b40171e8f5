//! A process that does a job, and what it said before it ended or was killed.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cofio::model::{Task, Timestamp};

/// What a process said in the end that nobody killed.
pub struct Ended {
    /// The last line: what became of the job, and how much it changed.
    pub line: String,
    /// How long the job took.
    pub duration: Duration,
}

/// Prepares a process that does a task.
pub fn worker(store: &Path, task: Task, at: Timestamp, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofio-bench"));
    command.arg("jobs").arg(store).args(["--task", task.as_str(), "--at", &at.to_string()]);
    command.args(arguments).env("RUST_BACKTRACE", "0");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Lets a process do all there is to do.
pub fn finish(mut command: Command) -> Ended {
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    output.read_line(&mut text).unwrap();
    let begun = Instant::now();
    output.read_to_string(&mut text).unwrap();
    let duration = begun.elapsed();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Ended { line: text.lines().last().unwrap_or_default().to_owned(), duration }
}

/// Kills a process with SIGKILL, a moment after it has said so many lines.
pub fn kill(mut command: Command, lines: usize, moment: Duration) {
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..lines {
        output.read_line(&mut text).unwrap();
    }
    std::thread::sleep(moment);
    child.kill().unwrap();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(errors.is_empty(), "the job failed before it was killed: {errors}");
}
