//! How much of what answers a question is among the first hits.

pub mod dataset;
pub mod embedder;

mod conversation;
mod metrics;
mod report;
mod time;

pub use time::moment;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use cofio::model::{Caller, Identifiers, Layer};
use cofio::retrieval::{self, Fusion};
use cofio::store::SqliteStore;
use cofio::{Engine, Mode, Query, Selection};
use indicatif::{ProgressBar, ProgressStyle};
use pollster::block_on;

use crate::machine::{peak_megabytes, percentile, resident_megabytes};
use conversation::{Altered, Conversation, cut};
use dataset::{Dataset, Question};
use embedder::Model;
use report::{Contents, Judged, Report, Settings, Skipped, Speed};

/// How many hits are asked for: as many as the deepest figure looks at.
const LIMIT: usize = 50;

/// How many memories are embedded between two steps of the progress bar.
const EMBEDDED_AT_ONCE: usize = 256;

/// What to measure, and on what.
#[derive(clap::Args)]
pub struct Arguments {
    /// One JSON object per namespace and line; may end in `.gz`.
    file: PathBuf,
    #[command(flatten)]
    how: How,
}

/// How questions are answered.
#[derive(clap::Args)]
pub struct How {
    /// What makes the vectors.
    #[arg(long, value_enum, default_value_t = Model::Minilm)]
    pub embedder: Model,
    /// How the evidence is put together.
    #[arg(long, value_enum, default_value_t = FusionName::Weighted)]
    pub fusion: FusionName,
    /// By which evidence memories are found.
    #[arg(long, value_enum, default_value_t = ModeName::Hybrid)]
    pub mode: ModeName,
    /// The compact file of the model, instead of the one below `target/models`.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
}

/// How the evidence is put together.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FusionName {
    /// By the table of weights.
    Weighted,
    /// By ranks alone.
    Rrf,
}

/// By which evidence memories are found.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ModeName {
    /// All there is.
    Hybrid,
    /// Vectors alone.
    Semantic,
    /// Words alone.
    Keyword,
}

/// Measures one way of answering on one file, and prints JSON.
pub fn run(arguments: &Arguments) -> Result<()> {
    let report = measure(&arguments.file, &arguments.how)?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

fn measure(file: &Path, how: &How) -> Result<Report> {
    let dataset = Dataset::open(file)?;
    let embedder = embedder::open(how.embedder, how.model.as_deref())?;
    let fingerprint = embedder.as_ref().map(|embedder| embedder.fingerprint().to_string());
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(&folder.path().join("cofio.db"))?;
    let mut engine = Engine::new(store, jiff::Timestamp::now);
    if let Some(embedder) = embedder {
        engine = engine.with_embedder(embedder);
    }

    let mut altered = Altered::default();
    let begun = Instant::now();
    let conversations = ingest(&engine, &dataset, &mut altered)?;
    let acknowledged = begun.elapsed().as_secs_f64();
    if fingerprint.is_some() {
        embed(&engine, dataset.messages)?;
    }
    let embedded = begun.elapsed().as_secs_f64();

    let mut asked = Asked::default();
    ask_all(&engine, &dataset, &conversations, how, &mut asked, &mut altered)?;
    let (message, session) = asked.judged.levels();
    Ok(Report {
        command: command(file, how),
        settings: Settings {
            embedder: fingerprint.clone().unwrap_or_else(|| "none".to_owned()),
            fusion: name(&how.fusion),
            mode: name(&how.mode),
            threshold: how.mode.threshold(),
            limit: LIMIT,
            weights_hash: retrieval::weights_hash(),
        },
        dataset: Contents {
            file: file.display().to_string(),
            namespaces: dataset.namespaces,
            messages: dataset.messages,
            questions: dataset.questions,
            asked: message.overall.count,
            skipped: asked.skipped,
            evidence_partly_unknown: asked.partly_unknown,
            altered,
        },
        message,
        session,
        speed: Speed {
            ingest_acknowledged_per_second: dataset.messages as f64 / acknowledged,
            ingest_embedded_per_second: fingerprint.map(|_| dataset.messages as f64 / embedded),
            query_p50_ms: percentile(&mut asked.milliseconds, 0.5),
            query_p95_ms: percentile(&mut asked.milliseconds, 0.95),
            resident_megabytes: resident_megabytes(),
            peak_resident_megabytes: peak_megabytes(),
        },
    })
}

fn ingest(engine: &Engine, dataset: &Dataset, altered: &mut Altered) -> Result<Vec<Conversation>> {
    let progress = progress("remembering", dataset.messages)?;
    let conversations = dataset
        .namespaces()?
        .map(|namespace| {
            Conversation::remember(engine, &namespace?, altered, |count| progress.inc(count as u64))
        })
        .collect();
    progress.finish_and_clear();
    conversations
}

fn embed(engine: &Engine, messages: usize) -> Result<()> {
    let progress = progress("embedding", messages)?;
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

/// What asking the questions told.
#[derive(Default)]
struct Asked {
    judged: Judged,
    milliseconds: Vec<f64>,
    skipped: Skipped,
    partly_unknown: usize,
}

fn ask_all(
    engine: &Engine,
    dataset: &Dataset,
    conversations: &[Conversation],
    how: &How,
    asked: &mut Asked,
    altered: &mut Altered,
) -> Result<()> {
    let progress = progress("asking", dataset.questions)?;
    for (namespace, conversation) in dataset.namespaces()?.zip(conversations) {
        for question in &namespace?.questions {
            let evidence: HashSet<usize> =
                question.evidence.iter().filter_map(|id| conversation.message(id)).collect();
            let unknown = question.evidence.iter().any(|id| conversation.message(id).is_none());
            match (question.evidence.is_empty(), evidence.is_empty()) {
                (true, _) => asked.skipped.no_evidence += 1,
                (false, true) => asked.skipped.evidence_unknown += 1,
                (false, false) => {
                    asked.partly_unknown += usize::from(unknown);
                    let (found, milliseconds) = ask(engine, conversation, question, how, altered)?;
                    let category = question.category.as_deref();
                    asked.judged.add(category, &found, &evidence, conversation);
                    asked.milliseconds.push(milliseconds);
                }
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok(())
}

/// Returns the places of the messages found, best first, and how long it took.
fn ask(
    engine: &Engine,
    conversation: &Conversation,
    question: &Question,
    how: &How,
    altered: &mut Altered,
) -> Result<(Vec<usize>, f64)> {
    let text = cut(&question.text, engine.config().limits.query_bytes);
    altered.questions_cut += usize::from(text.len() < question.text.len());
    let user = conversation.user.clone();
    let selection = Selection::new(Identifiers::default().with(Layer::User, user.clone()));
    let query = Query {
        mode: how.mode.into(),
        fusion: how.fusion.into(),
        reference_time: question.time,
        threshold: how.mode.threshold(),
        limit: LIMIT,
        ..Query::new(selection, text)
    };
    let caller = Caller::local(user);
    let begun = Instant::now();
    let answer = block_on(engine.search(&caller, &query))
        .with_context(|| format!("question {:?}", question.id))?;
    let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    // Recording the reading is not part of the answer.
    block_on(engine.settle())?;
    let found = answer.hits.iter().filter_map(|hit| conversation.origin(&hit.memory.id)).collect();
    Ok((found, milliseconds))
}

fn command(file: &Path, how: &How) -> String {
    format!(
        "cargo run --release -p cofio-bench -- recall {} --embedder {} --fusion {} --mode {}",
        file.display(),
        name(&how.embedder),
        name(&how.fusion),
        name(&how.mode),
    )
}

/// Returns what a value is called on the command line.
pub fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn progress(what: &'static str, count: usize) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    Ok(ProgressBar::new(count as u64).with_style(style).with_message(what))
}

impl ModeName {
    /// Returns the cosine below which nothing is found.
    ///
    /// By vectors alone it is the order that is measured, so everything may be in it; otherwise
    /// the engine decides.
    fn threshold(self) -> Option<f64> {
        matches!(self, Self::Semantic).then_some(-1.0)
    }
}

impl From<FusionName> for Fusion {
    fn from(name: FusionName) -> Self {
        match name {
            FusionName::Weighted => Self::Weighted,
            FusionName::Rrf => Self::Rrf,
        }
    }
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Hybrid => Self::Hybrid,
            ModeName::Semantic => Self::Semantic,
            ModeName::Keyword => Self::Keyword,
        }
    }
}
