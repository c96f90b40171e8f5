//! What a memory was before.

use anyhow::Result;
use clap::Args;
use cofio::wire::HistoryOutput;

use crate::app::App;
use crate::{input, when};

/// Shows what a memory was before, the oldest version first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio history fact_0198c0de0000700080000000000000aa")]
pub struct History {
    /// The memory
    id: String,
}

impl History {
    pub async fn run(self, app: &App) -> Result<()> {
        let history = app.engine.history(&app.caller, &input::id(&self.id)?).await?;
        let versions = || history.earlier.iter().chain([&history.current]);
        app.output.answer(
            || HistoryOutput::from(&history),
            |page| {
                for memory in versions() {
                    let at = when::shown(memory.updated_at, app.zone());
                    page.faint(format!("version {}, {at}", memory.version));
                    page.indented(memory.content.as_str());
                }
            },
        )?;
        app.output.note_scopes(std::slice::from_ref(&history.current.scope));
        Ok(())
    }
}
