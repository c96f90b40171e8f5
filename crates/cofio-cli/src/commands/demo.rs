//! A small conversation, remembered and searched in a store that is thrown away.

mod conversation;

use std::path::Path;

use anyhow::{Context as _, Result};
use cofio::engine::Remembered;
use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Scope, Source, Timestamp,
};
use cofio::retrieval::Answer;
use cofio::store::SqliteStore;
use cofio::wire::{AddOutput, SearchOutput};
use cofio::{Engine, Query, Selection};
use jiff::tz::TimeZone;
use serde::Serialize;

use super::search;
use crate::app;
use crate::arguments::Globals;
use crate::output::{Output, Page, shown};
use crate::present;
use conversation::{QUESTIONS, TURNS, Turn};

/// How many hits each question shows.
const HITS: usize = 2;

/// Everything the demo has to show.
#[derive(Debug, Serialize)]
struct DemoOutput {
    remembered: Vec<AddOutput>,
    searches: Vec<QuestionOutput>,
    store: String,
}

/// A question and its answer.
#[derive(Debug, Serialize)]
struct QuestionOutput {
    query: &'static str,
    #[serde(flatten)]
    answer: SearchOutput,
}

/// Remembers the conversation, asks about it, and says where memories would live.
pub async fn run(globals: &Globals) -> Result<()> {
    let settings = app::settings(globals)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let store = SqliteStore::open(&folder.path().join("demo.db"))?;
    let demo = Demo::new(Engine::new(store, Timestamp::now))?;
    let remembered = demo.remember().await?;
    let answers = demo.ask().await?;
    let output = Output::new(globals.form(), settings.color());
    output.answer(
        || demo_output(&remembered, &answers, settings.store()),
        |page| show(page, &remembered, &answers, settings.store()),
    )?;
    Ok(())
}

/// An engine for one person and one conversation.
struct Demo {
    engine: Engine,
    caller: Caller,
    identifiers: Identifiers,
}

impl Demo {
    fn new(engine: Engine) -> Result<Self> {
        let nora = Identifier::new("nora")?;
        let identifiers = Identifiers::default()
            .with(Layer::User, nora.clone())
            .with(Layer::Session, Identifier::new("lighthouse")?);
        Ok(Self { engine, caller: Caller::local(nora), identifiers })
    }

    async fn remember(&self) -> Result<Vec<Remembered>> {
        let drafts = TURNS.iter().map(|turn| self.draft(turn)).collect::<Result<_>>()?;
        Ok(self.engine.remember_all(&self.caller, drafts).await?)
    }

    /// What was said belongs to the conversation; what is so belongs to the person.
    fn draft(&self, turn: &Turn) -> Result<Draft> {
        let layer = if turn.kind == Kind::Episode { Layer::Session } else { Layer::User };
        let own = turn.speaker == "Nora";
        let channel = if own { Channel::OwnerMessage } else { Channel::OtherMessage };
        let mut source = Source::through(channel);
        source.session = self.identifiers.get(Layer::Session).cloned();
        let scope = Scope::new(layer, &self.identifiers)?;
        let mut draft = Draft::new(scope, turn.kind, turn.text, source);
        draft.metadata.author = Some(turn.speaker.to_owned());
        Ok(draft)
    }

    async fn ask(&self) -> Result<Vec<Answer>> {
        let mut answers = Vec::new();
        for question in QUESTIONS {
            let selection = Selection::new(self.identifiers.clone());
            let query = Query { limit: HITS, ..Query::new(selection, *question) };
            answers.push(self.engine.search(&self.caller, &query).await?);
        }
        Ok(answers)
    }
}

fn demo_output(remembered: &[Remembered], answers: &[Answer], store: &Path) -> DemoOutput {
    let question = |(&query, answer)| QuestionOutput { query, answer: SearchOutput::from(answer) };
    DemoOutput {
        remembered: remembered.iter().map(AddOutput::from).collect(),
        searches: QUESTIONS.iter().zip(answers).map(question).collect(),
        store: shown(store),
    }
}

fn show(page: &mut Page, remembered: &[Remembered], answers: &[Answer], store: &Path) {
    page.strong("Nora and Tomás are about to open a library in a lighthouse.");
    for (turn, one) in TURNS.iter().zip(remembered) {
        page.line(format!("{:>6}: {}", turn.speaker, one.memory.content.as_str()));
    }
    page.gap();
    let secrets: usize = remembered.iter().map(|one| one.redactions.len()).sum();
    page.line(format!(
        "{} are in a store that is gone when this ends; {} was taken out.",
        present::memories(remembered.len()),
        present::count(secrets as u64, "secret", "secrets"),
    ));
    for (question, answer) in QUESTIONS.iter().zip(answers) {
        page.gap();
        page.strong(format!("$ cofio search --explain {question:?}"));
        search::show(page, answer, true, &TimeZone::UTC);
    }
    page.gap();
    page.line(format!("Your own memories would live in {}", store.display()));
    page.line("Begin with: cofio remember 'the spare key is under the blue flowerpot'");
}
