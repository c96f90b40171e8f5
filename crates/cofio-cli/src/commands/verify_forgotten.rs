//! Looking for what is left of the forgotten.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::files::mirror;
use cofio::model::MemoryId;
use cofio::store::{Entries, Trace, Verdict, Wanted};
use cofio::wire::ReceiptOutput;
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::mirrors;
use crate::output::{self, Page};
use crate::progress::Progress;
use crate::{input, present};

const EXAMPLES: &str = "\
Examples:
  cofio verify-forgotten receipt.json
  cofio verify-forgotten fact_0198c0de0000700080000000000000aa --also export.jsonl
  cofio verify-forgotten receipt.json --text - < what-it-said.txt

A receipt holds no text and nothing to guess it by, so the bytes of a text are looked for only if
you give it. Exit codes: 0 nothing is left, 3 a memory is still there, 4 something of it is left.";

/// What tells as much as can be told in PostgreSQL.
const INSTEAD: &str = "cofio show ID says whether a memory is still there, and cofio audit list that \
                       it was forgotten; nobody looks into the files of the server";

/// Looks for what is left of memories that were forgotten, and says where it looked
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct VerifyForgotten {
    /// Receipts that `forget --receipt` wrote, or ids
    #[arg(value_name = "RECEIPT|ID", required = true)]
    what: Vec<String>,
    /// What a memory said, to look for it in the bytes of every file; - for standard input
    #[arg(long = "text", value_name = "TEXT")]
    texts: Vec<String>,
    /// A file with what a memory said
    #[arg(long = "text-file", value_name = "FILE")]
    text_files: Vec<PathBuf>,
    /// Another file to look into, such as an export or a backup; may be repeated
    #[arg(long, value_name = "FILE")]
    also: Vec<PathBuf>,
}

/// Where it was looked, and what was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct VerifyForgottenOutput {
    verdict: &'static str,
    memories: usize,
    text_given: bool,
    places: Vec<PlaceOutput>,
}

/// One place.
#[derive(Debug, Serialize)]
struct PlaceOutput {
    place: String,
    found: u64,
    verdict: &'static str,
}

impl VerifyForgotten {
    pub async fn run(self, app: &App) -> Result<()> {
        let (ids, receipts) = named(&self.what)?;
        let texts = self.texts(app)?;
        let wanted = Wanted { ids, texts, also: self.also };
        let (memories, text_given) = (wanted.ids.len(), !wanted.texts.is_empty());
        let mut traces = Vec::new();
        for receipt in &receipts {
            traces.push(on_record(app, receipt).await?);
        }
        traces.extend(in_files(app, &wanted)?);
        traces.extend(look(app, wanted).await?);
        let verdict = worst(&traces);
        let places = traces.into_iter().map(PlaceOutput::from).collect();
        let output =
            VerifyForgottenOutput { verdict: verdict.as_str(), memories, text_given, places };
        app.output.answer(|| &output, |page| output.show(page))?;
        if let Some(servers) = app.settings.stores().elsewhere() {
            app.output.note(&format!("what stands on {servers} was not looked at"));
        }
        match verdict {
            Verdict::Clean | Verdict::Reference => Ok(()),
            Verdict::Left => {
                let message = "something of it is left: cofio purge may help";
                Err(Refusal::Left(message.to_owned()).into())
            }
            Verdict::Alive => Err(Refusal::StillThere("a memory is still there".to_owned()).into()),
        }
    }

    fn texts(&self, app: &App) -> Result<Vec<String>> {
        let limit = app.settings.config().limits.content_bytes;
        let given = self.texts.iter().map(|text| input::text(std::slice::from_ref(text), limit));
        let read = self.text_files.iter().map(|file| {
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
        });
        given.chain(read).collect()
    }
}

/// Returns the memories that receipts and ids name, and the receipts.
fn named(what: &[String]) -> Result<(Vec<MemoryId>, Vec<ReceiptOutput>)> {
    let (mut ids, mut receipts) = (Vec::new(), Vec::new());
    for name in what {
        if let Ok(id) = input::id(name) {
            ids.push(id);
            continue;
        }
        let json = fs::read_to_string(name)
            .with_context(|| format!("{name} is neither an id nor a receipt that can be read"))?;
        let receipt = ReceiptOutput::parse(&json).with_context(|| format!("cannot use {name}"))?;
        ids.extend(receipt.ids()?);
        receipts.push(receipt);
    }
    ids.sort();
    ids.dedup();
    Ok((ids, receipts))
}

/// Checks that the audit has the entry that a receipt names.
async fn on_record(app: &App, receipt: &ReceiptOutput) -> Result<Trace> {
    let before = Entries::After(receipt.audit.sequence.saturating_sub(1));
    let entries = app.engine.audit(&app.caller_for(true), before, 1).await?;
    let known = entries.first().is_some_and(|entry| entry.hash == receipt.audit.hash);
    let (place, verdict) = if known {
        ("the receipt's entry in the audit", Verdict::Reference)
    } else {
        ("receipts that the audit does not know", Verdict::Left)
    };
    Ok(Trace { place: place.to_owned(), found: 1, verdict })
}

/// Looks into the folders that the store is kept in step with.
fn in_files(app: &App, wanted: &Wanted) -> Result<Vec<Trace>> {
    let mut traces = Vec::new();
    for mirror in mirror::registered(&mirrors::notes(&app.settings))? {
        let found = mirror.traces(&wanted.ids, &wanted.texts)?;
        let verdict = if found == 0 { Verdict::Clean } else { Verdict::Left };
        let place = format!("files of markdown in {}", output::shown(mirror.path()));
        traces.push(Trace { place, found, verdict });
    }
    Ok(traces)
}

async fn look(app: &App, wanted: Wanted) -> Result<Vec<Trace>> {
    let file = app.home.file("verify-forgotten", INSTEAD)?;
    let bytes = usize::try_from(file.traceable_bytes(&wanted)).unwrap_or(usize::MAX);
    let progress = Arc::new(Progress::of_bytes(bytes, "looking"));
    Ok(file.traces(wanted, move |done| progress.at(done)).await?)
}

fn worst(traces: &[Trace]) -> Verdict {
    let any = |verdict| traces.iter().any(|trace| trace.verdict == verdict);
    let verdicts = [Verdict::Alive, Verdict::Left];
    verdicts.into_iter().find(|verdict| any(*verdict)).unwrap_or(Verdict::Clean)
}

impl From<Trace> for PlaceOutput {
    fn from(trace: Trace) -> Self {
        let Trace { place, found, verdict } = trace;
        Self { place, found, verdict: verdict.as_str() }
    }
}

impl VerifyForgottenOutput {
    fn show(&self, page: &mut Page) {
        for place in &self.places {
            page.line(format!("{:<10} {:>6}  {}", place.verdict, place.found, place.place));
        }
        page.gap();
        let memories = present::memories(self.memories);
        page.line(match self.verdict {
            "clean" => format!("nothing is left of {memories}"),
            verdict => format!("{memories}: {verdict}"),
        });
        if !self.text_given {
            page.aside("the bytes of their text were not looked for: --text gives it");
        }
    }
}
