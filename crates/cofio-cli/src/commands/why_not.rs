//! Why an expected memory is not in an answer.

use anyhow::Result;
use clap::Args;
use cofio::Mode;
use cofio::engine;
use cofio::wire::WhyNotOutput;
use jiff::tz::TimeZone;

use crate::app::App;
use crate::input;
use crate::output::Page;
use crate::present;
use crate::query::QueryFlags;

const EXAMPLES: &str = "\
Examples:
  cofio why-not fact_… how does she take her tea
  cofio why-not fact_… deploy --kind procedure --limit 3";

/// Says why a memory is not in the answer that search gives with the same flags
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct WhyNot {
    /// The memory
    id: String,
    #[command(flatten)]
    flags: QueryFlags,
}

impl WhyNot {
    pub async fn run(self, app: &App) -> Result<()> {
        let id = input::id(&self.id)?;
        let query = self.flags.query(app)?;
        let why = app.engine.why_not(&app.caller, &query, &id).await?;
        app.output.answer(|| WhyNotOutput::from(&why), |page| show(page, &why, app.zone()))?;
        app.output.note_scopes(&app.scopes(&query.selection)?);
        if query.mode != Mode::Keyword {
            app.note_no_embedder();
        }
        Ok(())
    }
}

fn show(page: &mut Page, why: &engine::WhyNot, zone: &TimeZone) {
    present::brief(page, &why.memory, zone);
    let place = why.rank.map(|rank| format!("number {rank} of {}", why.found));
    if why.reasons.is_empty() {
        page.line(format!("it is in the answer, {}", place.unwrap_or_default()));
        return;
    }
    page.line("it is not in the answer:");
    for reason in &why.reasons {
        page.indented(reason);
    }
}
