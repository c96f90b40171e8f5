//! Taking in what was exported, here or elsewhere.

mod graph;
mod notes;

use std::fs::File;
use std::io::{self, BufReader, Seek as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use cofio::engine::{ConflictMode, Imported, Importing};
use cofio::files::foreign::Format;
use cofio::model::Trust;
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::input::STANDARD;
use crate::output::Page;
use crate::progress::Progress;
use notes::Taking;

const EXAMPLES: &str = "\
Examples:
  cofio import memories.jsonl --dry-run
  cofio import memories.jsonl --on-conflict newer
  cofio import from-a-stranger.jsonl --trust low
  cofio import memory.jsonl --from server-memory
  cofio import ~/.claude/projects/-home-alice-app/memory --layer project
  cofio import ~/Notes --from obsidian --dry-run
  cofio import MEMORY.md --trust medium";

/// Takes in a file that `export` wrote, or another program's memory
///
/// A file that `export` wrote is verified and rehearsed as a whole first, and nothing is changed if
/// any of it is wrong. If somebody else changes the store meanwhile, the import may stop part-way;
/// it can be repeated then, and takes in what is missing.
///
/// A folder of markdown, or one such file, is cut into memories: items of lists, paragraphs, and
/// whatever else the program that wrote it keeps as one. What cannot be taken in is named, and the
/// rest is taken in; a second time adds what is new.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Import {
    /// The file or the folder; - is standard input
    #[arg(value_name = "PATH")]
    file: PathBuf,
    /// What wrote it: cofio, server-memory (the reference server of MCP), markdown (anybody),
    /// claude (Claude Code), basic-memory or obsidian; a folder and a file of markdown tell it
    /// themselves
    #[arg(long, value_enum, hide_possible_values = true, value_name = "PROGRAM")]
    from: Option<Origin>,
    /// Says what would happen, and changes nothing
    #[arg(long)]
    dry_run: bool,
    /// What to do with a memory that is here already and differs: skip, replace, newer or fail
    #[arg(long, value_enum, hide_possible_values = true, value_name = "MODE")]
    on_conflict: Option<ConflictName>,
    /// The most that anything in it is trusted: low, medium or high
    #[arg(long, value_name = "TRUST", default_value_t = Trust::High)]
    trust: Trust,
    /// Takes in every user's memories
    #[arg(long)]
    all_users: bool,
}

/// What wrote a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Origin {
    /// Cofio itself
    Cofio,
    /// The reference server of MCP
    ServerMemory,
    /// Anybody
    Markdown,
    /// Claude Code
    #[value(alias = "claude-code")]
    Claude,
    /// basic-memory
    BasicMemory,
    /// Obsidian
    Obsidian,
}

impl Origin {
    /// Returns the format of a folder of markdown, if it is one.
    fn format(self) -> Option<Format> {
        match self {
            Self::Cofio | Self::ServerMemory => None,
            Self::Markdown => Some(Format::Markdown),
            Self::Claude => Some(Format::Claude),
            Self::BasicMemory => Some(Format::BasicMemory),
            Self::Obsidian => Some(Format::Obsidian),
        }
    }
}

/// What to do with a memory that is here already.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ConflictName {
    /// Leave it as it is
    #[default]
    Skip,
    /// Make the file's its next version
    Replace,
    /// Do so if the file's was changed later
    Newer,
    /// Change nothing at all
    Fail,
}

/// What became of a bundle.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportOutput {
    created: u64,
    replaced: u64,
    skipped: u64,
    duplicates: u64,
    forgotten: u64,
    rejected: u64,
    refused: u64,
    redacted: u64,
    dry_run: bool,
    user_id: String,
    all_users: bool,
}

impl Import {
    pub async fn run(self, app: &App) -> Result<()> {
        let from = self.from.and_then(Origin::format);
        if from.is_some() || (self.from.is_none() && is_markdown(&self.file)) {
            self.refuse_flags("--all-users and --on-conflict are", self.all_users)?;
            let Self { file: path, trust, dry_run, .. } = &self;
            let taking = Taking { path, from, trust: *trust, dry_run: *dry_run };
            return notes::run(app, taking).await;
        }
        if self.from == Some(Origin::ServerMemory) {
            let bundles = self.dry_run || self.all_users;
            self.refuse_flags("--dry-run, --all-users and --on-conflict are", bundles)?;
            return graph::run(app, &self.file, self.open()?, self.trust).await;
        }
        let mut file = self.open()?;
        // Reading it once without changing anything finds whatever would stop halfway.
        let planned = self.read(app, &mut file, true).await?;
        let imported =
            if self.dry_run { planned } else { self.read(app, &mut file, false).await? };
        let output = self.output(app, &imported);
        app.output.answer(|| &output, |page| output.show(page))?;
        Ok(())
    }

    /// Refuses what only means something for a bundle.
    fn refuse_flags(&self, which: &str, given: bool) -> Result<()> {
        if given || self.on_conflict.is_some() {
            let advice = format!("{which} for files that cofio export wrote");
            return Err(Refusal::Usage(advice).into());
        }
        Ok(())
    }

    async fn read(&self, app: &App, file: &mut File, dry_run: bool) -> Result<Imported> {
        file.rewind().context("cannot read the bundle again")?;
        let importing = Importing {
            on_conflict: self.on_conflict.unwrap_or_default().into(),
            trusted_at_most: self.trust,
            doubt: app.doubt(),
            dry_run,
        };
        let progress = Progress::endless(if dry_run { "checking" } else { "importing" });
        let caller = app.caller_for(self.all_users);
        let input = BufReader::new(file);
        Ok(app.engine.import(&caller, input, importing, |count| progress.at(count)).await?)
    }

    /// Opens a file that can be read twice.
    fn open(&self) -> Result<File> {
        if self.file == Path::new(STANDARD) {
            return spool(io::stdin().lock());
        }
        let cannot = || format!("cannot read {}", self.file.display());
        let file = File::open(&self.file).with_context(cannot)?;
        if file.metadata().with_context(cannot)?.is_file() { Ok(file) } else { spool(file) }
    }

    fn output(&self, app: &App, imported: &Imported) -> ImportOutput {
        ImportOutput {
            created: imported.created,
            replaced: imported.replaced,
            skipped: imported.skipped,
            duplicates: imported.duplicates,
            forgotten: imported.forgotten,
            rejected: imported.rejected,
            refused: imported.refused,
            redacted: imported.redacted,
            dry_run: self.dry_run,
            user_id: app.caller.actor().to_string(),
            all_users: self.all_users,
        }
    }
}

/// Returns whether a path is a folder, or a file that is markdown by its name.
fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    path.is_dir() || ["md", "markdown"].iter().any(|other| extension.eq_ignore_ascii_case(other))
}

/// Copies what can be read only once to a file that nobody else can open.
fn spool(mut input: impl io::Read) -> Result<File> {
    let mut file = tempfile::tempfile().context("cannot make a temporary file")?;
    io::copy(&mut input, &mut file).context("cannot read the bundle")?;
    Ok(file)
}

impl ImportOutput {
    fn show(&self, page: &mut Page) {
        let whose = if self.all_users { "everyone" } else { &self.user_id };
        let verb = if self.dry_run { "would import" } else { "imported" };
        page.line(format!("{verb} {} new and {} changed for {whose}", self.created, self.replaced));
        let others = [
            (self.skipped, "here already", ""),
            (self.duplicates, "said already by another memory", ""),
            (self.forgotten, "left out", " (forgotten here, or their ids are taken)"),
            (self.rejected, "rejected here before", ""),
            (self.refused, "refused", " (credentials, or trusted less than what is here)"),
            (self.redacted, "secrets taken out", ""),
        ];
        for (count, what, why) in others.into_iter().filter(|(count, ..)| *count > 0) {
            page.aside(format!("{what}: {count}{why}"));
        }
    }
}

impl From<ConflictName> for ConflictMode {
    fn from(name: ConflictName) -> Self {
        match name {
            ConflictName::Skip => Self::Skip,
            ConflictName::Replace => Self::Replace,
            ConflictName::Newer => Self::Newer,
            ConflictName::Fail => Self::Fail,
        }
    }
}
