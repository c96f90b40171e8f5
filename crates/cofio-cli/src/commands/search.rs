//! Searching, with the reason for every hit.

use anyhow::Result;
use clap::{Args, ValueEnum};
use cofio::model::MemoryId;
use cofio::retrieval::{Answer, Merge, Signals};
use cofio::wire::SearchOutput;
use cofio::{Mode, Query, text};
use jiff::tz::TimeZone;

use crate::app::App;
use crate::filters::Filters;
use crate::output::{self, Page};
use crate::present;

const EXAMPLES: &str = "\
Examples:
  cofio search how does she take her tea
  cofio search deploy --kind procedure --layer project --explain
  cofio search release --since 2026-01-01 --where status=open --json";

/// Finds the memories that answer a question
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Search {
    /// The question
    #[arg(value_name = "QUERY", required = true)]
    words: Vec<String>,
    /// How many hits at most
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// How many hits of one layer at most
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit_per_layer: Option<usize>,
    /// By which evidence: hybrid, semantic or keyword
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    mode: ModeName,
    /// The best first (fused), or the most specific layer first (precedence)
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    merge: MergeName,
    /// Says why each hit is there
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    filters: Filters,
}

/// By which evidence memories are found.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ModeName {
    /// All there is
    #[default]
    Hybrid,
    /// Vectors alone
    Semantic,
    /// Words alone
    Keyword,
}

/// How results of several layers are put together.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum MergeName {
    /// The best first, whatever its layer
    #[default]
    Fused,
    /// The most specific layer first
    Precedence,
}

impl Search {
    pub async fn run(self, app: &App) -> Result<()> {
        let query = self.query(app)?;
        let answer = app.engine.search(&app.caller, &query).await?;
        app.output.answer(
            || SearchOutput::from(&answer),
            |page| show(page, &answer, self.explain, app.zone()),
        )?;
        if answer.hits.is_empty() {
            let scopes = output::listed(&answer.searched);
            app.output.note(&format!(
                "nothing found in {scopes}; fewer words or filters may find more, and flags such as \
                 --project, --team or --session open other scopes"
            ));
        } else {
            app.output.note_scopes(&answer.searched);
        }
        Ok(())
    }

    fn query(&self, app: &App) -> Result<Query> {
        Ok(Query {
            mode: self.mode.into(),
            merge: self.merge.into(),
            limit: self.limit.unwrap_or(app.settings.limit()),
            limit_per_layer: self.limit_per_layer,
            ..Query::new(self.filters.selection(app)?, self.words.join(" "))
        })
    }
}

/// Shows the hits, the best first.
pub fn show(page: &mut Page, answer: &Answer, explain: bool, zone: &TimeZone) {
    for hit in &answer.hits {
        present::brief(page, &hit.memory, zone);
        if explain {
            page.aside(format!("score {:.2}: {}", hit.score, reasons(&hit.signals)));
        }
    }
}

/// Says in words what brought a memory into an answer.
fn reasons(signals: &Signals) -> String {
    let mut reasons = Vec::new();
    if let Some(rank) = signals.lexical_rank {
        let words = whole_words(&signals.matched_terms).join(", ");
        reasons.push(format!("{} by its words ({words})", ordinal(rank)));
    }
    if let Some(rank) = signals.entity_rank {
        let names = signals.matched_names.join(", ");
        reasons.push(format!("{} by what it names ({names})", ordinal(rank)));
    }
    if !signals.overrides.is_empty() {
        let ids: Vec<&str> = signals.overrides.iter().map(MemoryId::as_str).collect();
        reasons.push(format!("overrides {} of a wider layer", ids.join(", ")));
    }
    reasons.join("; ")
}

/// Leaves out what is only a part or the stem of another word.
fn whole_words(terms: &[String]) -> Vec<&str> {
    let made_from = |part: &String, word: &String| {
        word != part
            && text::query_terms(word).contains(part)
            && !text::query_terms(part).contains(word)
    };
    let whole = |part: &&String| !terms.iter().any(|word| made_from(part, word));
    terms.iter().filter(whole).map(String::as_str).collect()
}

fn ordinal(rank: usize) -> String {
    let ending = match (rank % 10, rank % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{rank}{ending}")
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Hybrid => Self::Hybrid,
            ModeName::Semantic => Self::Semantic,
            ModeName::Keyword => Self::Keyword,
        }
    }
}

impl From<MergeName> for Merge {
    fn from(name: MergeName) -> Self {
        match name {
            MergeName::Fused => Self::Fused,
            MergeName::Precedence => Self::Precedence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_people_do() {
        for (rank, expected) in [
            (1, "1st"),
            (2, "2nd"),
            (3, "3rd"),
            (4, "4th"),
            (11, "11th"),
            (112, "112th"),
            (121, "121st"),
        ] {
            assert_eq!(ordinal(rank), expected);
        }
    }
}
