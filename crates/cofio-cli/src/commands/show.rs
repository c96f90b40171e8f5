//! Showing one memory whole.

use anyhow::Result;
use clap::Args;
use cofio::wire::MemoryEntry;

use crate::app::App;
use crate::{input, present};

/// Shows a memory with everything known about it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio show fact_0198c0de0000700080000000000000aa")]
pub struct Show {
    /// The memory
    id: String,
}

impl Show {
    pub async fn run(self, app: &App) -> Result<()> {
        let memory = app.engine.get(&app.caller, &input::id(&self.id)?).await?;
        app.output.answer(
            || MemoryEntry::from(&memory),
            |page| present::whole(page, &memory, app.zone()),
        )?;
        Ok(())
    }
}
