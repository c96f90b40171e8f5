//! Copying the whole store.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::output::shown;
use crate::progress::Progress;
use crate::store_files;

/// What copies a store in PostgreSQL.
const INSTEAD: &str = "an administrator copies it with pg_dump";

/// Copies the whole store to a file, while others go on writing
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio backup ~/cofio-2026-01-31.db")]
pub struct Backup {
    /// The file; there must not be one yet
    file: PathBuf,
}

/// Where the copy is.
#[derive(Debug, Serialize)]
struct BackupOutput {
    store: String,
    file: String,
}

impl Backup {
    pub async fn run(self, app: &App) -> Result<()> {
        let (store, file) = (app.settings.store(), self.file.display());
        let home = app.home.file("backup", INSTEAD)?;
        store_files::refuse_own(&self.file, store)?;
        if self.file.symlink_metadata().is_ok() {
            return Err(Refusal::Conflict(format!("{file} is there already")).into());
        }
        let progress = Progress::spinning("copying");
        home.backup(&self.file).await?;
        drop(progress);
        app.output.answer(
            || BackupOutput { store: shown(store), file: shown(&self.file) },
            |page| page.line(format!("copied {} to {file}", store.display())),
        )?;
        if let Some(servers) = app.settings.stores().elsewhere() {
            app.output.note(&format!("texts that stand on {servers} are not in the copy"));
        }
        Ok(())
    }
}
