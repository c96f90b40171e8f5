//! Going back to a copy.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::model::Timestamp;
use serde::Serialize;

use crate::app::App;
use crate::present;
use crate::progress::Progress;

/// Replaces everything by a copy that `backup` made; what was forgotten since stays forgotten
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio restore ~/cofio-2026-01-31.db")]
pub struct Restore {
    /// The copy
    file: PathBuf,
}

/// What was restored.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RestoreOutput<'a> {
    store: &'a Path,
    file: &'a Path,
    kept_forgotten: usize,
}

impl Restore {
    pub async fn run(self, app: &App) -> Result<()> {
        let (file, store) = (self.file.display(), app.settings.store());
        self.file.metadata().with_context(|| format!("cannot read {file}"))?;
        app.consent.ask(&format!("Replace everything in {} by {file}?", store.display()))?;
        let progress = Progress::spinning("restoring");
        // What others forgot must stay forgotten too.
        let keeper = app.caller_for(true);
        let kept_forgotten = app.store.restore(&self.file, &keeper, Timestamp::now()).await?;
        drop(progress);
        app.output.answer(
            || RestoreOutput { store, file: &self.file, kept_forgotten },
            |page| {
                page.line(format!("restored {} from {file}", store.display()));
                if kept_forgotten > 0 {
                    page.aside(format!("still forgotten: {}", present::memories(kept_forgotten)));
                }
            },
        )?;
        Ok(())
    }
}
