//! Memories as files of markdown.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use cofio::engine::{SyncCounts, Synced, Syncing};
use cofio::files::Mirror;
use cofio::files::compare::Quarrel;
use cofio::files::mirror::Unread;
use cofio::model::Scope;
use cofio::{Error, ErrorKind};
use serde::Serialize;

use crate::app::App;
use crate::digest::digest;
use crate::failure::Refusal;
use crate::output::{self, Page};
use crate::progress::Progress;
use crate::store_files::beside;

const EXAMPLES: &str = "\
Examples:
  cofio files sync
  cofio files sync notes/memory --dry-run
  cofio files sync --layer project --yes
  cofio jobs undo job_0198c0de0000700080000000000000aa

Every memory is an item of a list, with its id in a comment that is not shown. An item that you change
is a change with history, one that you add a new memory, and one that you delete is put away and
forgotten after 30 days; cofio jobs undo takes all of it back.";

/// How often everything is compared anew because somebody wrote to a file meanwhile.
const ATTEMPTS: usize = 5;

/// Keeps memories as files of markdown that you can read, edit and version
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Files {
    #[command(subcommand)]
    action: Action,
}

/// What to do with files.
#[derive(Debug, Subcommand)]
enum Action {
    /// Brings files and memories together: what changed on one side changes on the other
    #[command(after_help = EXAMPLES)]
    Sync(Sync),
}

/// Which files, and how.
#[derive(Debug, Args)]
struct Sync {
    /// The folder
    #[arg(value_name = "FOLDER", default_value = ".cofio/memory")]
    folder: PathBuf,
    /// Says what would happen, and changes nothing
    #[arg(long)]
    dry_run: bool,
    /// Takes secrets out of the files too
    #[arg(long)]
    redact: bool,
}

/// How files and memories were brought together.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SyncOutput {
    folder: String,
    scope: String,
    dry_run: bool,
    /// The job that can be taken back.
    job: Option<String>,
    added: usize,
    edited: usize,
    deleted: usize,
    written: usize,
    removed: usize,
    conflicts: Vec<ConflictOutput>,
    problems: Vec<ProblemOutput>,
}

#[derive(Debug, Serialize)]
struct ConflictOutput {
    path: String,
    id: String,
    what: &'static str,
}

#[derive(Debug, Serialize)]
struct ProblemOutput {
    path: String,
    line: Option<usize>,
    why: String,
}

impl Files {
    pub async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::Sync(sync) => sync.run(app).await,
        }
    }
}

impl Sync {
    async fn run(self, app: &App) -> Result<()> {
        let mirror = mirror(app, &self.folder, app.scope_to_write()?)?;
        // Nothing has to be agreed to where nothing is done.
        let mut syncing =
            Syncing { agreed: self.dry_run, redact: self.redact, dry_run: self.dry_run };
        let (mut synced, mut unread) = bring_together(app, &mirror, syncing).await?;
        if let Some((taken, among)) = synced.held {
            let question =
                format!("{taken} of {among} memories were deleted from files. Put away?");
            app.consent.ask(&question)?;
            syncing.agreed = true;
            (synced, unread) = bring_together(app, &mirror, syncing).await?;
        }
        let output = SyncOutput::new(&self.folder, mirror.scope(), syncing, synced, unread);
        app.output.answer(|| &output, |page| output.show(page))
    }
}

/// Opens a folder, with what was agreed on in it beside the store.
fn mirror(app: &App, folder: &Path, scope: Scope) -> Result<Mirror> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make {}", output::shown(folder)))?;
    let folder = folder.canonicalize().map_err(|error| {
        Refusal::Usage(format!("cannot use {}: {error}", output::shown(folder)))
    })?;
    let name = digest(&folder.display().to_string());
    let notes = beside(app.settings.store(), ".files");
    Ok(Mirror::open(&folder, &notes, &format!("{name}.json"), scope)?)
}

async fn bring_together(
    app: &App,
    mirror: &Mirror,
    syncing: Syncing,
) -> Result<(Synced, Vec<Unread>)> {
    let _progress = Progress::spinning("comparing");
    for _ in 1..ATTEMPTS {
        match attempt(app, mirror, syncing).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            done => return Ok(done?),
        }
    }
    Ok(attempt(app, mirror, syncing).await?)
}

async fn attempt(
    app: &App,
    mirror: &Mirror,
    syncing: Syncing,
) -> Result<(Synced, Vec<Unread>), Error> {
    let look = mirror.look()?;
    let mut synced = app.engine.sync_files(&app.caller, mirror.scope(), &look, syncing).await?;
    if !syncing.dry_run {
        mirror.write(&look, std::mem::take(&mut synced.written))?;
    }
    Ok((synced, look.unread))
}

impl SyncOutput {
    fn new(
        folder: &Path,
        scope: &Scope,
        syncing: Syncing,
        synced: Synced,
        unread: Vec<Unread>,
    ) -> Self {
        let SyncCounts { added, edited, deleted, written, removed } = synced.counts;
        let conflicts = synced.conflicts.into_iter().map(|(path, conflict)| ConflictOutput {
            path: path.as_str().to_owned(),
            id: conflict.id.to_string(),
            what: what(conflict.quarrel),
        });
        let problems = synced.problems.into_iter().map(|problem| ProblemOutput {
            path: problem.path.as_str().to_owned(),
            line: Some(problem.line),
            why: problem.why,
        });
        let unread =
            unread.into_iter().map(|Unread { path, why }| ProblemOutput { path, line: None, why });
        Self {
            folder: output::shown(folder),
            scope: scope.to_string(),
            dry_run: syncing.dry_run,
            job: synced.job.map(|job| job.id.to_string()),
            added,
            edited,
            deleted,
            written,
            removed,
            conflicts: conflicts.collect(),
            problems: problems.chain(unread).collect(),
        }
    }

    fn show(&self, page: &mut Page) {
        let counts = [
            (self.added, "new from files"),
            (self.edited, "changed in files"),
            (self.deleted, "deleted from files"),
            (self.written, "written to files"),
            (self.removed, "removed from files"),
        ];
        let told: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let told = if told.is_empty() { "nothing to do".to_owned() } else { told.join(", ") };
        let would = if self.dry_run { "would be " } else { "" };
        page.line(format!("{} in {}: {would}{told}", self.scope, self.folder));
        for ConflictOutput { path, id, what } in &self.conflicts {
            page.line(format!("conflict in {path}: {what} ({id})"));
        }
        for ProblemOutput { path, line, why } in &self.problems {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            page.line(format!("left out {path}{line}: {why}"));
        }
        if let Some(job) = &self.job {
            page.aside(format!("cofio jobs undo {job} takes back what files changed"));
        }
    }
}

/// Says what two sides see differently.
fn what(quarrel: Quarrel) -> &'static str {
    match quarrel {
        Quarrel::BothChanged => "changed in the file and in the store, so both are there now",
        Quarrel::RemovedFromFile => "deleted from the file and changed in the store, so it is back",
        Quarrel::RemovedFromStore => "changed in the file and forgotten in the store, so it is new",
    }
}
