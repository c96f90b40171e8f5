//! How many secrets are found, how many harmless texts are damaged, and how long that takes.

mod hostile;

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use cofio::ingest::{Level, findings, findings_across, redact};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::machine::percentile;
use crate::rate::Rate;
use crate::recall::dataset;

/// What is redacted by default.
const LEAST: Level = Level::Probable;

/// A rest of a secret this long counts as residue.
const RESIDUE: usize = 6;

/// How long the texts are that are timed.
const TIMED: usize = 2_000;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// Texts with labels, a JSON object per line; may end in `.gz`.
    #[arg(default_value = "../shared/corpora/secrets_dev.jsonl.gz")]
    file: PathBuf,
}

#[derive(Deserialize)]
struct Entry {
    text: String,
    /// What a second turn says, if the secret is split.
    text2: Option<String>,
    label: u8,
    kind: String,
    #[serde(default)]
    secret: String,
}

#[derive(Serialize)]
struct Report {
    command: String,
    recall: Rate,
    evasions: Rate,
    false_positives: Rate,
    residues: usize,
    p50_us_per_2_kb: f64,
    p99_us_per_2_kb: f64,
    hostile_megabyte_ms: BTreeMap<&'static str, f64>,
    kinds: BTreeMap<String, Rate>,
    harmless: BTreeMap<String, Rate>,
}

/// Measures a file of texts and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let entries = read(&arguments.file)?;
    ensure!(!entries.is_empty(), "no texts in {}", arguments.file.display());
    let (mut recall, mut evasions, mut false_positives) = <(Rate, Rate, Rate)>::default();
    let (mut kinds, mut harmless) = <(BTreeMap<_, Rate>, BTreeMap<_, Rate>)>::default();
    let mut residues = 0;
    let progress = ProgressBar::new(entries.len() as u64);
    for entry in &entries {
        progress.inc(1);
        let outcome = outcome(entry);
        if entry.label == 0 {
            false_positives.count(outcome.found);
            harmless.entry(entry.kind.clone()).or_default().count(outcome.found);
            continue;
        }
        kinds.entry(entry.kind.clone()).or_default().count(outcome.found);
        let evasion = entry.kind.starts_with("evasion");
        (if evasion { &mut evasions } else { &mut recall }).count(outcome.found);
        residues += usize::from(outcome.residue);
    }
    progress.finish_and_clear();
    let mut times = times(&entries);
    let report = Report {
        command: "cargo run --release -p cofio-bench -- secrets".to_owned(),
        recall,
        evasions,
        false_positives,
        residues,
        p50_us_per_2_kb: percentile(&mut times, 0.5),
        p99_us_per_2_kb: percentile(&mut times, 0.99),
        hostile_megabyte_ms: hostile::milliseconds(),
        kinds,
        harmless,
    };
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

struct Outcome {
    found: bool,
    residue: bool,
}

fn outcome(entry: &Entry) -> Outcome {
    if let Some(second) = &entry.text2 {
        let rest = format!("{} {}", masked(&entry.text, second, 0), masked(&entry.text, second, 1));
        let residue = leaves(&rest, entry);
        return Outcome { found: !residue, residue };
    }
    let redacted = redact(&entry.text, "[X]", LEAST);
    let found = !redacted.redactions.is_empty();
    let residue = found && entry.label == 1 && leaves(redacted.text.as_str(), entry);
    Outcome {
        found: found && !(redacted.text.as_str().contains(&entry.secret) && entry.label == 1),
        residue,
    }
}

/// Returns one of two turns without what is found in it, alone or together with the other.
fn masked(first: &str, second: &str, turn: usize) -> String {
    let text = [first, second][turn];
    let mut bytes = text.as_bytes().to_vec();
    let alone = findings(text).into_iter().filter(|one| one.level >= LEAST);
    let across = findings_across(&[first], second).into_iter().filter(|(place, _)| *place == turn);
    for one in alone.chain(across.map(|(_, one)| one)) {
        bytes[one.range].fill(b'#');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns whether a part of the secret is left that does not also stand in its surroundings.
fn leaves(rest: &str, entry: &Entry) -> bool {
    let around = entry.text.replace(&entry.secret, " ");
    let letters: Vec<char> = entry.secret.chars().collect();
    letters.windows(RESIDUE).any(|part| {
        let part: String = part.iter().collect();
        rest.contains(&part) && !around.contains(&part)
    })
}

/// Returns how many microseconds each text takes, put together to a length of two kilobytes.
fn times(entries: &[Entry]) -> Vec<f64> {
    let mut times = Vec::new();
    let mut text = String::new();
    for entry in entries {
        text.push_str(&entry.text);
        text.push('\n');
        if text.len() >= TIMED {
            let text = std::mem::take(&mut text);
            let scale = TIMED as f64 / text.len() as f64;
            let best = (0..3).map(|_| seconds(&text)).fold(f64::INFINITY, f64::min);
            times.push(best * scale * 1e6);
        }
    }
    times
}

fn seconds(text: &str) -> f64 {
    let start = Instant::now();
    std::hint::black_box(findings(text));
    start.elapsed().as_secs_f64()
}

fn read(path: &Path) -> Result<Vec<Entry>> {
    let parse = |line: std::io::Result<String>| Ok(serde_json::from_str(&line?)?);
    dataset::open(path)?.lines().map(parse).collect()
}
