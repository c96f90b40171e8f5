//! Forgetting, by id or by what memories are like.

use anyhow::Result;
use clap::Args;
use cofio::engine::Forgotten;
use cofio::model::{Memory, Scope};
use cofio::store::Store as _;
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
  cofio forget --tag draft --yes";

/// Forgets memories by id, or all that the flags describe
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Forget {
    /// The memories
    #[arg(value_name = "ID")]
    ids: Vec<String>,
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
        match (self.ids.is_empty(), self.filters.is_empty()) {
            (false, true) => by_id(app, &self.ids).await,
            (true, false) => by_description(app, &self.filters.selection(app)?).await,
            (false, false) => Err(usage("give ids or flags that describe memories, not both")),
            (true, true) => {
                Err(usage("say what to forget: ids, or flags such as --kind, --tag or --until"))
            }
        }
    }
}

async fn by_id(app: &App, ids: &[String]) -> Result<()> {
    let (known, strange): (Vec<_>, Vec<_>) =
        ids.iter().partition(|id| crate::input::id(id).is_ok());
    let known = known.into_iter().map(|id| crate::input::id(id)).collect::<Result<Vec<_>>>()?;
    let scopes = distinct(&app.store.get(app.caller.access(), &known).await?);
    let forgotten = app.engine.forget(&app.caller, &known).await?;
    let mut output = ForgetOutput::new(&forgotten, &scopes);
    output.forgotten.success &= strange.is_empty();
    output.forgotten.failed.extend(strange.into_iter().cloned());
    output.give(app, &scopes)
}

async fn by_description(app: &App, selection: &Selection) -> Result<()> {
    let scopes = app.scopes(selection)?;
    let question = question(&app.engine.matching(&app.caller, selection).await?, &scopes)?;
    app.consent.ask(&question)?;
    let forgotten = app.engine.forget_matching(&app.caller, selection).await?;
    ForgetOutput::new(&forgotten, &scopes).give(app, &scopes)
}

/// Says how many memories are meant, and shows the first of them.
fn question(memories: &[Memory], scopes: &[Scope]) -> Result<String> {
    let scopes = output::listed(scopes);
    if memories.is_empty() {
        let message = format!("no memory in {scopes} is like that");
        return Err(Error::new(ErrorKind::NotFound, message).into());
    }
    let mut lines: Vec<String> = memories
        .iter()
        .take(SHOWN)
        .map(|memory| format!("  {}  {}", memory.id, present::beginning(memory.content.as_str())))
        .collect();
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
