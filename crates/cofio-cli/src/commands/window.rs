//! The last turns of a conversation.

use anyhow::Result;
use clap::{Args, Subcommand};
use cofio::engine::Turn;
use cofio::model::{Channel, Scope, Source};
use cofio::wire::{ScopeOutput, TurnOutput};
use serde::Serialize;

use crate::app::App;
use crate::output::Page;
use crate::{input, present};

const EXAMPLES: &str = "\
Examples:
  cofio window push user 'what is left to do?' --session today
  cofio window show --session today
  cofio window clear --session today";

/// Keeps the last turns of a conversation
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Window {
    #[command(subcommand)]
    action: Action,
}

/// What to do with the window.
#[derive(Debug, Subcommand)]
enum Action {
    /// Shows the last turns, the oldest first
    Show,
    /// Adds a turn, and drops what no longer fits
    Push {
        /// Who spoke, such as user or assistant
        role: String,
        /// What was said; - reads it from standard input
        #[arg(value_name = "TEXT", required = true)]
        words: Vec<String>,
        /// How it arrived; owner-message for the user and other-message for everybody else
        #[arg(long, value_name = "CHANNEL")]
        source: Option<Channel>,
    },
    /// Empties the window
    Clear,
}

/// The turns of a conversation.
#[derive(Debug, Serialize)]
struct WindowOutput {
    turns: Vec<TurnOutput>,
    #[serde(flatten)]
    scope: ScopeOutput,
}

/// What was in a window.
#[derive(Debug, Serialize)]
struct ClearedOutput {
    cleared: usize,
    #[serde(flatten)]
    scope: ScopeOutput,
}

impl Window {
    /// Returns whether this keeps something.
    pub fn writes(&self) -> bool {
        matches!(self.action, Action::Push { .. })
    }

    pub async fn run(self, app: &App) -> Result<()> {
        let session = app.session()?;
        match self.action {
            Action::Show => {
                let turns = app.engine.window(&app.caller, &session).await?;
                give(app, &session, &turns)
            }
            Action::Push { role, words, source } => {
                let text = input::text(&words, app.engine.config().limits.content_bytes)?;
                let source = Source::through(source.unwrap_or_else(|| channel(&role)));
                let turns =
                    app.engine.push_turn(&app.caller, &session, &role, &text, source).await?;
                give(app, &session, &turns)
            }
            Action::Clear => clear(app, &session).await,
        }
    }
}

async fn clear(app: &App, session: &Scope) -> Result<()> {
    let cleared = app.engine.clear_window(&app.caller, session).await?;
    app.output.answer(
        || ClearedOutput { cleared, scope: ScopeOutput::from(session) },
        |page| page.line(format!("forgot {} in {session}", present::memories(cleared))),
    )?;
    Ok(())
}

fn give(app: &App, session: &Scope, turns: &[Turn]) -> Result<()> {
    app.output.answer(
        || WindowOutput {
            turns: turns.iter().map(TurnOutput::from).collect(),
            scope: ScopeOutput::from(session),
        },
        |page| turns.iter().for_each(|turn| show(page, turn)),
    )?;
    app.output.note_scopes(std::slice::from_ref(session));
    Ok(())
}

fn show(page: &mut Page, turn: &Turn) {
    page.faint(&turn.role);
    page.indented(&turn.content);
}

fn channel(role: &str) -> Channel {
    if role == "user" { Channel::OwnerMessage } else { Channel::OtherMessage }
}
