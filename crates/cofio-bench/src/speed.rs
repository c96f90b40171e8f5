//! Ingest and search beside `ChromaDB`, as it comes and with sentence-transformers, and beside
//! SQLite's FTS5 with sqlite-vec.
//!
//! Everyone has the same texts, the same weights of all-MiniLM-L6-v2, and the machine to itself.

mod cofio;
mod environment;
mod figures;
mod sentences;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::locomo;
use crate::machine::load_average;
use crate::recall::embedder;
use crate::table::table;
use figures::{Figures, Percentiles, Ratios, Work, agreement};
use sentences::Sentences;

pub use cofio::{Arguments as ProbeArguments, probe};

/// How many texts are added at once.
const BATCH: usize = 100;

/// How many texts are added one by one.
const SINGLES: usize = 50;

/// How many queries are asked before anything is timed.
const WARM_UP: usize = 20;

/// What must be known to judge the comparison.
const NOTES: [&str; 8] = [
    "each contender runs in a process of its own, one after another; opening the model is not timed",
    "cofio acknowledges when a text is durable (WAL, synchronous=FULL, one commit per batch) and found by its words; its vector follows, and `embedded` counts until the last one is there",
    "chroma_default is a collection made without saying what embeds: onnxruntime, the model opened with every call and every text padded to 256 tokens, as chromadb does it; its weights are exported here from the published ones, since its own file is a download, and their vectors are checked against sentence-transformers; chroma is the same with sentence-transformers (torch), which keeps the model open and pads no further than the longest text of a batch",
    "chroma acknowledges after embedding and a durable commit to the log in its SQLite file (rollback journal, fsync); its vector index is written from time to time and completed from the log",
    "FTS5 + sqlite-vec acknowledges after embedding and a durable commit (WAL, synchronous=FULL); its vector search is exact and goes through every vector",
    "`search` has the query's vector at hand; chroma answers by vectors alone, cofio and FTS5 + sqlite-vec also by words, and cofio by all its other signals with the reasons for each hit",
    "all return the text of ten hits; cofio also records that they were read, after it has answered",
    "`agreement` is the share of the exact ten nearest, as sqlite-vec finds them, that a contender finds by vectors alone",
];

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many texts are added in batches.
    #[arg(long, default_value_t = 10_000)]
    texts: usize,
    /// How many queries are timed.
    #[arg(long, default_value_t = 200)]
    queries: usize,
    /// Take turns and questions from this file of LoCoMo first, and make up only the rest.
    #[arg(long, value_name = "FILE")]
    texts_from: Option<PathBuf>,
    /// A Python that has everything, instead of the one installed below `target/bench`.
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// The compact file of the model, instead of the one below `target/models`.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    command: String,
    texts: usize,
    queries: usize,
    batch: usize,
    processors: usize,
    /// How busy the machine was before each contender began; above 0.5 something else ran.
    load_before: BTreeMap<&'static str, Option<f64>>,
    contenders: BTreeMap<&'static str, Figures>,
    /// Cofio against each other one; more than 1 is in Cofio's favour.
    ratios: BTreeMap<&'static str, Ratios>,
    agreement: BTreeMap<&'static str, f64>,
    notes: [&'static str; NOTES.len()],
}

/// Measures every contender, and prints JSON on stdout and a table on stderr.
pub fn run(arguments: &Arguments) -> Result<()> {
    let model = embedder::compact_file(arguments.model.as_deref())?;
    let python = arguments.python.clone().map_or_else(environment::interpreter, Ok)?;
    let work = work(arguments)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("work.json");
    std::fs::write(&file, serde_json::to_vec(&work)?)?;

    let mut ours = Command::new(std::env::current_exe()?);
    ours.arg("speed-probe");
    let other = |script: &str| {
        let mut command = Command::new(&python);
        command.arg(environment::scripts().join(script));
        command
    };
    let exported = environment::exported_model(&python)?;
    let commands = [
        ("cofio", ours, &model),
        ("chroma_default", other("contender_chroma_default.py"), &exported),
        ("chroma", other("contender_chroma.py"), &model),
        ("fts5_sqlite_vec", other("contender_sqlite.py"), &model),
    ];
    let mut load_before = BTreeMap::new();
    let mut contenders = BTreeMap::new();
    for (name, command, model) in commands {
        eprintln!("{name}");
        load_before.insert(name, load_average());
        let own = folder.path().join(name);
        std::fs::create_dir(&own)?;
        contenders.insert(name, compete(name, command, &file, &own, model)?);
    }
    check_weights(&contenders)?;
    let report = report(arguments, &work, load_before, contenders);
    eprint!("{}", overview(&report));
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

fn work(arguments: &Arguments) -> Result<Work> {
    let (mut texts, mut queries) = match &arguments.texts_from {
        Some(file) => locomo::texts(file)?,
        None => (Vec::new(), Vec::new()),
    };
    let mut seen = HashSet::new();
    texts.retain(|text| !text.trim().is_empty() && seen.insert(text.clone()));
    texts.truncate(arguments.texts);
    queries.truncate(arguments.queries);
    let mut sentences = Sentences::new(1, seen);
    while texts.len() < arguments.texts {
        texts.push(sentences.note());
    }
    while queries.len() < arguments.queries {
        queries.push(sentences.question());
    }
    let singles = (0..SINGLES).map(|_| sentences.note()).collect();
    let warm_up = (0..WARM_UP).map(|_| sentences.question()).collect();
    Ok(Work { texts, singles, queries, warm_up, batch: BATCH })
}

/// Lets one contender do the work alone.
fn compete(
    name: &str,
    mut command: Command,
    work: &Path,
    folder: &Path,
    model: &Path,
) -> Result<Figures> {
    command.arg(work).arg(folder).arg(model).stderr(Stdio::piped());
    // Nothing is to be fetched, reported or computed elsewhere.
    command.env("HF_HUB_OFFLINE", "1").env("ANONYMIZED_TELEMETRY", "False");
    command.env("CUDA_VISIBLE_DEVICES", "").env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} ended with {}:\n{errors}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("{name} printed no figures"))
}

/// Refuses a comparison of different weights.
fn check_weights(contenders: &BTreeMap<&'static str, Figures>) -> Result<()> {
    let published = embedder::published().join("model.safetensors");
    // With a file of one's own there may be nothing to compare with.
    let Ok(weights) = std::fs::read(&published) else { return Ok(()) };
    let digest = Sha256::digest(&weights);
    let hash: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let hash = hash.concat();
    for (name, figures) in contenders {
        let same = figures.model_sha256.as_ref().is_none_or(|theirs| *theirs == hash);
        ensure!(same, "{name} has other weights than {}", published.display());
    }
    Ok(())
}

fn report(
    arguments: &Arguments,
    work: &Work,
    load_before: BTreeMap<&'static str, Option<f64>>,
    mut contenders: BTreeMap<&'static str, Figures>,
) -> Report {
    let ours = &contenders["cofio"];
    let exact = &contenders["fts5_sqlite_vec"].nearest;
    let others = contenders.iter().filter(|(name, _)| **name != "cofio");
    let ratios = others.map(|(name, theirs)| (*name, Ratios::new(ours, theirs))).collect();
    let agree =
        |(name, figures): (&&'static str, &Figures)| (*name, agreement(&figures.nearest, exact));
    let agreement = contenders.iter().map(agree).collect();
    for figures in contenders.values_mut() {
        figures.nearest.clear();
    }
    let from = arguments.texts_from.as_ref();
    let from = from.map(|file| format!(" --texts-from {}", file.display())).unwrap_or_default();
    Report {
        command: format!(
            "cargo run --release -p cofio-bench -- speed --texts {} --queries {}{from}",
            arguments.texts, arguments.queries
        ),
        texts: work.texts.len(),
        queries: work.queries.len(),
        batch: work.batch,
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        load_before,
        ratios,
        agreement,
        contenders,
        notes: NOTES,
    }
}

fn overview(report: &Report) -> String {
    let names = ["cofio", "chroma_default", "chroma", "fts5_sqlite_vec"];
    let contenders = names.map(|name| &report.contenders[name]);
    let row = |what: &str, figure: &dyn Fn(&Figures) -> Option<f64>, less_is_better: bool| {
        let figures = contenders.map(figure);
        let shown =
            figures.map(|figure| figure.map_or("–".to_owned(), |value| format!("{value:.2}")));
        let ratio = |theirs: Option<f64>| match (figures[0], theirs) {
            (Some(ours), Some(theirs)) if less_is_better => format!("{:.1}×", theirs / ours),
            (Some(ours), Some(theirs)) => format!("{:.1}×", ours / theirs),
            _ => "–".to_owned(),
        };
        let mut row = vec![what.to_owned()];
        row.extend(shown);
        row.extend(figures[1..].iter().map(|theirs| ratio(*theirs)));
        row
    };
    let best = |figures: &Figures| figures.hybrid.unwrap_or(figures.semantic);
    let p50 = |times: Percentiles| Some(times.p50_ms);
    let p95 = |times: Percentiles| Some(times.p95_ms);
    let mut head = vec![String::new()];
    head.extend(names.map(ToOwned::to_owned));
    head.extend(names[1..].iter().map(|name| format!("vs {name}")));
    table(&[
        head,
        row("acknowledged, texts/s", &|figures| Some(figures.acknowledged_per_second), false),
        row("embedded, texts/s", &|figures| Some(figures.embedded_per_second), false),
        row("single add p50, ms", &|figures| p50(figures.single_add), true),
        row("search p50, ms", &|figures| p50(best(figures)), true),
        row("search p95, ms", &|figures| p95(best(figures)), true),
        row("vectors only p50, ms", &|figures| p50(figures.semantic), true),
        row("vectors only p95, ms", &|figures| p95(figures.semantic), true),
        row("with embedding p50, ms", &|figures| p50(figures.with_embedding), true),
        row("with embedding p95, ms", &|figures| p95(figures.with_embedding), true),
        row("peak resident, MB", &|figures| figures.peak_resident_megabytes, true),
        row("on disk, MB", &|figures| Some(figures.disk_megabytes), true),
        row("opening the model, ms", &|figures| Some(figures.load_ms), true),
    ])
}
