//! Searching, with the reason for every hit.

use anyhow::Result;
use clap::Args;
use cofio::retrieval::{Answer, MeaningUsed, explain};
use cofio::wire::SearchOutput;
use jiff::tz::TimeZone;

use crate::app::App;
use crate::output::{self, Page};
use crate::present;
use crate::query::QueryFlags;

const EXAMPLES: &str = "\
Examples:
  cofio search how does she take her tea
  cofio search deploy --kind procedure --layer project --explain
  cofio search release --since 2026-01-01 --where status=open --json
  cofio search where does she live --as-of 2026-01-31
  cofio search where does she live --valid-at 2026-01-31

As of an earlier day, memories are found by what they say now and shown as they were then.";

/// Finds the memories that answer a question
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Search {
    #[command(flatten)]
    flags: QueryFlags,
    /// Says why each hit is there
    #[arg(long)]
    explain: bool,
}

impl Search {
    pub async fn run(self, app: &App) -> Result<()> {
        let query = self.flags.query(app)?;
        let answer = app.engine.search(&app.caller, &query).await?;
        app.output.answer(
            || SearchOutput::from(&answer),
            |page| show(page, &answer, self.explain, app.zone()),
        )?;
        if answer.hits.is_empty() && answer.left_out > 0 {
            app.output.note("what was found has more tokens than --tokens allows");
        } else if answer.hits.is_empty() {
            let scopes = output::listed(&answer.searched);
            app.output.note(&format!(
                "nothing found in {scopes}; fewer words or filters may find more, and flags such as \
                 --project, --team or --session open other scopes"
            ));
        } else {
            app.output.note_scopes(&answer.searched);
        }
        note_meaning(app, answer.meaning);
        note_unavailable(app, &answer);
        Ok(())
    }
}

/// Shows the hits, the best first.
pub fn show(page: &mut Page, answer: &Answer, with_reasons: bool, zone: &TimeZone) {
    for hit in &answer.hits {
        present::brief(page, &hit.memory, zone);
        if with_reasons {
            page.aside(format!("score {:.2}", hit.score));
            for reason in explain(hit) {
                page.aside(format!("  {reason}"));
            }
        }
    }
}

/// Says which shelves did not answer.
fn note_unavailable(app: &App, answer: &Answer) {
    for shelf in &answer.unavailable {
        let name = shelf.as_str();
        app.output
            .note(&format!("the shelf {name:?} did not answer: what stands there may be missing"));
    }
}

/// Says what is missing if not every meaning was compared.
fn note_meaning(app: &App, meaning: MeaningUsed) {
    match meaning {
        MeaningUsed::NotAsked | MeaningUsed::Compared { pending: 0 } => {}
        MeaningUsed::NoEmbedder => app.note_no_embedder(),
        MeaningUsed::Failed => app.output.note(
            "searched by words and names only, as the embedder failed: --mode semantic says why",
        ),
        MeaningUsed::Compared { pending } => {
            let wait = present::count(pending, "memory waits for its", "memories wait for their");
            app.output.note(&format!("{wait} vectors: cofio embed makes them"));
        }
    }
}
