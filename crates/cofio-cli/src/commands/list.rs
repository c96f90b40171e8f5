//! Listing, page by page.

use anyhow::Result;
use clap::{Args, ValueEnum};
use cofio::engine::{ListRequest, Listed};
use cofio::model::MemoryId;
use cofio::store::Order;
use cofio::wire::ListOutput;

use crate::app::App;
use crate::filters::Filters;
use crate::{output, present};

const EXAMPLES: &str = "\
Examples:
  cofio list --kind fact --limit 20
  cofio list --since 2026-01-01 --order latest-event --json
  cofio list --as-of 2026-01-31T12:00:00Z";

/// Lists memories, page by page
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct List {
    /// How many at most
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// Where the page before ended
    #[arg(long)]
    cursor: Option<String>,
    /// Which come first: newest, latest-event, earliest-event or confidence
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    order: OrderName,
    #[command(flatten)]
    filters: Filters,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum OrderName {
    /// Learnt last
    #[default]
    Newest,
    /// Happened last
    LatestEvent,
    /// Happened first
    EarliestEvent,
    /// Most certain
    Confidence,
}

impl List {
    pub async fn run(self, app: &App) -> Result<()> {
        let request = ListRequest {
            order: self.order.into(),
            limit: self.limit.unwrap_or_else(|| default_limit(app)),
            cursor: self.cursor,
            ..ListRequest::new(self.filters.selection(app)?)
        };
        let listed = app.engine.list(&app.caller, &request).await?;
        app.output.answer(
            || ListOutput::from(&listed),
            |page| listed.memories.iter().for_each(|one| present::brief(page, one, app.zone())),
        )?;
        app.output.note(&summary(&listed));
        Ok(())
    }
}

/// Returns how many memories are listed if nobody says.
pub fn default_limit(app: &App) -> usize {
    app.settings.limit().min(app.engine.config().limits.page)
}

/// Says how much of a list this is, where it is from and how it goes on.
pub fn summary(listed: &Listed) -> String {
    let shown = listed.memories.len();
    let scopes = output::listed(&listed.scopes);
    let next = match &listed.next_cursor {
        Some(cursor) => format!("\nthe next page begins with --cursor {cursor}"),
        None => String::new(),
    };
    let lost = match &listed.lost[..] {
        [] => String::new(),
        lost => {
            let ids: Vec<&str> = lost.iter().map(MemoryId::as_str).collect();
            format!("\na shelf has lost the text of {}", ids.join(", "))
        }
    };
    format!("{shown} of {} in {scopes}{lost}{next}", listed.total)
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Newest => Self::Newest,
            OrderName::LatestEvent => Self::LatestEvent,
            OrderName::EarliestEvent => Self::EarliestEvent,
            OrderName::Confidence => Self::Confidence,
        }
    }
}
