use std::io::{BufRead, BufWriter, Write};

use anyhow::{Context as _, Result};
use cofio::Error;
use cofio::config::Config;
use cofio::ingest::{Level, findings, redact};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Found, found};

/// The answer to a line.
#[derive(Debug, Serialize)]
struct Answer {
    redacted: String,
    findings: Vec<Found>,
}

/// Answers every line, and returns how many secrets there were.
pub(super) fn scan(input: impl BufRead, out: impl Write, least: Level) -> Result<usize> {
    let mut out = BufWriter::new(out);
    let replacement = Config::default().secret_replacement;
    let mut count = 0;
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.with_context(|| format!("line {number} is no text"))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer =
            answer(&line, &replacement, least).with_context(|| format!("line {number}"))?;
        count += answer.findings.len();
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(count)
}

fn answer(line: &str, replacement: &str, least: Level) -> Result<Answer> {
    let wrong = || Error::invalid("it has to be an object with a text, such as {\"text\": \"…\"}");
    let object: Map<String, Value> = serde_json::from_str(line).map_err(|_| wrong())?;
    let text = object.get("text").and_then(Value::as_str).ok_or_else(wrong)?;
    let mut all = Vec::new();
    for (name, value) in &object {
        look(name, value, least, &mut all);
    }
    let replaced = redact(text, replacement, least.max(Level::Probable));
    Ok(Answer { redacted: replaced.text.as_str().to_owned(), findings: all })
}

/// Looks at every text in a value; a field inside another is named after both.
fn look(name: &str, value: &Value, least: Level, all: &mut Vec<Found>) {
    match value {
        Value::String(text) => all.extend(found(text, name, &findings(text), least)),
        Value::Array(items) => items.iter().for_each(|item| look(name, item, least, all)),
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(inner, value)| look(&format!("{name}.{inner}"), value, least, all));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
