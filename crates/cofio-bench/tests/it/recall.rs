//! The command that measures how much is found, from a file to its figures.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Two namespaces that say the same, so that a hit from the wrong one would be noticed.
const DATASET: &str = concat!(
    r#"{"namespace": "tea", "messages": ["#,
    r#"{"id": "1", "session": "a", "speaker": "Ann", "role": "user", "time": "2023-05-08", "text": "I drink my tea black"}, "#,
    r#"{"id": "2", "session": "a", "speaker": "Ben", "role": "assistant", "text": "Noted"}, "#,
    r#"{"id": "3", "session": "b", "speaker": "Ann", "time": "2023-05-09T10:00:00Z", "text": "Noted"}, "#,
    r#"{"id": "4", "session": "b", "speaker": "Ann", "text": "My bicycle has a flat tyre"}, "#,
    r#"{"id": "5", "text": " "}], "#,
    r#""questions": ["#,
    r#"{"id": "q1", "text": "How does Ann drink tea?", "category": "taste", "evidence": ["1"]}, "#,
    r#"{"id": "q2", "text": "What is wrong with the bicycle?", "time": "2023-06-01", "category": 2, "evidence": [4, "99"]}, "#,
    r#"{"id": "q3", "text": "Who?", "evidence": []}, "#,
    r#"{"id": "q4", "text": "Where?", "evidence": ["99"]}]}"#,
    "\n\n",
    r#"{"namespace": "coffee", "messages": [{"id": "1", "text": "I drink my tea black"}, {"id": "2", "text": "I drink my tea black"}],"#,
    r#" "questions": [{"id": "q1", "text": "black tea", "category": "taste", "evidence": ["1", "2"]}]}"#,
    "\n",
);

fn recall(file: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofio-bench"));
    command.arg("recall").arg(file).args(["--embedder", "none"]).args(arguments);
    command.env("RUST_BACKTRACE", "0").output().unwrap()
}

fn measured(content: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.jsonl");
    std::fs::write(&file, content).unwrap();
    let output = recall(&file, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors, "", "without a terminal there is no progress bar");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check_refused(content: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.jsonl");
    std::fs::write(&file, content).unwrap();
    let output = recall(&file, &[]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{content}");
    assert!(errors.contains(expected), "{errors} does not say {expected:?}");
}

#[test]
fn a_dataset_is_ingested_asked_and_judged() {
    let report = measured(DATASET, &[]);
    assert_eq!(report["settings"]["embedder"], "none");
    assert_eq!(report["settings"]["fusion"], "weighted");
    let dataset = &report["dataset"];
    assert_eq!(dataset["namespaces"], 2);
    assert_eq!(dataset["messages"], 7);
    assert_eq!(dataset["questions"], 5);
    assert_eq!(dataset["asked"], 3);
    assert_eq!(dataset["skipped"]["no_evidence"], 1);
    assert_eq!(dataset["skipped"]["evidence_unknown"], 1);
    assert_eq!(dataset["evidence_partly_unknown"], 1);
    assert_eq!(dataset["altered"]["messages_empty"], 1);
    for level in ["message", "session"] {
        let overall = &report[level]["overall"];
        assert_eq!(overall["questions"], 3, "{report:#}");
        for figure in ["recall@5", "recall@50", "hit@10", "all@20", "mrr", "ndcg@10"] {
            assert_eq!(overall[figure], 1.0, "{level} {figure} of {report:#}");
        }
    }
    assert_eq!(report["message"]["by_category"]["taste"]["questions"], 2);
    assert_eq!(report["message"]["by_category"]["2"]["questions"], 1);
    assert!(report["speed"]["ingest_acknowledged_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(report["speed"]["ingest_embedded_per_second"], Value::Null);
}

#[test]
fn every_fusion_finds_what_shares_its_words() {
    for arguments in [["--fusion", "rrf"], ["--mode", "keyword"]] {
        let report = measured(DATASET, &arguments);
        assert_eq!(report["message"]["overall"]["recall@5"], 1.0, "{arguments:?}");
    }
}

#[test]
fn a_malformed_line_is_named_and_nothing_is_measured() {
    check_refused(&format!("{DATASET}oops\n"), "data.jsonl:4: column 1:");
    check_refused(
        r#"{"messages": [{"text": "a"}]}"#,
        "data.jsonl:1: column 27: missing field `id`",
    );
    check_refused(r#"{"questions": [{"id": "q", "text": "a", "time": "soon"}]}"#, "is not a time");
    check_refused("", "data.jsonl has no namespace");
}
