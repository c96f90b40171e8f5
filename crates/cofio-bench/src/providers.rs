//! Adding, reading and searching on every store that memories can be kept in, kind by kind.
//!
//! Each is asked by the engine as the command line has it, one after the other, and what it keeps is
//! removed at the end. Meanings are made up, as none of this measures a model.

mod cleaning;
pub mod contender;
mod meaning;
mod measure;
mod report;
mod tier;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use cofio::{Config, Engine};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::Timestamp;
use pollster::block_on;

use self::contender::{Addresses, Contender, Place};
use self::measure::{Figure, Trial};
use self::report::{Report, Run};
use self::tier::{People, TIERS};
use crate::machine::load_average;
use crate::texts::Texts;

pub use self::meaning::{DIMENSIONS, MadeUp, vector};
pub use self::report::shown;

/// How many memories are added, or embedded, together while a store is filled.
const FILLED_AT_ONCE: usize = 500;
const EMBEDDED_AT_ONCE: usize = 2_048;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// Which stores take part.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "sqlite,postgres,tiered,chroma"
    )]
    stores: Vec<Contender>,
    /// How many memories they hold when they are measured, in growing order.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000")]
    sizes: Vec<usize>,
    /// For how many seconds each thing is done again and again, though at least ten times.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// How often each thing is done at most.
    #[arg(long, default_value_t = 200)]
    times: usize,
    /// Print JSON in the place of tables.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    addresses: Addresses,
}

/// Measures every store at every size, and prints tables or JSON.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut report = Report {
        command: std::env::args().skip(1).collect::<Vec<_>>().join(" "),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        load_before: load_average(),
        runs: Vec::new(),
    };
    for &contender in &arguments.stores {
        let place = Place::open(contender, &arguments.addresses)?;
        let measured = measure(contender, &place, arguments);
        place.close()?;
        report.runs.extend(measured?);
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    for size in report.sizes() {
        println!("{}", report.overview(size));
    }
    println!("median (95 of 100 stay below); * is more than wanted");
    for run in report.runs.iter().filter(|run| run.memories == arguments.sizes[0]) {
        run.notes.iter().for_each(|note| println!("{}: {note}", run.store));
    }
    Ok(())
}

fn measure(contender: Contender, place: &Place, arguments: &Arguments) -> Result<Vec<Run>> {
    let engine = Engine::shared(Arc::clone(&place.store), Timestamp::now, Config::default());
    let engine = engine.with_embedder(Arc::new(MadeUp::new()?));
    let (begun, mut texts) = (engine.now(), Texts::new(1));
    let mut filled = TIERS.map(|_| Filled { memories: 0, half: begun });
    let mut runs = Vec::new();
    for &memories in &arguments.sizes {
        let filled_per_second = fill(&engine, contender, memories, &mut filled, &mut texts)?;
        let embedded_per_second = embed(&engine, contender, memories)?;
        runs.push(Run {
            store: contender,
            memories,
            notes: place.notes.clone(),
            filled_per_second,
            embedded_per_second,
            figures: figures(&engine, contender, place, &filled, arguments)?,
        });
    }
    Ok(runs)
}

/// How much there is of a kind.
#[derive(Clone, Copy)]
struct Filled {
    memories: usize,
    /// When half of them were there.
    half: Timestamp,
}

/// Adds memories of every kind until there are as many as there are to be, and returns how many that
/// were per second.
fn fill(
    engine: &Engine,
    contender: Contender,
    memories: usize,
    filled: &mut [Filled; TIERS.len()],
    texts: &mut Texts,
) -> Result<f64> {
    let missing = TIERS.iter().zip(filled.iter());
    let missing = missing.map(|(tier, had)| tier.share(memories) - had.memories);
    let progress = bar(missing.sum(), format!("{contender}: adding"))?;
    let (caller, begun, mut added) = (People::Asking.caller()?, Instant::now(), 0);
    for (tier, had) in TIERS.iter().zip(filled) {
        let wanted = tier.share(memories);
        while had.memories < wanted {
            let next = wanted.min(had.memories + FILLED_AT_ONCE);
            let drafts = (had.memories..next)
                .map(|number| tier.draft(People::Asking, texts, number))
                .collect::<Result<_>>()?;
            block_on(engine.remember_all(&caller, drafts))?;
            progress.inc((next - had.memories) as u64);
            added += next - had.memories;
            if had.memories < wanted / 2 {
                had.half = engine.now();
            }
            had.memories = next;
        }
    }
    progress.finish_and_clear();
    Ok(added as f64 / begun.elapsed().as_secs_f64())
}

/// Gives every memory its vector, and returns how many that were per second.
fn embed(engine: &Engine, contender: Contender, memories: usize) -> Result<f64> {
    let progress = bar(memories, format!("{contender}: vectors"))?;
    let (begun, mut done) = (Instant::now(), 0);
    loop {
        let embedded = block_on(engine.embed_pending(EMBEDDED_AT_ONCE))?;
        done += embedded.done;
        progress.inc(embedded.done as u64);
        if embedded.pending == 0 {
            break;
        }
    }
    progress.finish_and_clear();
    Ok(done as f64 / begun.elapsed().as_secs_f64())
}

fn figures(
    engine: &Engine,
    contender: Contender,
    place: &Place,
    filled: &[Filled; TIERS.len()],
    arguments: &Arguments,
) -> Result<Vec<Figure>> {
    let progress = ProgressBar::new_spinner()
        .with_style(ProgressStyle::with_template("{spinner} {prefix}: {msg}")?)
        .with_prefix(contender.to_string());
    let limits = (Duration::from_secs_f64(arguments.seconds), arguments.times);
    let halves = filled.map(|filled| filled.half);
    let memories = filled.iter().map(|filled| filled.memories).sum();
    let figures = Trial::new(engine, &place.store, &progress, limits, memories)?.figures(&halves);
    progress.finish_and_clear();
    figures
}

fn bar(count: usize, message: String) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    Ok(ProgressBar::new(count as u64).with_style(style).with_message(message))
}
