//! What the operating system says of this process, and where the binary is.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Returns the resident memory of this process in megabytes, where the system tells.
pub fn resident_megabytes() -> Option<f64> {
    status("VmRSS:")
}

/// Returns the most resident memory this process ever had in megabytes, where the system tells.
pub fn peak_megabytes() -> Option<f64> {
    status("VmHWM:")
}

fn status(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Returns how many processes ran or waited in the last minute, where the system tells.
pub fn load_average() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/loadavg").ok()?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the value below which the given share of the samples lies.
pub fn percentile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let last = samples.len().saturating_sub(1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let index = (last * share).round() as usize;
    samples.get(index).copied().unwrap_or(f64::NAN)
}

/// Returns the `cofio` binary beside this one, building it if it is not there.
pub fn command_line() -> Result<PathBuf> {
    let status = Command::new("cargo")
        .args(["build", "--quiet", "--release", "--package", "cofio-cli"])
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "cannot build the command line");
    let folder = std::env::current_exe()?;
    Ok(folder.with_file_name(format!("cofio{}", std::env::consts::EXE_SUFFIX)))
}
