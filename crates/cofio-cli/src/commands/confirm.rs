//! Vouching for a memory.

use anyhow::Result;
use clap::Args;
use cofio::model::{Channel, Confirmation, Memory, Source, State};
use cofio::wire::MemoryEntry;

use crate::app::App;
use crate::input;

const EXAMPLES: &str = "\
Examples:
  cofio confirm fact_0198c0de0000700080000000000000aa
  cofio confirm fact_0198c0de0000700080000000000000aa --text 'The ferry sails at nine'

If it is wrong, use cofio correct.";

/// Confirms a memory: it is certain and never fades, and waits for review no more
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Confirm {
    /// The memory
    id: String,
    /// The exact text that you confirm, in place of being asked about one that waits for review
    #[arg(long)]
    text: Option<String>,
}

impl Confirm {
    pub async fn run(self, app: &App) -> Result<()> {
        let memory = app.engine.get(&app.caller, &input::id(&self.id)?).await?;
        let text = self.read(app, &memory)?;
        let source = Source::through(Channel::ExplicitSave);
        let confirmation = Confirmation { text, ..Confirmation::new(source) };
        let confirmed = app.engine.confirm(&app.caller, &memory.id, &confirmation).await?;
        app.output.answer(
            || MemoryEntry::from(&confirmed),
            |page| page.line(format!("confirmed {} in {}", confirmed.id, confirmed.scope)),
        )?;
        Ok(())
    }

    /// Returns the text that is confirmed, after showing it to whoever has to have read it.
    fn read(&self, app: &App, memory: &Memory) -> Result<Option<String>> {
        if self.text.is_some() || memory.state != State::Pending {
            return Ok(self.text.clone());
        }
        let text = memory.content.as_str();
        app.consent.ask(&format!("{text}\nConfirm this as your own words?"))?;
        Ok(Some(text.to_owned()))
    }
}
