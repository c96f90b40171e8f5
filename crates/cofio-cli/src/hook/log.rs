//! Why hooks failed: the only trace of it, as an agent is told nothing.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use cofio::model::Timestamp;

use super::session::make_private;
use crate::output::plain;

/// The name of the file in the state folder.
const NAME: &str = "hook.log";

/// The most bytes of the file; what is older goes.
const MOST_BYTES: u64 = 64 * 1024;

/// A file with a line for each failure, without content.
#[derive(Debug, Clone)]
pub struct Log(PathBuf);

impl Log {
    /// Names the log in a state folder.
    pub fn new(state: &Path) -> Self {
        Self(state.join(NAME))
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes down why a hook failed.
    pub fn write(&self, reason: &str) -> Result<()> {
        make_private(self.0.parent().expect("it is in a folder"))?;
        if fs::metadata(&self.0).is_ok_and(|file| file.len() > MOST_BYTES) {
            fs::remove_file(&self.0)?;
        }
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        writeln!(self.open()?, "{now} {}", plain(reason))?;
        Ok(())
    }

    /// Returns the failures that are on record, the latest last.
    pub fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn open(&self) -> Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(options.open(&self.0)?)
    }
}
