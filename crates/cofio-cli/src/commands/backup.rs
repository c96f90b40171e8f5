//! Copying the whole store.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::progress::Progress;

/// Copies the whole store to a file, while others go on writing
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio backup ~/cofio-2026-01-31.db")]
pub struct Backup {
    /// The file; there must not be one yet
    file: PathBuf,
}

/// Where the copy is.
#[derive(Debug, Serialize)]
struct BackupOutput<'a> {
    store: &'a Path,
    file: &'a Path,
}

impl Backup {
    pub async fn run(self, app: &App) -> Result<()> {
        let file = self.file.display();
        if self.file.symlink_metadata().is_ok() {
            return Err(Refusal::Conflict(format!("{file} is there already")).into());
        }
        let progress = Progress::spinning("copying");
        app.store.backup(&self.file).await?;
        drop(progress);
        let store = app.settings.store();
        app.output.answer(
            || BackupOutput { store, file: &self.file },
            |page| page.line(format!("copied {} to {file}", store.display())),
        )?;
        Ok(())
    }
}
