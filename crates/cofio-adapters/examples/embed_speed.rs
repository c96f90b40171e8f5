//! Measures all-MiniLM-L6-v2 and prints JSON; the time of the processor says more on a busy machine.
//!
//! `cargo run --release --features minilm --example embed_speed -- FILE`.

use std::time::{Duration, Instant};

use cofio::embed::Embedder;
use cofio::ingest::{Level, redact};
use cofio::model::CleanText;
use cofio_adapters::minilm::{Kernel, Minilm, Options};
use serde_json::{Value, json};

const THREADS: usize = 2;
const ROUNDS: usize = 8;
const BATCH: usize = 64;

fn main() -> cofio::Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        return Err(cofio::Error::invalid("name the model file that `compact` wrote"));
    };
    let mut report = serde_json::Map::new();
    for kernel in Kernel::ALL.into_iter().rev().filter(|kernel| kernel.available()) {
        let options = Options { threads: THREADS, kernel, ..Options::default() };
        report.insert(format!("{kernel:?}"), measure(&path, &options)?);
    }
    report.insert("peak_memory_mb".to_owned(), json!(peak_memory_mb()));
    println!("{}", Value::from(report));
    Ok(())
}

fn measure(path: &str, options: &Options) -> cofio::Result<Value> {
    let texts = sentences();
    let embed = |texts: &[CleanText], minilm: &Minilm| {
        let start = Instant::now();
        pollster::block_on(minilm.embed(texts)).map(|_| start.elapsed())
    };
    let minilm = Minilm::open(path, options)?;
    let first = embed(&texts[..1], &minilm)?;
    let mut single = Duration::MAX;
    let mut batch = Duration::MAX;
    let before = processor_seconds();
    for _ in 0..ROUNDS {
        batch = batch.min(embed(&texts, &minilm)?);
    }
    let spent = processor_seconds().zip(before).map(|(after, before)| after - before);
    for _ in 0..ROUNDS {
        single = single.min(embed(&texts[..1], &minilm)?);
    }
    Ok(json!({
        "texts_per_second": texts.len() as f64 / batch.as_secs_f64(),
        "texts_per_processor_second": spent.map(|spent| (ROUNDS * texts.len()) as f64 / spent),
        "single_ms": single.as_secs_f64() * 1e3,
        "load_ms": first.saturating_sub(single).as_secs_f64() * 1e3,
    }))
}

/// Returns texts of 20 words.
fn sentences() -> Vec<CleanText> {
    let words: Vec<&str> =
        "the a memory agent deploys service database on friday because rollback \
        failed and user prefers tea over coffee when working late with team in london office about \
        project review"
            .split_whitespace()
            .collect();
    let sentence = |number: usize| {
        let words =
            (0..20).map(|place| words[(number * 7 + place * (number % 5 + 3)) % words.len()]);
        redact(&words.collect::<Vec<_>>().join(" "), "", Level::Probable).text
    };
    (0..BATCH).map(sentence).collect()
}

/// Returns the most memory this process had, where Linux says it.
fn peak_memory_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// Returns the time processors gave to this process, where Linux says it.
fn processor_seconds() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = status.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
