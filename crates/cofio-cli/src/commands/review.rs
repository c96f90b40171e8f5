//! Deciding on what waits because its source is not trusted.

use anyhow::Result;
use clap::{Args, Subcommand};
use cofio::engine::ListRequest;
use cofio::model::{Criteria, Memory, State};
use cofio::wire::{ListOutput, MemoryEntry, RejectionOutput, ScopeOutput};
use cofio::{Error, ErrorKind, Selection};
use serde::Serialize;

use crate::app::App;
use crate::commands::list;
use crate::output::Page;
use crate::{input, present, when};

/// How many digits of a hash are shown.
const SHOWN: usize = 12;

const EXAMPLES: &str = "\
Examples:
  cofio review list
  cofio review approve fact_0198c0de0000700080000000000000aa --text 'The ferry sails at nine'
  cofio review reject fact_0198c0de0000700080000000000000aa
  cofio review permit The bank is Acme Bank";

/// Decides on facts that wait because they come from the web, a file, a tool or a model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Review {
    #[command(subcommand)]
    action: Action,
}

/// What to do with what waits.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists what waits, page by page
    List {
        /// How many at most
        #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
        limit: Option<usize>,
        /// Where the page before ended
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Shows one that waits, with where it comes from
    Show {
        /// The memory
        id: String,
    },
    /// Confirms one, so that it counts as said by you
    Approve {
        /// The memory
        id: String,
        /// The exact text that you confirm, in place of being asked
        #[arg(long)]
        text: Option<String>,
    },
    /// Forgets one, and never learns what it says again
    Reject {
        /// The memory
        id: String,
    },
    /// Lists what was rejected; of the texts only hashes are known
    Rejected,
    /// Lets a text be learnt again that was rejected
    Permit {
        /// The text; - reads it from standard input
        #[arg(value_name = "TEXT", required = true)]
        words: Vec<String>,
    },
}

/// What was decided.
#[derive(Debug, Serialize)]
struct DecisionOutput {
    id: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryEntry>,
}

/// Whether a value may be learnt again now.
#[derive(Debug, Serialize)]
struct PermitOutput {
    permitted: bool,
    scope: ScopeOutput,
}

impl Review {
    pub async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::List { limit, cursor } => list_waiting(app, limit, cursor).await,
            Action::Show { id } => show(app, &id).await,
            Action::Approve { id, text } => approve(app, &id, text).await,
            Action::Reject { id } => reject(app, &id).await,
            Action::Rejected => rejected(app).await,
            Action::Permit { words } => permit(app, &words).await,
        }
    }
}

async fn list_waiting(app: &App, limit: Option<usize>, cursor: Option<String>) -> Result<()> {
    let criteria = Criteria { states: vec![State::Pending], ..Criteria::default() };
    let selection = Selection { criteria, ..app.selection() };
    let limit = limit.unwrap_or_else(|| list::default_limit(app));
    let request = ListRequest { limit, cursor, ..ListRequest::new(selection) };
    let listed = app.engine.list(&app.caller, &request).await?;
    app.output.answer(
        || ListOutput::from(&listed),
        |page| listed.memories.iter().for_each(|one| present_waiting(page, one, app)),
    )?;
    app.output.note(&list::summary(&listed));
    Ok(())
}

fn present_waiting(page: &mut Page, memory: &Memory, app: &App) {
    present::brief(page, memory, app.zone());
    let source = &memory.source;
    let mut origin = vec![format!("{} trust", source.trust())];
    origin.extend(source.reference.iter().chain(&source.tool).cloned());
    if memory.instructs {
        origin.push("it tells an assistant what to do".to_owned());
    }
    page.aside(format!("    {}", origin.join(", ")));
}

async fn waiting(app: &App, id: &str) -> Result<Memory> {
    let memory = app.engine.get(&app.caller, &input::id(id)?).await?;
    if memory.state != State::Pending {
        let message = format!("{id} does not wait for review: it is {}", memory.state);
        return Err(Error::new(ErrorKind::Conflict, message).into());
    }
    Ok(memory)
}

async fn show(app: &App, id: &str) -> Result<()> {
    let memory = waiting(app, id).await?;
    app.output
        .answer(|| MemoryEntry::from(&memory), |page| present::whole(page, &memory, app.zone()))?;
    Ok(())
}

async fn approve(app: &App, id: &str, text: Option<String>) -> Result<()> {
    let memory = waiting(app, id).await?;
    let read = memory.content.as_str();
    if text.is_none() {
        app.consent.ask(&format!("{read}\nConfirm this as your own words?"))?;
    }
    let text = text.as_deref().unwrap_or(read);
    let approved = app.engine.approve(&app.caller, &memory.id, text).await?;
    app.output.answer(
        || DecisionOutput {
            id: approved.id.to_string(),
            decision: "approved",
            memory: Some(MemoryEntry::from(&approved)),
        },
        |page| page.line(format!("approved {} in {}", approved.id, approved.scope)),
    )?;
    Ok(())
}

async fn reject(app: &App, id: &str) -> Result<()> {
    let memory = waiting(app, id).await?;
    let text = present::beginning(memory.content.as_str());
    app.consent.ask(&format!("{text}\nForget this, and never learn it again?"))?;
    app.engine.reject(&app.caller, &memory.id).await?;
    app.output.answer(
        || DecisionOutput { id: memory.id.to_string(), decision: "rejected", memory: None },
        |page| page.line(format!("rejected {} in {}", memory.id, memory.scope)),
    )?;
    Ok(())
}

async fn rejected(app: &App) -> Result<()> {
    let rejections = app.engine.rejections(&app.caller).await?;
    let outputs: Vec<RejectionOutput> = rejections.iter().map(RejectionOutput::from).collect();
    app.output.answer(
        || &outputs,
        |page| {
            for (rejection, output) in rejections.iter().zip(&outputs) {
                let at = when::shown(rejection.at, app.zone());
                let hash: String = output.hash.chars().take(SHOWN).collect();
                page.line(format!("{hash}  {at}  in {}", rejection.scope));
            }
        },
    )?;
    let count = present::count(rejections.len() as u64, "text is", "texts are");
    app.output.note(&format!("{count} not learnt again"));
    Ok(())
}

async fn permit(app: &App, words: &[String]) -> Result<()> {
    let text = input::text(words, app.engine.config().limits.content_bytes)?;
    let scope = app.scope_to_write()?;
    let permitted = app.engine.permit(&app.caller, &scope, &text).await?;
    if !permitted {
        let message = format!("this was not rejected in {scope}");
        return Err(Error::new(ErrorKind::NotFound, message).into());
    }
    app.output.answer(
        || PermitOutput { permitted, scope: ScopeOutput::from(&scope) },
        |page| page.line(format!("may be learnt again in {scope}")),
    )?;
    Ok(())
}
