//! Finding secrets in files, in lines of JSON and in what is remembered.

mod files;
mod lines;
mod memories;

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use cofio::ingest::{Finding, Level};
use serde::Serialize;

use crate::app;
use crate::arguments::Globals;
use crate::failure::Refusal;
use crate::output::Output;
use crate::present;

const EXAMPLES: &str = "\
Examples:
  cofio scan notes.md src
  git diff | cofio scan -
  cofio scan --memories
  cofio scan --jsonl < texts.jsonl

Places are counted in characters. A value is never shown. Exit code 4 means that something was found.";

/// Finds secrets in files, in lines of JSON or in what is remembered
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Scan {
    /// Files and folders; - is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Reads one JSON object per line, such as {"text": "…"}, and answers each with a line
    #[arg(long, conflicts_with_all = ["files", "memories"])]
    jsonl: bool,
    /// Looks through everything that is remembered
    #[arg(long, conflicts_with = "files")]
    memories: bool,
    /// Only what is at least so sure: possible, probable or definite
    #[arg(long, value_name = "LEVEL", default_value = "possible", value_parser = level)]
    least: Level,
}

/// A secret and where it stands, without its value.
#[derive(Debug, Clone, Serialize)]
struct Found {
    class: &'static str,
    level: &'static str,
    /// The file, the field or the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    start: usize,
    end: usize,
}

/// Everything that was found.
#[derive(Debug, Serialize)]
struct ScanOutput {
    scanned: usize,
    findings: Vec<Found>,
}

impl Scan {
    pub async fn run(self, globals: &Globals) -> Result<()> {
        if self.jsonl {
            let found = lines::scan(io::stdin().lock(), io::stdout().lock(), self.least)?;
            return verdict(found);
        }
        let output = if self.memories {
            memories::scan(globals, self.least).await?
        } else if self.files.is_empty() {
            let advice = "say what to scan: files, - for standard input, --jsonl or --memories";
            return Err(Refusal::Usage(advice.to_owned()).into());
        } else {
            files::scan(&self.files, self.least)?
        };
        output.give(globals)?;
        verdict(output.findings.len())
    }
}

impl ScanOutput {
    fn give(&self, globals: &Globals) -> Result<()> {
        let out = Output::new(globals.form(), app::settings(globals)?.color());
        out.answer(
            || self,
            |page| {
                for found in &self.findings {
                    let place = found.place.as_deref().unwrap_or("-");
                    let line = found.line.map_or(String::new(), |line| format!(":{line}"));
                    page.line(format!(
                        "{place}{line}: {} ({}) in {}, {} to {}",
                        found.class, found.level, found.field, found.start, found.end
                    ));
                }
            },
        )?;
        let findings = present::count(self.findings.len() as u64, "finding", "findings");
        out.note(&format!(
            "{findings} in {}",
            present::count(self.scanned as u64, "text", "texts")
        ));
        Ok(())
    }
}

/// Ends with an exit code of its own if something was found.
fn verdict(found: usize) -> Result<()> {
    io::stdout().flush()?;
    if found == 0 { Ok(()) } else { Err(Refusal::Found.into()) }
}

fn level(name: &str) -> Result<Level, String> {
    let all = [Level::Possible, Level::Probable, Level::Definite];
    let known = all.into_iter().find(|level| level.as_str() == name);
    known.ok_or_else(|| "a level is possible, probable or definite".to_owned())
}

/// Returns what is found in a text, with places in characters.
fn found(text: &str, field: &str, findings: &[Finding], least: Level) -> Vec<Found> {
    let characters = |byte: usize| text[..byte].chars().count();
    let sure = findings.iter().filter(|finding| finding.level >= least);
    sure.map(|finding| Found {
        class: finding.class,
        level: finding.level.as_str(),
        place: None,
        field: field.to_owned(),
        line: None,
        start: characters(finding.range.start),
        end: characters(finding.range.end),
    })
    .collect()
}
