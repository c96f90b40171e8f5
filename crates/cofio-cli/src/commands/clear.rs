//! Forgetting everything of a sort.

use anyhow::Result;
use clap::{Args, ValueEnum};
use cofio::model::{Criteria, Identifier, Kind, Scope, State};
use cofio::wire::ScopeOutput;
use cofio::{Error, ErrorKind, Selection};
use serde::Serialize;

use crate::app::App;
use crate::output;
use crate::present;

const EXAMPLES: &str = "\
Examples:
  cofio clear episodic
  cofio clear semantic --layer project --yes
  cofio clear all --yes --yes";

/// Forgets everything of a sort, in every scope of yours or in those that the flags name
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Clear {
    /// Episodes (episodic), facts, procedures and reflections (semantic), what has ended (expired),
    /// or all, which asks twice
    #[arg(hide_possible_values = true)]
    what: Sort,
}

/// What to forget.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    /// Episodes
    Episodic,
    /// Facts, procedures and reflections
    Semantic,
    /// Everything; asks twice
    All,
    /// What has ended by itself and is seen by nobody any more
    Expired,
}

/// What was forgotten.
#[derive(Debug, Serialize)]
struct ClearOutput {
    deleted: usize,
    scopes: Vec<ScopeOutput>,
}

impl Clear {
    pub async fn run(self, app: &App) -> Result<()> {
        if let Sort::Expired = self.what {
            return sweep(app).await;
        }
        let meant = self.meant(app).await?;
        self.ask(app, &meant)?;
        // What has ended is in no list, but it is still there.
        let mut deleted = app.engine.sweep(&app.caller).await?;
        for (_, selection) in &meant {
            deleted += app.engine.forget_matching(&app.caller, selection).await?.ids.len();
        }
        let scopes: Vec<Scope> = meant.into_iter().map(|(scope, _)| scope).collect();
        app.output.answer(
            || ClearOutput { deleted, scopes: scopes.iter().map(ScopeOutput::from).collect() },
            |page| {
                let place = output::listed(&scopes);
                page.line(format!("forgot {} in {place}", present::memories(deleted)));
            },
        )?;
        Ok(())
    }

    /// Returns each scope that holds something of the sort, and the selection for it.
    async fn meant(&self, app: &App) -> Result<Vec<(Scope, Selection)>> {
        let mut meant = Vec::new();
        for summary in app.engine.stats(&app.caller, None).await?.scopes {
            let kinds = self.what.kinds();
            let of_this_sort = |kind: &Kind| kinds.is_empty() || kinds.contains(kind);
            if is_named(app, &summary.scope)?
                && summary.counts.iter().any(|(kind, _, _)| of_this_sort(kind))
            {
                let selection = selection(&summary.scope, kinds);
                meant.push((summary.scope, selection));
            }
        }
        if meant.is_empty() {
            let message = "there is nothing to forget";
            return Err(Error::new(ErrorKind::NotFound, message).into());
        }
        Ok(meant)
    }

    fn ask(&self, app: &App, meant: &[(Scope, Selection)]) -> Result<()> {
        let scopes: Vec<Scope> = meant.iter().map(|(scope, _)| scope.clone()).collect();
        let question = format!("Forget {} in {}?", self.what.described(), output::listed(&scopes));
        match self.what {
            Sort::All => app.consent.ask_twice(&question, "all"),
            Sort::Episodic | Sort::Semantic | Sort::Expired => app.consent.ask(&question),
        }
    }
}

impl Sort {
    /// Returns the kinds; none means all.
    fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Episodic => &[Kind::Episode],
            Self::Semantic => &[Kind::Fact, Kind::Procedure, Kind::Reflection],
            Self::All | Self::Expired => &[],
        }
    }

    fn described(self) -> &'static str {
        match self {
            Self::Episodic => "every episode",
            Self::Semantic => "every fact, procedure and reflection",
            Self::All => "everything",
            Self::Expired => "what has ended",
        }
    }
}

/// Forgets what has ended by itself, which needs no question.
async fn sweep(app: &App) -> Result<()> {
    let deleted = app.engine.sweep(&app.caller).await?;
    app.output.answer(
        || ClearOutput { deleted, scopes: Vec::new() },
        |page| page.line(format!("forgot {} that had ended", present::memories(deleted))),
    )?;
    Ok(())
}

/// Returns whether a scope has the layer and the identifiers that stand on the command line.
fn is_named(app: &App, scope: &Scope) -> Result<bool> {
    if app.layers().is_some_and(|layers| !layers.contains(&scope.layer())) {
        return Ok(false);
    }
    for (layer, name) in app.globals.named() {
        if scope.identifiers().get(layer) != Some(&Identifier::new(name)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn selection(scope: &Scope, kinds: &[Kind]) -> Selection {
    let (kinds, states) = (kinds.to_vec(), State::ALL.to_vec());
    let criteria = Criteria { kinds, states, ..Criteria::default() };
    let layers = Some(vec![scope.layer()]);
    Selection { layers, ..Selection::with(scope.identifiers().clone(), criteria) }
}
