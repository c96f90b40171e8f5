use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use cofio::ingest::{Level, findings};

use super::{Found, ScanOutput, found};
use crate::progress::Progress;

/// How much of one file is looked at.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Looks through files, and through everything in folders except version control and binaries.
pub(super) fn scan(paths: &[PathBuf], least: Level) -> Result<ScanOutput> {
    let mut output = ScanOutput { scanned: 0, findings: Vec::new() };
    let progress = Progress::endless("scanning");
    for path in paths {
        if path == Path::new("-") {
            let text = text(io::stdin().lock()).context("cannot read standard input")?;
            output.add("-", &text, least);
        } else {
            output.walk(path, least, &progress)?;
        }
    }
    Ok(output)
}

impl ScanOutput {
    fn walk(&mut self, path: &Path, least: Level, progress: &Progress) -> Result<()> {
        let cannot = || format!("cannot read {}", path.display());
        if fs::metadata(path).with_context(cannot)?.is_dir() {
            let mut inside =
                fs::read_dir(path).with_context(cannot)?.collect::<io::Result<Vec<_>>>()?;
            inside.sort_by_key(fs::DirEntry::file_name);
            for entry in inside {
                let link = entry.file_type()?.is_symlink();
                if !link && entry.file_name() != ".git" {
                    self.walk(&entry.path(), least, progress)?;
                }
            }
            return Ok(());
        }
        let text = text(fs::File::open(path).with_context(cannot)?).with_context(cannot)?;
        self.add(&path.display().to_string(), &text, least);
        progress.at(self.scanned as u64);
        Ok(())
    }

    fn add(&mut self, place: &str, text: &str, least: Level) {
        self.scanned += 1;
        let all = findings(text);
        let sure = all.iter().filter(|finding| finding.level >= least);
        for (finding, shown) in sure.zip(found(text, "text", &all, least)) {
            let line = Some(text[..finding.range.start].matches('\n').count() + 1);
            self.findings.push(Found { place: Some(place.to_owned()), line, ..shown });
        }
    }
}

/// Reads a text; a binary has none.
fn text(file: impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    if bytes.iter().take(8_192).any(|byte| *byte == 0) {
        return Ok(String::new());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
