//! A small disk that can be full.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Whether whoever runs the tests may mount disks, so that one that cannot be is no reason to skip.
const MOUNTS: &str = "COFIO_TEST_MOUNTS";

/// A disk in memory, which is gone when this is dropped.
pub struct Disk(TempDir);

impl Disk {
    /// Makes one of so many megabytes, unless nobody lets us; then it says why.
    pub fn new(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=0777"), "tmpfs"]);
        let why = match mount.arg(folder.path()).output() {
            Ok(output) if output.status.success() => return Some(Self(folder)),
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(error) => error.to_string(),
        };
        assert!(std::env::var_os(MOUNTS).is_none(), "no small disk can be mounted: {why}");
        eprintln!("skipped: no small disk can be mounted: {why}");
        None
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills what is free but for so many bytes, at first.
    pub fn fill(&self, left: usize) {
        let mut file = File::create(self.ballast()).unwrap();
        while file.write_all(&[0; 4_096]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(left as u64)).unwrap();
    }

    /// Makes room again.
    pub fn clear(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.0.path().join("ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Whoever had files there has just been ended, and may be a moment in going.
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}
