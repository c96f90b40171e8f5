//! Putting what is true in the place of what is not.

use anyhow::Result;
use clap::Args;
use cofio::engine::Corrected;
use cofio::model::{Channel, Correction, Layer, Source, Triple};
use cofio::wire::CorrectOutput;

use crate::app::App;
use crate::input;
use crate::output::Page;
use crate::present;
use crate::when::When;

const EXAMPLES: &str = "\
Examples:
  cofio correct fact_0198c0de0000700080000000000000aa Alice takes milk
  cofio correct fact_0198c0de0000700080000000000000aa Alice takes no milk --since 2026-01-31
  cofio correct proc_0198c0de0000700080000000000000aa --fact uses cofio 'is written in' Rust
  cofio list --state superseded

What was replaced stays in the history; to be rid of it, use cofio forget. It counts as never true,
or with --since as true until then.";

/// Replaces a memory that is wrong; the old one is found on request only, and each names the other
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Correct {
    /// The memory that is wrong
    id: String,
    /// What is true; - reads it from standard input
    #[arg(value_name = "TEXT", required_unless_present = "fact")]
    words: Vec<String>,
    /// What is true as a statement, in place of or beside the text
    #[arg(long, num_args = 4, value_names = ["TYPE", "SUBJECT", "PREDICATE", "OBJECT"])]
    fact: Vec<String>,
    /// Since when that is true, if the old one was true before; a day or a moment
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
}

impl Correct {
    pub async fn run(self, app: &App) -> Result<()> {
        let id = input::id(&self.id)?;
        let correction = self.correction(app)?;
        let corrected = app
            .asking(async |doubt| {
                let correction = Correction { doubt, ..correction.clone() };
                app.engine.correct(&app.caller, &id, correction).await
            })
            .await?;
        app.output.answer(|| CorrectOutput::from(&corrected), |page| show(page, &corrected))?;
        Ok(())
    }

    fn correction(&self, app: &App) -> Result<Correction> {
        let triple = match &self.fact[..] {
            [fact_type, subject, predicate, object] => Some(Triple {
                fact_type: fact_type.clone(),
                subject: subject.clone(),
                predicate: predicate.clone(),
                object: object.clone(),
            }),
            _ => None,
        };
        let content = match &triple {
            Some(triple) if self.words.is_empty() => triple.sentence(),
            _ => input::text(&self.words, app.engine.config().limits.content_bytes)?,
        };
        let mut source = Source::through(Channel::ExplicitSave);
        source.session = app.settings.identifiers().get(Layer::Session).cloned();
        let since = self.since.map(|when| when.first(app.zone())).transpose()?;
        Ok(Correction { triple, since, ..Correction::new(content, source) })
    }
}

fn show(page: &mut Page, corrected: &Corrected) {
    let Corrected { memory, replaced, redactions } = corrected;
    page.line(format!("{} replaces {} in {}", memory.id, replaced.id, memory.scope));
    present::redactions(page, redactions);
}
