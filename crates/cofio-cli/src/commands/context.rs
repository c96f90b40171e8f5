//! A block for a prompt, and values by key.

use anyhow::Result;
use clap::{Args, Subcommand};
use cofio::engine::ContextRequest;
use cofio::model::{Channel, Layer, Memory, Scope, Source};
use cofio::retrieval::ContextBlock;
use cofio::wire::{MemoryEntry, RedactionOutput, ScopeOutput};
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::{input, output, present};

const EXAMPLES: &str = "\
Examples:
  cofio context 'plan the release' --episodes 3 --session today
  cofio context set branch feature/tea
  cofio context get branch";

/// Writes a block of markdown for a prompt, or keeps values by key for the day
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, subcommand_negates_reqs = true)]
pub struct Context {
    /// What the prompt is about
    #[arg(value_name = "QUERY", required = true)]
    words: Vec<String>,
    /// How many tokens at most
    #[arg(long, value_name = "NUMBER", default_value_t = 4_000, allow_negative_numbers = true)]
    tokens: usize,
    /// How many facts at most
    #[arg(long, value_name = "NUMBER", default_value_t = 5, allow_negative_numbers = true)]
    facts: usize,
    /// How many episodes at most
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true)]
    episodes: usize,
    #[command(subcommand)]
    value: Option<Value>,
}

/// What to do with a value by key.
#[derive(Debug, Subcommand)]
enum Value {
    /// Keeps a value under a key until the end of the day
    #[command(after_help = "Example:\n  cofio context set branch feature/tea")]
    Set {
        key: String,
        /// The value; - reads it from standard input
        #[arg(required = true)]
        value: Vec<String>,
    },
    /// Shows the value under a key
    #[command(after_help = "Example:\n  cofio context get branch")]
    Get { key: String },
}

/// A block and what went into it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextOutput {
    markdown: String,
    /// The part that stays the same through a conversation.
    stable: String,
    /// The part that this prompt calls for.
    delta: String,
    memories: Vec<String>,
    tokens: usize,
    left_out: usize,
    scopes: Vec<ScopeOutput>,
}

/// A value that was kept, and what was taken out of it.
#[derive(Debug, Serialize)]
struct KeptOutput {
    #[serde(flatten)]
    memory: MemoryEntry,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redactions: Vec<RedactionOutput>,
}

impl Context {
    /// Returns whether this keeps a value.
    pub fn writes(&self) -> bool {
        matches!(self.value, Some(Value::Set { .. }))
    }

    pub async fn run(self, app: &App) -> Result<()> {
        match self.value {
            None => self.block(app).await,
            Some(Value::Set { key, value }) => set(app, &key, &value).await,
            Some(Value::Get { key }) => get(app, &key).await,
        }
    }

    async fn block(&self, app: &App) -> Result<()> {
        let selection = app.selection();
        let scopes = app.scopes(&selection)?;
        let request = ContextRequest {
            facts: self.facts,
            episodes: self.episodes,
            tokens: self.tokens,
            session: selection.identifiers.get(Layer::Session).cloned(),
            ..ContextRequest::new(selection, self.words.join(" "))
        };
        let block = app.engine.context(&app.caller, &request).await?;
        app.output.answer(
            || ContextOutput::new(&block, &scopes),
            |page| {
                if !block.memories.is_empty() {
                    page.line(block.markdown().trim_end());
                }
            },
        )?;
        if block.memories.is_empty() && block.left_out > 0 {
            app.output.note("what was found has more tokens than --tokens allows");
        } else if block.memories.is_empty() {
            app.output.note(&format!("nothing to add from {}", output::listed(&scopes)));
        } else {
            app.output.note_scopes(&scopes);
        }
        Ok(())
    }
}

impl ContextOutput {
    fn new(block: &ContextBlock, scopes: &[Scope]) -> Self {
        Self {
            markdown: block.markdown(),
            stable: block.stable.clone(),
            delta: block.delta.clone(),
            memories: block.memories.iter().map(ToString::to_string).collect(),
            tokens: block.tokens,
            left_out: block.left_out,
            scopes: scopes.iter().map(ScopeOutput::from).collect(),
        }
    }
}

async fn set(app: &App, key: &str, value: &[String]) -> Result<()> {
    let scope = app.scope_to_write()?;
    let value = input::text(value, app.engine.config().limits.content_bytes)?;
    if value.trim().is_empty() {
        return Err(Refusal::Usage("give a value to keep".to_owned()).into());
    }
    let mut source = Source::through(Channel::ExplicitSave);
    source.session = app.settings.identifiers().get(Layer::Session).cloned();
    let kept = app.engine.set_context(&app.caller, scope, key, &value, source).await?;
    let memory = &kept.memory;
    app.output.answer(
        || KeptOutput {
            memory: MemoryEntry::from(memory),
            redactions: kept.redactions.iter().map(RedactionOutput::from).collect(),
        },
        |page| {
            page.line(format!("kept {} in {}", memory.id, memory.scope));
            present::redactions(page, &kept.redactions);
        },
    )?;
    Ok(())
}

async fn get(app: &App, key: &str) -> Result<()> {
    let memory: Memory = app.engine.get_context(&app.caller, app.selection(), key).await?;
    app.output.answer(|| MemoryEntry::from(&memory), |page| page.line(memory.content.as_str()))?;
    app.output.note_scopes(std::slice::from_ref(&memory.scope));
    Ok(())
}
