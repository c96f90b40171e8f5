//! How many of the facts in turns are found without a language model, and how many of those that are
//! found are right.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use cofio::lifecycle::extraction::{Candidate, Standing, Turn, extract};
use cofio::model::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::machine::percentile;
use crate::rate::Rate;
use crate::recall::dataset;

/// How long the texts are that are timed.
const TIMED: usize = 10_000;

/// What stands in texts that are meant to take long, over and over.
const HOSTILE: [&str; 10] = [
    "I live in Rome. ",
    "I live in Rome and ",
    "my sister Ana ",
    "I ",
    "and ",
    "'",
    "\"",
    "`",
    "> ",
    "two weeks ago ",
];

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// Turns with the facts in them, a JSON object per line; may end in `.gz`.
    #[arg(default_values = [
        "crates/cofio-bench/data/extraction/first.jsonl",
        "crates/cofio-bench/data/extraction/second.jsonl",
        "crates/cofio-bench/data/extraction/third.jsonl",
        "crates/cofio-bench/data/extraction/fourth.jsonl",
    ])]
    files: Vec<PathBuf>,
    /// Print what was found and should not have been, and what was not found.
    #[arg(long)]
    errors: bool,
}

/// A turn and the facts it tells.
#[derive(Deserialize)]
struct Entry {
    text: String,
    facts: Vec<Label>,
}

/// A fact that a turn tells.
#[derive(Deserialize)]
struct Label {
    /// Whom it is about.
    about: String,
    /// Its attribute or its type.
    is: String,
    /// What its content must have, in whatever case.
    words: Vec<String>,
    #[serde(default = "holds")]
    standing: String,
}

fn holds() -> String {
    Standing::Holds.to_string()
}

impl Label {
    fn fits(&self, fact: &Candidate) -> bool {
        let content = fact.content.to_lowercase();
        self.about == fact.subject
            && (self.is == fact.attribute || self.is == fact.fact_type.as_str())
            && self.standing == fact.standing.as_str()
            && self.words.iter().all(|word| content.contains(&word.to_lowercase()))
    }
}

#[derive(Serialize)]
struct Report {
    command: String,
    files: BTreeMap<String, Figures>,
    all: Figures,
    /// Of turns of their own length.
    p50_us_per_turn: f64,
    p99_us_per_turn: f64,
    /// The worst of some texts of 10,000 characters that say one thing over and over.
    hostile_ms: f64,
}

/// What came of a file.
#[derive(Serialize, Default)]
struct Figures {
    turns: usize,
    /// Of the facts that were found, those that are in the labels.
    precision: Rate,
    /// Of the labels, those that were found.
    recall: Rate,
    /// Turns without a fact in which one was found.
    false_alarms: Rate,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
}

/// Measures files of turns and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (mut all, mut files, mut times) = (Figures::default(), BTreeMap::new(), Vec::new());
    for path in &arguments.files {
        let entries = read(path)?;
        ensure!(!entries.is_empty(), "no turns in {}", path.display());
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        let mut figures = Figures::default();
        for entry in &entries {
            figures.count(entry)?;
            all.count(entry)?;
            times.push(seconds(&entry.text)? * 1e6);
        }
        figures.errors.truncate(if arguments.errors { usize::MAX } else { 0 });
        files.insert(name, figures);
    }
    all.errors.clear();
    let hostile = HOSTILE.iter().map(|piece| seconds(&piece.repeat(TIMED / piece.len())));
    let hostile: Vec<f64> = hostile.collect::<Result<_>>()?;
    let report = Report {
        command: "cargo run --release -p cofio-bench -- extraction".to_owned(),
        files,
        all,
        p50_us_per_turn: percentile(&mut times, 0.5),
        p99_us_per_turn: percentile(&mut times, 0.99),
        hostile_ms: hostile.into_iter().fold(0.0, f64::max) * 1e3,
    };
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

impl Figures {
    fn count(&mut self, entry: &Entry) -> Result<()> {
        let mut labels: Vec<&Label> = entry.facts.iter().collect();
        let found = facts(&entry.text)?;
        self.turns += 1;
        if labels.is_empty() {
            self.false_alarms.count(!found.is_empty());
        }
        for fact in found {
            // Each label counts once, so that the same fact found twice is wrong once.
            let label = labels.iter().position(|label| label.fits(&fact));
            self.precision.count(label.is_some());
            match label {
                Some(label) => drop(labels.swap_remove(label)),
                None => self.errors.push(format!("wrong: {} ({})", fact.content, fact.attribute)),
            }
        }
        let missed = labels.len();
        (0..entry.facts.len()).for_each(|number| self.recall.count(number >= missed));
        let line = |label: &&Label| format!("missed: {} of {:?}", label.is, entry.text);
        self.errors.extend(labels.iter().map(line));
        Ok(())
    }
}

/// Returns the facts that a turn tells.
pub fn facts(text: &str) -> Result<Vec<Candidate>> {
    let id: MemoryId = format!("ep_{:032x}", 1).parse()?;
    let said_at: Timestamp = "2026-03-04T10:00:00Z".parse()?;
    Ok(extract(&[Turn { id: &id, assistant: false, speaker: None, said_at, text }]))
}

fn seconds(text: &str) -> Result<f64> {
    let start = Instant::now();
    std::hint::black_box(facts(text)?);
    Ok(start.elapsed().as_secs_f64())
}

fn read(path: &Path) -> Result<Vec<Entry>> {
    let parse = |line: std::io::Result<String>| Ok(serde_json::from_str(&line?)?);
    dataset::open(path)?.lines().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/extraction");
        let mut figures = Figures::default();
        for name in ["first.jsonl", "second.jsonl", "third.jsonl", "fourth.jsonl"] {
            for entry in read(&folder.join(name)).unwrap() {
                figures.count(&entry).unwrap();
            }
        }
        figures
    }

    #[test]
    fn nearly_all_that_is_found_is_right() {
        let Figures { turns, precision, recall, false_alarms, errors } = figures();
        assert!(turns >= 240, "{turns} turns");
        assert!(precision.ratio >= 0.95, "{} of {}: {errors:#?}", precision.found, precision.of);
        assert!(recall.ratio >= 0.85, "{} of {}: {errors:#?}", recall.found, recall.of);
        assert!(false_alarms.ratio <= 0.02, "{errors:#?}");
    }
}
