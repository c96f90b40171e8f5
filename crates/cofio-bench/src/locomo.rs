//! LoCoMo: long conversations between two people, with questions about them.
//!
//! The file is brought into the form of `recall`. The text of a message is the text of the turn
//! and the caption of its image; speaker and date are fields, and not part of any text.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use anyhow::{Context as _, Result, ensure};
use jiff::Timestamp;
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::recall::dataset::{self, Message, Namespace, Question};
use crate::recall::embedder::Model;
use crate::recall::{FusionName, ModeName, moment, name};
use crate::table::table;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// The conversations as published; may end in `.gz`.
    file: PathBuf,
    /// Write the form of `recall` here, and measure nothing.
    #[arg(long, value_name = "FILE")]
    convert: Option<PathBuf>,
    /// Measure all four ways, which is what happens without any of the flags below.
    #[arg(long, conflicts_with_all = ["embedder", "fusion", "mode"])]
    all: bool,
    /// What makes the vectors.
    #[arg(long, value_enum)]
    embedder: Option<Model>,
    /// How the evidence is put together.
    #[arg(long, value_enum)]
    fusion: Option<FusionName>,
    /// By which evidence memories are found.
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// The compact file of the model, instead of the one below `target/models`.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

/// One way of answering, and what it is called in the table.
struct Way {
    name: &'static str,
    embedder: Model,
    fusion: FusionName,
    mode: ModeName,
}

const ALL: [Way; 4] = [
    Way {
        name: "weighted, MiniLM",
        embedder: Model::Minilm,
        fusion: FusionName::Weighted,
        mode: ModeName::Hybrid,
    },
    Way {
        name: "weighted, no model",
        embedder: Model::None,
        fusion: FusionName::Weighted,
        mode: ModeName::Hybrid,
    },
    Way {
        name: "RRF, MiniLM",
        embedder: Model::Minilm,
        fusion: FusionName::Rrf,
        mode: ModeName::Hybrid,
    },
    Way {
        name: "vectors alone",
        embedder: Model::Minilm,
        fusion: FusionName::Weighted,
        mode: ModeName::Semantic,
    },
];

#[derive(Serialize)]
struct Runs {
    command: String,
    runs: BTreeMap<&'static str, Value>,
}

/// Converts, and measures in one way or in all of them, each in a process of its own.
pub fn run(arguments: &Arguments) -> Result<()> {
    let namespaces = read(&arguments.file)?;
    if let Some(target) = &arguments.convert {
        return write(&namespaces, target);
    }
    let folder = tempfile::tempdir()?;
    let converted = folder.path().join("locomo.jsonl");
    write(&namespaces, &converted)?;
    drop(namespaces);
    let chosen = chosen(arguments);
    let ways = chosen.as_ref().map_or(ALL.as_slice(), std::slice::from_ref);
    let mut runs = BTreeMap::new();
    for way in ways {
        eprintln!("{}", way.name);
        let mut report = measure(&converted, way, arguments.model.as_deref())?;
        report["dataset"]["file"] = arguments.file.display().to_string().into();
        runs.insert(way.name, report);
    }
    eprint!("{}", overview(ways, &runs));
    let command =
        format!("cargo run --release -p cofio-bench -- locomo {}", arguments.file.display());
    println!("{}", serde_json::to_string_pretty(&Runs { command, runs })?);
    Ok(())
}

/// Returns the texts of all turns and of all questions, in the order of the file.
pub fn texts(path: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let mut texts = (Vec::new(), Vec::new());
    for namespace in read(path)? {
        texts.0.extend(namespace.messages.into_iter().map(|message| message.text));
        texts.1.extend(namespace.questions.into_iter().map(|question| question.text));
    }
    Ok(texts)
}

fn chosen(arguments: &Arguments) -> Option<Way> {
    let &Arguments { embedder, fusion, mode, .. } = arguments;
    if embedder.is_none() && fusion.is_none() && mode.is_none() {
        return None;
    }
    Some(Way {
        name: "chosen",
        embedder: embedder.unwrap_or(Model::Minilm),
        fusion: fusion.unwrap_or(FusionName::Weighted),
        mode: mode.unwrap_or(ModeName::Hybrid),
    })
}

/// Runs `recall` in a process of its own, so that its memory and its caches are its own too.
fn measure(file: &Path, way: &Way, model: Option<&Path>) -> Result<Value> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("recall").arg(file);
    command.args(["--embedder", &name(&way.embedder), "--fusion", &name(&way.fusion)]);
    command.args(["--mode", &name(&way.mode)]);
    if let Some(model) = model {
        command.arg("--model").arg(model);
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} was not measured", way.name);
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn overview(ways: &[Way], runs: &BTreeMap<&'static str, Value>) -> String {
    const COLUMNS: [&str; 6] = ["recall@5", "recall@10", "recall@20", "hit@10", "mrr", "ndcg@10"];
    let head = ["turn level"].into_iter().chain(COLUMNS).chain(["session recall@10", "query p50"]);
    let row = |way: &Way| {
        let report = &runs[way.name];
        let latency = report["speed"]["query_p50_ms"].as_f64().unwrap_or(f64::NAN);
        let mut row = vec![way.name.to_owned()];
        row.extend(COLUMNS.map(|column| figure(report, "message", column)));
        row.extend([figure(report, "session", "recall@10"), format!("{latency:.2} ms")]);
        row
    };
    let head = head.map(ToOwned::to_owned).collect();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(ways.iter().map(row)).collect();
    table(&rows)
}

fn figure(report: &Value, level: &str, name: &str) -> String {
    format!("{:.4}", report[level]["overall"][name].as_f64().unwrap_or(f64::NAN))
}

fn write(namespaces: &[Namespace], target: &Path) -> Result<()> {
    let file = std::fs::File::create(target)
        .with_context(|| format!("cannot write {}", target.display()))?;
    let mut output = BufWriter::new(file);
    for namespace in namespaces {
        serde_json::to_writer(&mut output, namespace)?;
        output.write_all(b"\n")?;
    }
    Ok(output.flush()?)
}

#[derive(Deserialize)]
struct Sample {
    #[serde(rename = "sample_id")]
    name: Option<String>,
    conversation: serde_json::Map<String, Value>,
    #[serde(default)]
    qa: Vec<Asked>,
}

#[derive(Deserialize)]
struct Turn {
    dia_id: String,
    speaker: String,
    #[serde(default)]
    text: String,
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
    category: Option<u8>,
}

fn read(path: &Path) -> Result<Vec<Namespace>> {
    let samples: Vec<Sample> = serde_json::from_reader(dataset::open(path)?)
        .with_context(|| format!("{} is not in the form of LoCoMo", path.display()))?;
    samples.into_iter().enumerate().map(|(number, sample)| namespace(number, sample)).collect()
}

fn namespace(number: usize, mut sample: Sample) -> Result<Namespace> {
    let name = sample.name.unwrap_or_else(|| format!("conversation-{}", number + 1));
    let mut messages = Vec::new();
    for session in sessions(&sample.conversation) {
        let key = format!("session_{session}");
        let written = &sample.conversation[&format!("{key}_date_time")];
        let time = written.as_str().and_then(moment);
        let time = time.with_context(|| format!("{name}: {key} has no date"))?;
        let turns = sample.conversation.remove(&key).unwrap_or_default();
        let turns: Vec<Turn> =
            serde_json::from_value(turns).with_context(|| format!("{name}: {key}"))?;
        messages.extend(turns.into_iter().map(|turn| message(turn, session, time)));
    }
    let known = messages.iter().map(|message| message.id.as_str()).collect();
    let asked = sample.qa.into_iter().enumerate();
    let questions = asked.map(|(number, asked)| question(&name, number, asked, &known)).collect();
    Ok(Namespace { name, messages, questions, ..Namespace::default() })
}

/// Returns the numbers of the sessions that have turns, in order.
fn sessions(conversation: &serde_json::Map<String, Value>) -> Vec<u32> {
    let number = |(key, value): (&String, &Value)| {
        let number = key.strip_prefix("session_")?.parse().ok()?;
        value.as_array().filter(|turns| !turns.is_empty()).map(|_| number)
    };
    let mut numbers: Vec<u32> = conversation.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

fn message(turn: Turn, session: u32, time: Timestamp) -> Message {
    let caption = turn.blip_caption.filter(|caption| !caption.trim().is_empty());
    let parts = [Some(turn.text), caption];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    Message {
        id: turn.dia_id,
        session: Some(format!("session_{session}")),
        speaker: Some(turn.speaker),
        role: None,
        time: Some(time),
        text: parts.join("\n"),
    }
}

fn question(name: &str, number: usize, asked: Asked, known: &HashSet<&str>) -> Question {
    Question {
        id: format!("{name}-q{}", number + 1),
        text: asked.question,
        time: None,
        category: asked.category.map(category),
        evidence: asked.evidence.iter().flat_map(|written| evidence(written, known)).collect(),
    }
}

/// Names the numbers of the publication.
fn category(number: u8) -> String {
    match number {
        1 => "multi-hop".to_owned(),
        2 => "temporal".to_owned(),
        3 => "open-domain".to_owned(),
        4 => "single-hop".to_owned(),
        5 => "adversarial".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the turns that a piece of evidence names; the file joins, pads and misspells some.
fn evidence(written: &str, known: &HashSet<&str>) -> Vec<String> {
    static TURN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\bd\s*:?\s*(\d+)\s*:\s*(\d+)").expect("a valid pattern"));
    if known.contains(written) {
        return vec![written.to_owned()];
    }
    let plain = |digits: &str| match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    };
    let turns = TURN.captures_iter(written);
    let mut turns: Vec<String> =
        turns.map(|turn| format!("D{}:{}", plain(&turn[1]), plain(&turn[2]))).collect();
    // What names no turn is kept, to be counted as unknown.
    if turns.is_empty() && !written.trim().is_empty() {
        turns.push(written.to_owned());
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_evidence(written: &str, expected: &[&str]) {
        assert_eq!(evidence(written, &HashSet::from(["D1:03"])), expected, "{written:?}");
    }

    #[test]
    fn evidence_is_read_however_it_is_written() {
        check_evidence("D1:3", &["D1:3"]);
        check_evidence("D8:6; D9:17", &["D8:6", "D9:17"]);
        check_evidence("D9:1 D4:4 D4:6", &["D9:1", "D4:4", "D4:6"]);
        check_evidence("D:11:26", &["D11:26"]);
        check_evidence("D30:05", &["D30:5"]);
        check_evidence("(d2: 10)", &["D2:10"]);
        check_evidence("D1:03", &["D1:03"]);
    }

    #[test]
    fn evidence_that_names_no_turn_is_kept_as_unknown() {
        check_evidence("D", &["D"]);
        check_evidence(" ", &[]);
    }

    #[test]
    fn a_sample_becomes_a_namespace() {
        let sample = serde_json::json!({
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ann", "speaker_b": "Ben",
                "session_10": [{"dia_id": "D10:1", "speaker": "Ben", "text": "Bye"}],
                "session_10_date_time": "1:00 am on 1 June, 2023",
                "session_2": [
                    {"dia_id": "D2:1", "speaker": "Ann", "text": "Look!", "blip_caption": "a dog"}
                ],
                "session_2_date_time": "1:56 pm on 8 May, 2023",
                "session_3": [],
                "session_3_date_time": "1:56 pm on 9 May, 2023",
            },
            "qa": [{"question": "Whose dog?", "answer": 1, "evidence": ["D2:01"], "category": 4}],
        });
        let namespace = namespace(0, serde_json::from_value(sample).unwrap()).unwrap();
        let written = serde_json::to_value(&namespace).unwrap();
        assert_eq!(
            written,
            serde_json::json!({
                "namespace": "conv-1",
                "messages": [
                    {"id": "D2:1", "session": "session_2", "speaker": "Ann", "role": null,
                     "time": "2023-05-08T13:56:00Z", "text": "Look!\na dog"},
                    {"id": "D10:1", "session": "session_10", "speaker": "Ben", "role": null,
                     "time": "2023-06-01T01:00:00Z", "text": "Bye"},
                ],
                "questions": [
                    {"id": "conv-1-q1", "text": "Whose dog?", "time": null,
                     "category": "single-hop", "evidence": ["D2:1"]},
                ],
            })
        );
    }
}
