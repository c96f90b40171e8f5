//! Overwriting what deletions may have left.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::store::Purged;
use serde::Serialize;

use crate::app::App;
use crate::consent::Agreement;
use crate::failure::Refusal;
use crate::output::{Page, shown};
use crate::present;
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  cofio purge
  cofio purge --yes

Forgetting overwrites what it deletes by itself. This is for a log that could not be emptied because
somebody was reading, for files that other programs wrote to, and for the copies that Cofio made
beside the store before it brought it to a newer version: those hold what was forgotten since.";

/// What takes away what deletions leave in PostgreSQL.
const INSTEAD: &str = "what deletions left in its tables goes when their owner runs VACUUM FULL, \
                       and what is in its write-ahead log and in copies when those are removed";

/// Overwrites what deletions may have left in the store's files, and removes its old copies if you
/// agree
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Purge {}

/// What was done.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PurgeOutput {
    free_pages: u64,
    log_bytes: u64,
    log_emptied: bool,
    removed: Vec<String>,
    kept: Vec<String>,
}

impl Purge {
    pub async fn run(self, app: &App) -> Result<()> {
        let file = app.home.file("purge", INSTEAD)?;
        let progress = Progress::spinning("overwriting");
        let purged = file.purge().await?;
        drop(progress);
        let copies = file.migration_backups();
        let agreed = copies.is_empty() || agrees(app, &copies)?;
        if agreed {
            for copy in &copies {
                fs::remove_file(copy)
                    .with_context(|| format!("cannot remove {}", copy.display()))?;
            }
        }
        let output = PurgeOutput::new(purged, &copies, agreed);
        app.output.answer(|| &output, |page| output.show(page))?;
        if !output.log_emptied {
            let message = "another process still reads from the log: try again when it has ended";
            return Err(Refusal::Left(message.to_owned()).into());
        }
        if !agreed {
            let message = "the copies beside the store were kept: add --yes to remove them";
            return Err(Refusal::Confirmation(message.to_owned()).into());
        }
        Ok(())
    }
}

fn agrees(app: &App, copies: &[PathBuf]) -> Result<bool> {
    let names: Vec<String> = copies.iter().map(|copy| format!("  {}", shown(copy))).collect();
    let question = format!(
        "{}\nThese copies are from before the store was brought to a newer version. Remove them?",
        names.join("\n")
    );
    Ok(app.consent.asked(&question)? == Agreement::Given)
}

impl PurgeOutput {
    fn new(purged: Purged, copies: &[PathBuf], agreed: bool) -> Self {
        let Purged { free_pages, log_bytes, log_emptied } = purged;
        let copies: Vec<String> = copies.iter().map(|copy| shown(copy)).collect();
        let (removed, kept) = if agreed { (copies, Vec::new()) } else { (Vec::new(), copies) };
        Self { free_pages, log_bytes, log_emptied, removed, kept }
    }

    fn show(&self, page: &mut Page) {
        let pages = present::count(self.free_pages, "free page", "free pages");
        page.line(format!("overwrote {pages} of the store"));
        if self.log_emptied {
            page.line("emptied the write-ahead log");
        }
        self.removed.iter().for_each(|copy| page.line(format!("removed {copy}")));
        self.kept.iter().for_each(|copy| page.line(format!("kept {copy}")));
    }
}
