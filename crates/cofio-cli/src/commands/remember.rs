//! Remembering: one text, or one per line.

mod bulk;
mod fields;

use anyhow::Result;
use clap::Args;
use cofio::engine::Remembered;
use cofio::model::{Draft, IdempotencyKey, Memory, State, Triple};
use cofio::wire::AddOutput;

use crate::app::App;
use crate::failure::Refusal;
use crate::input;
use crate::output::Page;
use crate::present;
use fields::Fields;

const EXAMPLES: &str = "\
Examples:
  cofio remember Alice drinks her tea black --tag tea
  git log -1 --format=%B | cofio remember - --layer project --kind episode
  cofio remember --fact uses cofio 'is written in' Rust --confidence 0.9
  cofio remember --jsonl --kind episode < turns.jsonl";

/// Remembers a text, unless it is known already
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Remember {
    /// The text; - reads it from standard input
    #[arg(value_name = "TEXT")]
    words: Vec<String>,
    /// A statement, in place of or beside the text
    #[arg(long, num_args = 4, value_names = ["TYPE", "SUBJECT", "PREDICATE", "OBJECT"])]
    fact: Vec<String>,
    /// Title, tags and so on as one JSON object; unknown names are custom fields
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Makes a repeated request return the first one's answer
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Reads one JSON object per line from standard input, such as {"content": "…", "role": "user"}
    #[arg(long, conflicts_with_all = ["words", "fact", "idempotency_key"])]
    jsonl: bool,
    #[command(flatten)]
    fields: Fields,
}

impl Remember {
    pub async fn run(self, app: &App) -> Result<()> {
        let scope = app.scope_to_write()?;
        let fields = self.fields()?;
        if self.jsonl {
            return bulk::run(app, scope, &fields).await;
        }
        let mut draft = fields.draft(self.content(app)?, scope, app)?;
        draft.idempotency_key = self.idempotency_key.map(IdempotencyKey::new).transpose()?;
        let mut remembered = app
            .asking(async |doubt| {
                let draft = Draft { doubt, ..draft.clone() };
                app.engine.remember(&app.caller, draft).await
            })
            .await?;
        if remembered.memory.state == State::Pending && app.consent.can_ask() {
            remembered.memory = confirmed(app, remembered.memory).await?;
        }
        app.output.answer(|| AddOutput::from(&remembered), |page| show(page, &remembered))?;
        Ok(())
    }

    fn fields(&self) -> Result<Fields> {
        let mut fields = self.fields.clone();
        if let Some(raw) = &self.metadata {
            fields.metadata = input::object("--metadata", raw)?;
        }
        if let [fact_type, subject, predicate, object] = &self.fact[..] {
            fields.fact = Some(Triple {
                fact_type: fact_type.clone(),
                subject: subject.clone(),
                predicate: predicate.clone(),
                object: object.clone(),
            });
        }
        Ok(fields)
    }

    fn content(&self, app: &App) -> Result<Option<String>> {
        if !self.words.is_empty() {
            let limit = app.engine.config().limits.content_bytes;
            return input::text(&self.words, limit).map(Some);
        }
        if self.fact.is_empty() {
            let advice = "give a text to remember, or - to read it from standard input";
            return Err(Refusal::Usage(advice.to_owned()).into());
        }
        Ok(None)
    }
}

/// Asks whoever is there whether a fact that waits is to be believed; it goes on waiting if not.
async fn confirmed(app: &App, memory: Memory) -> Result<Memory> {
    let text = memory.content.as_str();
    let question = format!("{text}\nIts source has {} trust. Confirm it?", memory.source.trust());
    if app.consent.ask(&question).is_err() {
        return Ok(memory);
    }
    Ok(app.engine.approve(&app.caller, &memory.id, text).await?)
}

fn show(page: &mut Page, remembered: &Remembered) {
    let memory = &remembered.memory;
    let became = if remembered.existing { "known already:" } else { "remembered" };
    page.line(format!("{became} {} in {}", memory.id, memory.scope));
    present::redactions(page, &remembered.redactions);
    if memory.state == State::Pending {
        let trust = memory.source.trust();
        page.aside(format!("it waits for review, as its source has {trust} trust: cofio review"));
    }
}
