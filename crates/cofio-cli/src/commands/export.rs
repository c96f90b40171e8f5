//! Writing everything to a file that another store can take in.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::model::Caller;
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::app::App;
use crate::failure::Refusal;
use crate::input::STANDARD;
use crate::output::shown;
use crate::present;
use crate::progress::Progress;
use crate::store_files;

const EXAMPLES: &str = "\
Examples:
  cofio export memories.jsonl
  cofio export - | gzip > memories.jsonl.gz";

/// Writes all your memories, with their earlier versions, to a file that `import` reads
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    /// The file; - is standard output
    file: PathBuf,
    /// Replaces a file that is there already
    #[arg(long)]
    force: bool,
    /// Writes every user's memories
    #[arg(long)]
    all_users: bool,
}

/// What was written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportOutput {
    memories: u64,
    file: String,
    user_id: String,
    all_users: bool,
}

impl Export {
    pub async fn run(self, app: &App) -> Result<()> {
        let caller = app.caller_for(self.all_users);
        let whose = if self.all_users { "everyone".to_owned() } else { caller.actor().to_string() };
        if self.file == Path::new(STANDARD) {
            let written = write(app, &caller, BufWriter::new(io::stdout().lock())).await?;
            let memories = present::count(written, "memory", "memories");
            app.output.note(&format!("exported {memories} of {whose}"));
            return Ok(());
        }
        let memories = self.to_file(app, &caller).await?;
        app.output.answer(
            || ExportOutput {
                memories,
                file: shown(&self.file),
                user_id: caller.actor().to_string(),
                all_users: self.all_users,
            },
            |page| {
                let memories = present::count(memories, "memory", "memories");
                page.line(format!("exported {memories} of {whose} to {}", self.file.display()));
            },
        )?;
        Ok(())
    }

    /// Writes beside the file and moves it there when it is complete and on disk.
    async fn to_file(&self, app: &App, caller: &Caller) -> Result<u64> {
        let file = &self.file;
        store_files::refuse_own(file, app.settings.store())?;
        let cannot = || format!("cannot write {}", file.display());
        if !self.force && file.symlink_metadata().is_ok() {
            return Err(self.is_there());
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // Readable by its owner only, which is how temporary files are made.
        let mut partial = NamedTempFile::new_in(folder).with_context(cannot)?;
        let mut out = BufWriter::new(partial.as_file_mut());
        let memories = write(app, caller, &mut out).await?;
        out.flush().with_context(cannot)?;
        drop(out);
        partial.as_file().sync_all().with_context(cannot)?;
        let kept = if self.force { partial.persist(file) } else { partial.persist_noclobber(file) };
        match kept {
            Ok(_) => Ok(memories),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(self.is_there())
            }
            Err(error) => Err(error.error).with_context(cannot),
        }
    }

    fn is_there(&self) -> anyhow::Error {
        let file = self.file.display();
        Refusal::Conflict(format!("{file} is there already: add --force to replace it")).into()
    }
}

async fn write(app: &App, caller: &Caller, out: impl io::Write) -> Result<u64> {
    let progress = Progress::endless("exporting");
    Ok(app.engine.export(caller, out, |count| progress.at(count)).await?)
}
