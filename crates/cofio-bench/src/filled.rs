//! Stores with many notes in them.

use std::time::Instant;

use anyhow::Result;
use cofio::Engine;
use cofio::model::{Caller, Channel, Draft, Identifier, Kind, Scope, Source};
use indicatif::{ProgressBar, ProgressStyle};
use pollster::block_on;

use crate::texts::Texts;

/// How many memories are inserted together.
const BATCH: usize = 100;

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
