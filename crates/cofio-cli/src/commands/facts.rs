//! Statements in three parts.

use anyhow::Result;
use clap::Args;
use cofio::Selection;
use cofio::engine::ListRequest;
use cofio::model::{Criteria, Fraction, Kind, Memory, TriplePattern};
use cofio::store::Order;
use cofio::wire::ListOutput;

use super::list;
use crate::app::App;
use crate::output::Page;
use crate::present;

/// Lists statements of subject, predicate and object, the most certain first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio facts --subject cofio --predicate 'is written in'")]
pub struct Facts {
    /// What they are about
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// What is said
    #[arg(long, value_name = "TEXT")]
    predicate: Option<String>,
    /// With respect to what
    #[arg(long, value_name = "TEXT")]
    object: Option<String>,
    /// What kind of statement
    #[arg(long = "type", value_name = "TEXT")]
    fact_type: Option<String>,
    /// How many at most
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// Where the page before ended
    #[arg(long)]
    cursor: Option<String>,
}

impl Facts {
    pub async fn run(self, app: &App) -> Result<()> {
        let triple = TriplePattern {
            fact_type: self.fact_type,
            subject: self.subject,
            predicate: self.predicate,
            object: self.object,
        };
        let criteria = Criteria { kinds: vec![Kind::Procedure], triple, ..Criteria::default() };
        let selection = Selection { criteria, ..app.selection() };
        let request = ListRequest {
            order: Order::Confidence,
            limit: self.limit.unwrap_or_else(|| list::default_limit(app)),
            cursor: self.cursor,
            ..ListRequest::new(selection)
        };
        let listed = app.engine.list(&app.caller, &request).await?;
        app.output.answer(
            || ListOutput::from(&listed),
            |page| listed.memories.iter().for_each(|memory| show(page, memory)),
        )?;
        app.output.note(&list::summary(&listed));
        Ok(())
    }
}

fn show(page: &mut Page, memory: &Memory) {
    let text = memory.triple.as_ref().map(present::statement);
    page.line(text.unwrap_or_else(|| present::beginning(memory.content.as_str())));
    let confidence = memory.metadata.confidence.map_or(1.0, Fraction::get);
    page.aside(format!("{} · {} · confidence {confidence}", memory.id, memory.scope));
}
