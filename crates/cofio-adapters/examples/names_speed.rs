//! Measures the recogniser of names and prints JSON.
//!
//! `cargo run --release --features spacy --example names_speed -- FILE`.

use std::path::Path;
use std::time::Instant;

use cofio_adapters::spacy::EnCoreWebSm;
use serde_json::json;

const ROUNDS: usize = 5;

/// The texts that the recogniser is tested with.
const TEXTS: &str = include_str!("../tests/golden/entity_texts.txt");

fn main() -> cofio::Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        return Err(cofio::Error::invalid("name the model file that `compact` wrote"));
    };
    let start = Instant::now();
    let recogniser = EnCoreWebSm::open(Path::new(&path))?;
    let loaded = start.elapsed();
    let texts: Vec<&str> = TEXTS.lines().collect();
    let words: usize = texts.iter().map(|text| recogniser.words(text).count()).sum();
    let round = || {
        let start = Instant::now();
        let found: usize = texts.iter().map(|text| recogniser.entities(text).len()).sum();
        (start.elapsed(), found)
    };
    let (spent, found) = (0..ROUNDS).map(|_| round()).min().expect("there is a round");
    let report = json!({
        "load_ms": loaded.as_secs_f64() * 1e3,
        "texts_per_second": texts.len() as f64 / spent.as_secs_f64(),
        "words_per_second": words as f64 / spent.as_secs_f64(),
        "words_per_text": words as f64 / texts.len() as f64,
        "entities": found,
        "peak_memory_mb": peak_memory_mb(),
    });
    println!("{report}");
    Ok(())
}

/// Returns the most memory this process had, where the system tells.
fn peak_memory_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}
