//! Stores with many notes in them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use cofio::Engine;
use cofio::model::{Caller, Channel, Draft, Identifier, Kind, Scope, Source};
use cofio::store::SqliteStore;
use indicatif::{ProgressBar, ProgressStyle};
use pollster::block_on;

use crate::recall::embedder::{self, Model};
use crate::texts::Texts;

/// How many memories are inserted together.
const BATCH: usize = 100;

/// How many texts there are in a store with vectors, for each of which one has to be made.
const EMBEDDED_TEXTS: usize = 4_096;

/// How many memories are embedded before the queue is looked at again.
const EMBEDDED_AT_ONCE: usize = 1_024;

/// Returns where the store is in the folder of an installation.
pub fn store_in(home: &Path) -> PathBuf {
    home.join("cofio.db")
}

/// Fills the folder of an installation with a store, and with the model if memories are to be
/// embedded; then they have words of their own, but share their meanings.
pub fn filled_home(home: &Path, memories: usize, scopes: usize, embedded: bool) -> Result<Engine> {
    let engine = Engine::new(SqliteStore::open(&store_in(home))?, jiff::Timestamp::now);
    if !embedded {
        fill(&engine, &mut Texts::new(1), memories, scopes)?;
        return Ok(engine);
    }
    fill_with(&engine, memories, scopes, sharing_meanings())?;
    let model = home.join("models/all-MiniLM-L6-v2.cofio");
    std::fs::create_dir_all(model.parent().context("a file is in a folder")?)?;
    std::fs::copy(embedder::compact_file(None)?, &model)?;
    let embedder = embedder::open(Model::Minilm, Some(&model))?;
    let engine = engine.with_embedder(embedder.context("a model is needed")?);
    while block_on(engine.embed_pending(EMBEDDED_AT_ONCE))?.pending > 0 {}
    Ok(engine)
}

/// Makes notes with a title of their own and one of a few texts, which alone has a meaning.
fn sharing_meanings() -> impl FnMut(&Identifier) -> Draft {
    let mut texts = Texts::new(1);
    let shared: Vec<String> = (0..EMBEDDED_TEXTS).map(|_| texts.note()).collect();
    let mut number = 0;
    move |user| {
        let mut draft = draft(user, shared[number % EMBEDDED_TEXTS].clone());
        draft.metadata.title = Some(texts.note());
        draft.key = Some(format!("note {number}"));
        number += 1;
        draft
    }
}

/// Remembers notes, batch by batch for one user after the other, and returns how many a second.
pub fn fill(engine: &Engine, texts: &mut Texts, memories: usize, scopes: usize) -> Result<f64> {
    fill_with(engine, memories, scopes, |user| draft(user, texts.note()))
}

/// The same with whatever is to be remembered of a user.
pub fn fill_with(
    engine: &Engine,
    memories: usize,
    scopes: usize,
    mut draft: impl FnMut(&Identifier) -> Draft,
) -> Result<f64> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    let progress = ProgressBar::new(memories as u64).with_style(style);
    progress.set_message(format!("{memories} memories, {scopes} scopes"));
    let begun = Instant::now();
    for batch in 0..memories.div_ceil(BATCH) {
        let user = user(batch % scopes)?;
        let count = BATCH.min(memories - batch * BATCH);
        let drafts = (0..count).map(|_| draft(&user)).collect();
        block_on(engine.remember_all(&Caller::local(user), drafts))?;
        progress.inc(count as u64);
    }
    progress.finish_and_clear();
    Ok(memories as f64 / begun.elapsed().as_secs_f64())
}

/// Makes a note of a user's.
pub fn draft(user: &Identifier, note: String) -> Draft {
    Draft::new(Scope::user(user.clone()), Kind::Fact, note, Source::through(Channel::ExplicitSave))
}

/// Returns a user by number.
pub fn user(number: usize) -> Result<Identifier> {
    Ok(Identifier::new(&format!("user-{number}"))?)
}
