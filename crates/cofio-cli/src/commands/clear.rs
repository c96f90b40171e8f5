//! Forgetting everything of a sort.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use cofio::engine::{Sweep, Swept};
use cofio::model::{Criteria, Kind, Scope, State, Timestamp};
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

/// Why what has ended does not simply go.
const HELD: &str = "so much has ended that the clock may be wrong, and nothing was forgotten";

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
        let scopes = self.scopes(app).await?;
        if let Sort::Expired = self.what {
            return give_swept(app, &scopes).await;
        }
        if scopes.is_empty() {
            let message = "there is nothing to forget";
            return Err(Error::new(ErrorKind::NotFound, message).into());
        }
        self.ask(app, &scopes)?;
        let ended = Sweep { within: Some(scopes.clone()), kinds: self.what.kinds().to_vec() };
        let mut deleted = app.engine.sweep_agreed(&app.caller, &ended).await?;
        for scope in &scopes {
            let selection = selection(scope, self.what.kinds());
            deleted += app.engine.forget_matching(&app.caller, &selection).await?.ids.len();
        }
        app.output.answer(
            || ClearOutput { deleted, scopes: scopes.iter().map(ScopeOutput::from).collect() },
            |page| {
                let place = output::listed(&scopes);
                page.line(format!("forgot {} in {place}", present::memories(deleted)));
            },
        )?;
        Ok(())
    }

    /// Returns each scope that is meant and holds something of the sort.
    async fn scopes(&self, app: &App) -> Result<Vec<Scope>> {
        let mut scopes = Vec::new();
        if !matches!(self.what, Sort::Expired) {
            for summary in app.engine.stats(&app.caller, None).await?.scopes {
                if summary.counts.iter().any(|(kind, _, _)| self.what.includes(*kind)) {
                    scopes.push(summary.scope);
                }
            }
        }
        // What has ended is in no list, but it is still there.
        let ended = app.home.store.ended(app.caller.access(), Timestamp::now(), usize::MAX).await?;
        let of_this_sort = ended.into_iter().filter(|(id, _)| {
            // An id whose kind nobody knows is of every sort.
            id.kind().is_none_or(|kind| self.what.includes(kind))
        });
        scopes.extend(of_this_sort.map(|(_, scope)| scope));
        let mut seen = HashSet::new();
        scopes.retain(|scope| seen.insert(scope.to_string()));
        app.retain_named(&mut scopes)?;
        Ok(scopes)
    }

    fn ask(&self, app: &App, scopes: &[Scope]) -> Result<()> {
        let question = format!("Forget {} in {}?", self.what.described(), output::listed(scopes));
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

    fn includes(self, kind: Kind) -> bool {
        self.kinds().is_empty() || self.kinds().contains(&kind)
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

/// Forgets what has ended, which needs no question unless the clock may be wrong.
async fn give_swept(app: &App, scopes: &[Scope]) -> Result<()> {
    let deleted = sweep(app, scopes).await?;
    app.output.answer(
        || ClearOutput { deleted, scopes: scopes.iter().map(ScopeOutput::from).collect() },
        |page| page.line(format!("forgot {} that had ended", present::memories(deleted))),
    )?;
    Ok(())
}

/// Forgets what has ended by itself: everywhere, or in the scopes that the flags narrow it down to.
async fn sweep(app: &App, scopes: &[Scope]) -> Result<usize> {
    let within = app.is_narrowed().then(|| scopes.to_vec());
    let sweep = Sweep { within, ..Sweep::default() };
    match app.engine.sweep(&app.caller, &sweep).await? {
        Swept::Removed(count) => Ok(count),
        Swept::Held { count, share } => {
            let question = format!(
                "{} of all, {}, have ended, some of them perhaps only because the clock is wrong. \
                 Forget them?",
                present::percent(share),
                present::memories(count),
            );
            app.consent.ask(&question).context(HELD)?;
            Ok(app.engine.sweep_agreed(&app.caller, &sweep).await?)
        }
    }
}

/// Returns everything in a scope of some kinds, or of all if none is given.
pub fn selection(scope: &Scope, kinds: &[Kind]) -> Selection {
    let (kinds, states) = (kinds.to_vec(), State::ALL.to_vec());
    let criteria = Criteria { kinds, states, ..Criteria::default() };
    let layers = Some(vec![scope.layer()]);
    Selection { layers, ..Selection::with(scope.identifiers().clone(), criteria) }
}
