//! Stores at a few sizes: how large they are, and how long they take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use cofio::model::{Caller, Draft, Identifier, Identifiers, Layer};
use cofio::{Config, Engine, Query, Selection};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::Timestamp;
use pollster::block_on;
use serde::Serialize;

use crate::filled::draft;
use crate::machine::{percentile, resident_megabytes};
use crate::providers::MadeUp;
use crate::providers::contender::{Contender, Place};
use crate::texts::Texts;

/// How many memories everybody has but the one who has as many as all others together.
pub const SMALL: usize = 100;

/// How many memories are added, or embedded, together.
const ADDED_AT_ONCE: usize = 500;
const EMBEDDED_AT_ONCE: usize = 2_048;

/// How many searches are timed at most, and for how long.
const SEARCHES: usize = 100;
const PATIENCE: Duration = Duration::from_secs(10);

/// A store at one size.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    pub store: Contender,
    pub memories: usize,
    pub bytes: f64,
    /// What is to be in memory if searches are to be fast: the indexes of PostgreSQL, or what this
    /// process has with an SQLite file.
    pub hot_bytes: f64,
    /// Adding one with its vector, while the store was filled.
    pub fill_ms: f64,
    /// A search of somebody who has few.
    pub small_ms: f64,
    /// A search of somebody who has half of all.
    pub large_ms: f64,
}

/// Measures a store at every size.
pub fn measured(contender: Contender, place: &Place, sizes: &[usize]) -> Result<Vec<Point>> {
    let engine = Engine::shared(Arc::clone(&place.store), Timestamp::now, Config::default());
    let engine = engine.with_embedder(Arc::new(MadeUp::new()?));
    let (mut texts, mut kept, mut points) = (Texts::new(1), 0, Vec::new());
    for &memories in sizes {
        let begun = Instant::now();
        fill(&engine, contender, &mut texts, kept, memories)?;
        let fill_ms = begun.elapsed().as_secs_f64() * 1e3 / (memories - kept) as f64;
        kept = memories;
        let small_ms = search(&engine, &mut texts, |number| small(number * 13 % (memories / 2)))?;
        let large_ms = search(&engine, &mut texts, |_| LARGE.to_owned())?;
        let (bytes, indexes) = place.bytes()?;
        let resident = resident_megabytes().unwrap_or(f64::NAN) * 1024.0 * 1024.0;
        let hot_bytes = indexes.unwrap_or(resident);
        points.push(Point {
            store: contender,
            memories,
            bytes,
            hot_bytes,
            fill_ms,
            small_ms,
            large_ms,
        });
    }
    Ok(points)
}

const LARGE: &str = "large";

fn small(number: usize) -> String {
    format!("small-{}", number / SMALL)
}

/// Adds memories, each second one to the large scope, and gives them vectors.
fn fill(
    engine: &Engine,
    contender: Contender,
    texts: &mut Texts,
    from: usize,
    to: usize,
) -> Result<()> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    let progress = ProgressBar::new(2 * (to - from) as u64).with_style(style);
    progress.set_message(format!("{contender}: {to} memories"));
    let keeper = Caller::keeper(Identifier::new("keeper")?);
    for first in (from..to).step_by(ADDED_AT_ONCE) {
        let numbers = first..to.min(first + ADDED_AT_ONCE);
        progress.inc(numbers.len() as u64);
        let own = |number: usize| -> Result<Draft> {
            let user = if number.is_multiple_of(2) { LARGE.to_owned() } else { small(number / 2) };
            Ok(draft(&Identifier::new(&user)?, texts.note()))
        };
        let drafts = numbers.map(own).collect::<Result<_>>()?;
        block_on(engine.remember_all(&keeper, drafts))?;
    }
    loop {
        let embedded = block_on(engine.embed_pending(EMBEDDED_AT_ONCE))?;
        progress.inc(embedded.done as u64);
        if embedded.pending == 0 {
            break;
        }
    }
    progress.finish_and_clear();
    Ok(())
}

/// Returns the median of searches by everything that is known.
fn search(
    engine: &Engine,
    texts: &mut Texts,
    mut user: impl FnMut(usize) -> String,
) -> Result<f64> {
    let (begun, mut samples) = (Instant::now(), Vec::new());
    while samples.len() < SEARCHES && begun.elapsed() < PATIENCE {
        let user = Identifier::new(&user(samples.len()))?;
        let caller = Caller::local(user.clone());
        let selection = Selection::new(Identifiers::default().with(Layer::User, user));
        let query = Query::new(selection, texts.question());
        let asked = Instant::now();
        block_on(engine.search(&caller, &query))?;
        samples.push(asked.elapsed().as_secs_f64() * 1e3);
        block_on(engine.settle())?;
    }
    Ok(percentile(&mut samples, 0.5))
}
