//! Inserts and keyword searches on the SQLite store, at two sizes, in one scope and in a thousand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use cofio::model::{Caller, Identifiers, Layer};
use cofio::store::SqliteStore;
use cofio::{Engine, Query, Selection};
use pollster::block_on;
use serde::{Deserialize, Serialize};

use crate::filled::{draft, fill, user};
use crate::machine::{command_line, percentile, resident_megabytes};
use crate::texts::Texts;

/// How many memories are inserted one by one to measure that.
const SINGLE_INSERTS: usize = 300;

/// How many searches are timed.
const SEARCHES: usize = 400;

/// How often a process is started to time its first answer.
const COLD_STARTS: usize = 9;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many memories the stores hold.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000")]
    sizes: Vec<usize>,
}

/// Which store to search.
#[derive(clap::Args)]
pub struct ProbeArguments {
    store: PathBuf,
    scopes: usize,
}

#[derive(Serialize)]
struct Report {
    command: String,
    runs: Vec<Run>,
}

#[derive(Serialize)]
struct Run {
    memories: usize,
    scopes: usize,
    single_inserts_per_second: f64,
    batch_inserts_per_second: f64,
    #[serde(flatten)]
    searches: Searches,
    cold_search_p50_ms: f64,
    file_megabytes: f64,
}

#[derive(Serialize, Deserialize)]
struct Searches {
    search_p50_ms: f64,
    search_p95_ms: f64,
    resident_megabytes: Option<f64>,
}

/// Measures every size in one scope and in a thousand, and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let cofio = command_line()?;
    let mut runs = Vec::new();
    for &memories in &arguments.sizes {
        for scopes in [1, 1_000] {
            runs.push(measure(memories, scopes, &cofio)?);
        }
    }
    let command = "cargo run --release -p cofio-bench -- store".to_owned();
    println!("{}", serde_json::to_string_pretty(&Report { command, runs })?);
    Ok(())
}

/// Searches an existing store, and prints the figures of this process.
pub fn probe(arguments: &ProbeArguments) -> Result<()> {
    let engine = Engine::new(SqliteStore::open(&arguments.store)?, jiff::Timestamp::now);
    let mut texts = Texts::new(2);
    let mut samples = Vec::with_capacity(SEARCHES);
    for number in 0..SEARCHES {
        let user = user(number % arguments.scopes)?;
        let selection = Selection::new(Identifiers::default().with(Layer::User, user.clone()));
        let query = Query::new(selection, texts.question());
        let begun = Instant::now();
        block_on(engine.search(&Caller::local(user), &query))?;
        samples.push(begun.elapsed().as_secs_f64() * 1e3);
        // Recording the reading is not part of the answer.
        block_on(engine.settle())?;
    }
    let searches = Searches {
        search_p50_ms: percentile(&mut samples, 0.5),
        search_p95_ms: percentile(&mut samples, 0.95),
        resident_megabytes: resident_megabytes(),
    };
    println!("{}", serde_json::to_string(&searches)?);
    Ok(())
}

fn measure(memories: usize, scopes: usize, cofio: &Path) -> Result<Run> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("cofio.db");
    let engine = Engine::new(SqliteStore::open(&path)?, jiff::Timestamp::now);
    let mut texts = Texts::new(1);
    let batch_inserts_per_second = fill(&engine, &mut texts, memories, scopes)?;
    let single_inserts_per_second = insert_singly(&engine, &mut texts)?;
    drop(engine);
    Ok(Run {
        memories,
        scopes,
        single_inserts_per_second,
        batch_inserts_per_second,
        searches: search_elsewhere(&path, scopes)?,
        cold_search_p50_ms: search_coldly(&path, cofio)?,
        file_megabytes: std::fs::metadata(&path)?.len() as f64 / 1e6,
    })
}

fn insert_singly(engine: &Engine, texts: &mut Texts) -> Result<f64> {
    let user = user(0)?;
    let caller = Caller::local(user.clone());
    let begun = Instant::now();
    for _ in 0..SINGLE_INSERTS {
        block_on(engine.remember(&caller, draft(&user, texts.note())))?;
    }
    Ok(SINGLE_INSERTS as f64 / begun.elapsed().as_secs_f64())
}

fn search_elsewhere(path: &Path, scopes: usize) -> Result<Searches> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.arg("probe").arg(path).arg(scopes.to_string()).output()?;
    ensure!(output.status.success(), "probe failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Times the command line from its start to its end, with an answer to print.
fn search_coldly(path: &Path, cofio: &Path) -> Result<f64> {
    let mut texts = Texts::new(3);
    let mut samples = Vec::new();
    for _ in 0..COLD_STARTS {
        let mut command = Command::new(cofio);
        command.args(["search", "--user", "user-0", "--store"]).arg(path).arg(texts.question());
        let begun = Instant::now();
        let output = command.output()?;
        samples.push(begun.elapsed().as_secs_f64() * 1e3);
        ensure!(
            output.status.success(),
            "search failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(percentile(&mut samples, 0.5))
}
