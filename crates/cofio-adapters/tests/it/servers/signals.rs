//! What is done to processes from outside.

use std::process::{Command, Stdio};

/// Sends a signal, such as `-STOP`, and returns whether somebody was there to get it.
pub fn send(signal: &str, process: u32) -> bool {
    let mut kill = Command::new("kill");
    kill.args([signal, &process.to_string()]).stderr(Stdio::null());
    kill.status().unwrap().success()
}

/// Returns the processes that a process has started.
pub fn children(process: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}
