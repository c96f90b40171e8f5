//! A process that writes, and what it acknowledged before it ended or was killed.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use cofio::model::MemoryId;

/// Whose memories every writer writes.
pub const USER: &str = "writer";

/// A memory that a writer said is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Acknowledged {
    pub id: MemoryId,
    pub content: String,
}

/// What a writer left behind that nobody killed.
pub struct Finished {
    pub acknowledged: Vec<Acknowledged>,
    pub succeeded: bool,
    pub errors: String,
}

/// Prepares a process that writes into a store.
pub fn writer(store: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofio-bench"));
    command.arg("writer").arg(store).args(["--user", USER]).args(arguments);
    command.env("RUST_BACKTRACE", "0").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Lets a writer write everything it has.
pub fn finish(mut command: Command) -> Finished {
    let output = command.output().unwrap();
    Finished {
        acknowledged: acknowledged(&String::from_utf8(output.stdout).unwrap()),
        succeeded: output.status.success(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Kills a writer with SIGKILL, a moment after it has acknowledged `enough`.
pub fn kill(mut command: Command, enough: usize, moment: Duration) -> Vec<Acknowledged> {
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..enough {
        output.read_line(&mut text).unwrap();
    }
    std::thread::sleep(moment);
    child.kill().unwrap();
    output.read_to_string(&mut text).unwrap();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(errors.is_empty(), "the writer failed before it was killed: {errors}");
    acknowledged(&text)
}

/// Reads `id content` from every line that is complete.
fn acknowledged(text: &str) -> Vec<Acknowledged> {
    let complete = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    complete
        .map(|line| {
            let (id, content) = line.split_once(' ').unwrap();
            Acknowledged { id: id.parse().unwrap(), content: content.to_owned() }
        })
        .collect()
}
