//! Making the vectors that memories wait for.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::engine::Embedded;
use cofio::model::Fingerprint;
use cofio::store::EmbeddingState;
use pollster::block_on;
use serde::Serialize;

use crate::app::App;
use crate::output::Page;
use crate::progress::Progress;
use crate::{failure, present};

/// How many memories are embedded at a time; what is done by then stays done.
const BATCH: usize = 64;

/// How long a command that has answered goes on to embed: enough for a batch on a slow machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes the vectors that memories wait for, so that they are found by meaning too
///
/// It can be interrupted at any time, and goes on where it stopped.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cofio embed")]
pub struct Embed {}

/// What was embedded.
#[derive(Debug, Serialize)]
struct EmbedOutput {
    /// The fingerprint of the model.
    model: String,
    /// How many memories got their vectors now.
    embedded: u64,
    /// How many have some in all.
    total: u64,
    /// How many have none yet.
    pending: u64,
    /// Why some of those could not be embedded.
    refused: Vec<Refused>,
    /// The models whose vectors were removed.
    retired: Vec<String>,
}

/// Memories that could not be embedded, for one reason.
#[derive(Debug, Serialize)]
pub struct Refused {
    memories: u64,
    why: String,
}

impl Refused {
    /// Returns all that could not be embedded in a store.
    pub fn all(state: &EmbeddingState) -> Vec<Self> {
        let refused = state.refused.iter();
        refused.map(|(why, memories)| Self { memories: *memories, why: why.clone() }).collect()
    }

    /// Says how many there are, and why.
    pub fn said(&self) -> String {
        let memories = present::count(self.memories, "memory", "memories");
        format!("{memories} cannot be embedded: {}", self.why)
    }
}

impl Embed {
    pub async fn run(self, app: &App) -> Result<()> {
        let model = app.embedder.required()?.fingerprint();
        let before = others(&app.engine.embedding_state().await?, model);
        let embedded = embed_all(app).await?;
        let state = app.engine.embedding_state().await?;
        let after = others(&state, model);
        let output = EmbedOutput {
            model: model.to_string(),
            embedded,
            total: state.embedded,
            pending: state.pending,
            refused: Refused::all(&state),
            retired: before.into_iter().filter(|model| !after.contains(model)).collect(),
        };
        app.output.answer(|| &output, |page| output.show(page))?;
        for refused in &output.refused {
            app.output.note(&refused.said());
        }
        if state.waiting() > 0 {
            let waiting = present::count(state.waiting(), "memory", "memories");
            app.output.note(&format!(
                "{waiting} left to somebody who began with them; they are free again in a few minutes"
            ));
        }
        Ok(())
    }
}

/// Embeds everything, removes the vectors of other models, and returns how many got theirs.
async fn embed_all(app: &App) -> Result<u64> {
    let mut done = 0;
    let mut retiring = u64::MAX;
    let mut progress = None;
    loop {
        let cannot = || format!("{} embedded, then", present::count(done, "memory", "memories"));
        let batch = app.engine.embed_pending(BATCH).await.with_context(cannot)?;
        done += batch.done as u64;
        if batch.done + batch.refused > 0 {
            let total = usize::try_from(done + batch.pending).unwrap_or(usize::MAX);
            progress.get_or_insert_with(|| Progress::of(total, "embedding")).at(done);
            continue;
        }
        let state = app.engine.embedding_state().await?;
        let left = state.retiring.iter().map(|(_, vectors)| vectors).sum();
        if state.waiting() > 0 || left == 0 || left >= retiring {
            return Ok(done);
        }
        retiring = left;
    }
}

/// Returns the other models that there are vectors of.
fn others(state: &EmbeddingState, model: &Fingerprint) -> Vec<String> {
    let used = state.model.iter().filter(|_| state.embedded > 0);
    let all = used.chain(state.retiring.iter().map(|(model, _)| model));
    all.filter(|other| *other != model).map(ToString::to_string).collect()
}

impl EmbedOutput {
    fn show(&self, page: &mut Page) {
        let memories = |number| present::count(number, "memory", "memories");
        if self.embedded == 0 && self.pending == 0 {
            page.line(format!("nothing waits: {} embedded", memories(self.total)));
        } else {
            page.line(format!("embedded {}", memories(self.embedded)));
        }
        page.aside(format!("model    {}", self.model));
        for model in &self.retired {
            page.aside(format!("removed  the vectors of {model}"));
        }
    }
}

/// Embeds some of what waits after a command has answered; what fails is only a note.
pub async fn some(app: &App) {
    let Some(embedder) = app.embedder.ready() else { return };
    let model = embedder.fingerprint();
    // Everything has to be embedded anew with another model, which nobody asked for in passing.
    match app.engine.embedding_state().await {
        Ok(EmbeddingState { model: Some(used), .. }) if used != *model => app.output.note(&format!(
            "not embedded, as the vectors here are of {used}: cofio embed changes all to {model}"
        )),
        Ok(_) => note_failure(app, within_patience(app)),
        Err(error) => note_failure(app, Err(failure::message(&error.into()))),
    }
}

/// Embeds some memories, and leaves them to later if that takes long.
fn within_patience(app: &App) -> Result<(), String> {
    let engine = app.engine.clone();
    let (answer, answers) = mpsc::channel();
    thread::spawn(move || answer.send(block_on(engine.embed_pending(BATCH))));
    match answers.recv_timeout(PATIENCE) {
        Ok(Ok(Embedded { refused: 0, .. })) => Ok(()),
        Ok(Ok(_)) => Err("cofio doctor says what is wrong".to_owned()),
        Ok(Err(error)) => Err(failure::message(&error.into())),
        Err(_) => Err("the embedder takes its time".to_owned()),
    }
}

fn note_failure(app: &App, outcome: Result<(), String>) {
    if let Err(why) = outcome {
        app.output.note(&format!("not embedded yet (cofio embed tries again): {why}"));
    }
}
