//! Counting what is kept.

use std::fmt::Display;

use anyhow::Result;
use clap::Args;
use cofio::engine;
use cofio::wire::StatsOutput;
use jiff::tz::TimeZone;

use crate::app::App;
use crate::output::Page;
use crate::{present, when};

/// Counts what is kept, by scope, layer and kind
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio stats --json")]
pub struct Stats {
    /// Counts every user's memories
    #[arg(long)]
    all_users: bool,
}

impl Stats {
    pub async fn run(self, app: &App) -> Result<()> {
        let narrowed = app.layers().is_some() || app.globals.named().next().is_some();
        let caller = app.caller_for(self.all_users);
        let within = if narrowed {
            Some(cofio::retrieval::reach(&caller, &app.identifiers()?, app.layers().as_deref())?)
        } else {
            None
        };
        let stats = app.engine.stats(&caller, within.as_deref()).await?;
        app.output.answer(|| StatsOutput::from(&stats), |page| show(page, &stats, app.zone()))?;
        let whose = if self.all_users {
            "of everyone".to_owned()
        } else {
            format!("of {}", caller.actor())
        };
        let scopes = present::count(stats.scopes.len() as u64, "scope", "scopes");
        app.output.note(&format!("in {scopes} {whose}"));
        Ok(())
    }
}

fn show(page: &mut Page, stats: &engine::Stats, zone: &TimeZone) {
    let total = usize::try_from(stats.total).unwrap_or(usize::MAX);
    page.strong(format!("{}, {} bytes of text", present::memories(total), stats.content_bytes));
    if let Some(latest) = stats.latest_at {
        page.line(format!("the last one was learnt on {}", when::shown(latest, zone)));
    }
    table(page, "kinds", stats.kinds.iter());
    table(page, "layers", stats.layers.iter());
    let count = |summary: &cofio::store::ScopeSummary| -> u64 {
        summary.counts.iter().map(|(_, _, count)| count).sum()
    };
    let scopes: Vec<_> =
        stats.scopes.iter().map(|summary| (&summary.scope, count(summary))).collect();
    table(page, "scopes", scopes.iter().map(|(scope, count)| (scope, count)));
}

fn table<'a, Name: Display + 'a>(
    page: &mut Page,
    heading: &str,
    rows: impl ExactSizeIterator<Item = (&'a Name, &'a u64)>,
) {
    if rows.len() > 0 {
        page.strong(heading);
    }
    for (name, count) in rows {
        page.indented(format!("{count:>8}  {name}"));
    }
}
