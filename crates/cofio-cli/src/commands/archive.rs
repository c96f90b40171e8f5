//! Putting memories away, and bringing them back.

use anyhow::Result;
use clap::Args;
use cofio::wire::MemoryEntry;

use crate::app::App;
use crate::input;

const EXAMPLES: &str = "\
Examples:
  cofio archive fact_0198c0de0000700080000000000000aa
  cofio list --state archived
  cofio archive --bring-back fact_0198c0de0000700080000000000000aa

To be rid of a memory for good, use cofio forget.";

/// Puts memories away: they are found on request only, and their history stays
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Archive {
    /// The memories
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Brings them back instead
    #[arg(long)]
    bring_back: bool,
}

impl Archive {
    pub async fn run(self, app: &App) -> Result<()> {
        let ids = self.ids.iter().map(|id| input::id(id)).collect::<Result<Vec<_>>>()?;
        let mut memories = Vec::with_capacity(ids.len());
        for id in &ids {
            memories.push(if self.bring_back {
                app.engine.bring_back(&app.caller, id).await?
            } else {
                app.engine.archive(&app.caller, id).await?
            });
        }
        app.output.answer(
            || memories.iter().map(MemoryEntry::from).collect::<Vec<_>>(),
            |page| {
                for memory in &memories {
                    page.line(format!("{} is {} in {}", memory.id, memory.state, memory.scope));
                }
            },
        )?;
        Ok(())
    }
}
