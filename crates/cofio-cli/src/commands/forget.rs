//! Forgetting, by id or by what memories are like.

mod receipt;
mod topic;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use cofio::engine::{ForgetReason, Forgotten};
use cofio::model::{Memory, MemoryId, Scope};
use cofio::wire::{DeleteOutput, ScopeOutput};
use cofio::{Error, ErrorKind, Selection};
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::filters::Filters;
use crate::{output, present};

/// How many memories are shown before somebody agrees.
const SHOWN: usize = 5;

const EXAMPLES: &str = "\
Examples:
  cofio forget fact_0198c0de0000700080000000000000aa
  cofio forget --kind episode --until 2025-12-31
  cofio forget --topic 'the old flat'
  cofio forget --source https://example.com/page --receipt receipt.json
  cofio forget --tag draft --yes

A receipt names what is gone and its place in the audit, and holds no text:
cofio verify-forgotten looks for what is left.";

/// Forgets memories by id, or all that the flags describe
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Forget {
    /// The memories
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Searches for this, and forgets what you choose of what is found
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// How much of a topic is shown at most
    #[arg(long, value_name = "NUMBER", default_value_t = 20, requires = "topic")]
    limit: usize,
    /// Everything that came from this page, file, conversation or tool, in every scope of yours,
    /// and what was concluded from it
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Writes a receipt to this file; there must not be one yet
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    #[command(flatten)]
    filters: Filters,
}

/// What was forgotten, and where.
#[derive(Debug, Serialize)]
pub struct ForgetOutput {
    #[serde(flatten)]
    pub forgotten: DeleteOutput,
    pub scopes: Vec<ScopeOutput>,
}

impl Forget {
    pub async fn run(self, app: &App) -> Result<()> {
        if let Some(file) = &self.receipt {
            receipt::refuse_existing(file, app)?;
        }
        let (output, scopes) = self.forget(app).await?;
        if let (Some(file), Some(receipt)) = (&self.receipt, &output.forgotten.receipt) {
            receipt::write(file, receipt)?;
        }
        output.give(app, &scopes)
    }

    async fn forget(&self, app: &App) -> Result<(ForgetOutput, Vec<Scope>)> {
        let (ids, filters) = (!self.ids.is_empty(), !self.filters.is_empty());
        match (&self.topic, &self.source) {
            (Some(_), Some(_)) => Err(usage("give --topic or --source, not both")),
            (Some(_), None) if ids => Err(usage("give ids or --topic, not both")),
            (None, Some(_)) if ids || filters => {
                Err(usage("--source stands alone: it means everything from there"))
            }
            (Some(topic), None) => {
                let selection = self.filters.selection(app)?;
                let chosen = topic::choose(app, topic, selection, self.limit).await?;
                by_known_id(app, &chosen, ForgetReason::Topic).await
            }
            (None, Some(source)) => by_source(app, source).await,
            (None, None) => match (ids, filters) {
                (true, false) => by_id(app, &self.ids).await,
                (false, true) => by_description(app, &self.filters.selection(app)?).await,
                (true, true) => Err(usage("give ids or flags that describe memories, not both")),
                (false, false) => {
                    Err(usage("say what to forget: ids, or flags such as --kind, --tag or --until"))
                }
            },
        }
    }
}

async fn by_id(app: &App, ids: &[String]) -> Result<(ForgetOutput, Vec<Scope>)> {
    let (known, strange): (Vec<_>, Vec<_>) =
        ids.iter().partition(|id| crate::input::id(id).is_ok());
    let known = known.into_iter().map(|id| crate::input::id(id)).collect::<Result<Vec<_>>>()?;
    let (mut output, scopes) = by_known_id(app, &known, ForgetReason::Id).await?;
    output.forgotten.success &= strange.is_empty();
    output.forgotten.failed.extend(strange.into_iter().cloned());
    Ok((output, scopes))
}

async fn by_known_id(
    app: &App,
    ids: &[MemoryId],
    reason: ForgetReason,
) -> Result<(ForgetOutput, Vec<Scope>)> {
    let scopes = distinct(&app.home.store.get_outlines(app.caller.access(), ids).await?);
    let forgotten = app.engine.forget_chosen(&app.caller, ids, reason).await?;
    Ok((ForgetOutput::new(&forgotten, &scopes), scopes))
}

async fn by_description(app: &App, selection: &Selection) -> Result<(ForgetOutput, Vec<Scope>)> {
    let scopes = app.scopes(selection)?;
    let meant = app.engine.matching_outlines(&app.caller, selection).await?;
    let question = question(app, &meant, &scopes).await?;
    app.consent.ask(&question)?;
    let forgotten = app.engine.forget_matching(&app.caller, selection).await?;
    Ok((ForgetOutput::new(&forgotten, &scopes), scopes))
}

async fn by_source(app: &App, source: &str) -> Result<(ForgetOutput, Vec<Scope>)> {
    let memories = app.engine.from_source(&app.caller, source).await?;
    if memories.is_empty() {
        let message = "no memory came from there: give a whole address or name";
        return Err(Error::new(ErrorKind::NotFound, message).into());
    }
    let scopes = distinct(&memories);
    let question = question(app, &memories, &scopes).await?;
    app.consent.ask(&format!("{question} What was concluded from it goes as well."))?;
    let forgotten = app.engine.forget_source(&app.caller, source).await?;
    Ok((ForgetOutput::new(&forgotten, &scopes), scopes))
}

/// Says how many memories are meant, and shows the first of them.
async fn question(app: &App, memories: &[Memory], scopes: &[Scope]) -> Result<String> {
    let scopes = output::listed(scopes);
    if memories.is_empty() {
        let message = format!("no memory in {scopes} is like that");
        return Err(Error::new(ErrorKind::NotFound, message).into());
    }
    let first: Vec<MemoryId> = memories.iter().take(SHOWN).map(|one| one.id.clone()).collect();
    // If a shelf does not answer, ids have to do.
    let known = app.home.store.get(app.caller.access(), &first).await.unwrap_or_default();
    let line = |id: &MemoryId| {
        let memory = known.iter().find(|memory| memory.id == *id);
        let text = memory.map(|memory| present::beginning(memory.content.as_str()));
        format!("  {id}  {}", text.unwrap_or_default()).trim_end().to_owned()
    };
    let mut lines: Vec<String> = first.iter().map(line).collect();
    if memories.len() > SHOWN {
        lines.push(format!("  and {} more", memories.len() - SHOWN));
    }
    lines.push(format!("Forget {} in {scopes}?", present::memories(memories.len())));
    Ok(lines.join("\n"))
}

impl ForgetOutput {
    fn new(forgotten: &Forgotten, scopes: &[Scope]) -> Self {
        Self {
            forgotten: DeleteOutput::from(forgotten),
            scopes: scopes.iter().map(ScopeOutput::from).collect(),
        }
    }

    /// Gives the answer; it fails if something that was asked for is not there.
    fn give(self, app: &App, scopes: &[Scope]) -> Result<()> {
        let DeleteOutput { deleted, failed, .. } = &self.forgotten;
        app.output.answer(
            || &self,
            |page| {
                if *deleted > 0 {
                    let place = output::listed(scopes);
                    page.line(format!("forgot {} in {place}", present::memories(*deleted)));
                }
            },
        )?;
        if failed.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = failed.iter().take(SHOWN).map(|id| quoted(id)).collect();
        let more = if failed.len() > SHOWN { ", …" } else { "" };
        let message = format!("no memory {}{more}", shown.join(", "));
        Err(Error::new(ErrorKind::NotFound, message).into())
    }
}

/// Writes an id as the engine does where there is no memory of that id.
fn quoted(id: &str) -> String {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(48).collect();
    format!("{shown:?}")
}

fn distinct(memories: &[Memory]) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::new();
    for memory in memories {
        if !scopes.contains(&memory.scope) {
            scopes.push(memory.scope.clone());
        }
    }
    scopes
}

fn usage(advice: &str) -> anyhow::Error {
    Refusal::Usage(advice.to_owned()).into()
}
